package dev.weir.kafka.internal.in.fetch;

import dev.weir.kafka.internal.in.view.KeptViews;
import dev.weir.kafka.internal.in.view.Spares;
import dev.weir.lean.BatchView;
import java.util.Objects;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Several consecutive records as one element. Records may be added until it is handed out. Reused after {@link
 * #unwrap}.
 */
public final class FetchedRow implements Fetched {

    private static final Header[] NO_HEADERS = {};

    private final Spares<FetchedRow> home;
    private long fromOffset;
    private int leaderEpoch;
    private long timestamp;
    private @Nullable KeptViews views;

    FetchedRow(Spares<FetchedRow> home) {
        this.home = home;
    }

    void begin(KeptViews with, BatchView first) {
        fromOffset = with.fromOffset();
        leaderEpoch = with.leaderEpoch();
        timestamp = first.maxTimestamp();
        views = with;
    }

    /** Returns the records. Must not be called after {@link #unwrap}. */
    public KeptViews views() {
        return Objects.requireNonNull(views, "views");
    }

    @Override
    public Object unwrap() {
        KeptViews out = views();
        views = null;
        home.give(this);
        return out;
    }

    /** Releases the memory of the records without reading them. */
    public void drop() {
        views().close();
        views().recycle();
        Object ignored = unwrap();
    }

    /** Removes the records at or after {@code offset}. */
    public void cutAt(long offset) {
        views().cutAt(offset);
    }

    @Override
    public long offset() {
        return fromOffset;
    }

    @Override
    public long nextOffset() {
        return views().toOffset();
    }

    @Override
    public int leaderEpoch() {
        return leaderEpoch;
    }

    @Override
    public long timestamp() {
        return timestamp;
    }

    @Override
    public int sizeBytes() {
        return views().sizeBytes();
    }

    @Override
    public Header[] headers() {
        return NO_HEADERS;
    }

    @Override
    public String toString() {
        return "records from offset " + fromOffset;
    }
}
