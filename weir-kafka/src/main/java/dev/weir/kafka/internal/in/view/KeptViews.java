package dev.weir.kafka.internal.in.view;

import dev.weir.kafka.view.EncodedRecords;
import dev.weir.kafka.view.RecordViews;
import dev.weir.kafka.view.ViewEncoder;
import dev.weir.lean.BatchView;
import dev.weir.lean.KeptBatches;
import dev.weir.lean.RecordView;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Copies of consecutive batches, valid until this object is closed. Confined to one thread at a time: first the fetch
 * thread, then the stages.
 */
public final class KeptViews implements RecordViews {

    private final ViewPool home;

    /** The token that acknowledges these records; used by the owner thread. */
    private long token;

    private @Nullable KeptBatches batches;

    /** Creates an empty object, to be filled after {@link #begin}. */
    KeptViews(ViewPool home) {
        this.home = home;
    }

    void begin() {
        batches = home.takeBatches();
    }

    /** Sets the token that acknowledges these records. Called by the owner thread. */
    public void goesOutAs(long itsToken) {
        token = itsToken;
    }

    public long token() {
        return token;
    }

    /**
     * Returns this object to its pool if {@link #close} has released its memory. Must be called only after the records
     * are acknowledged.
     */
    public void recycle() {
        if (batches == null) {
            home.give(this);
        }
    }

    /** Adds a batch if it fits; see {@link KeptBatches#add}. */
    public boolean add(BatchView batch) {
        return kept().add(batch);
    }

    /** Removes the records at or after {@code offset}. */
    public void cutAt(long offset) {
        kept().cutAt(offset);
    }

    public int leaderEpoch() {
        return kept().leaderEpoch();
    }

    private KeptBatches kept() {
        KeptBatches has = batches;
        if (has == null) {
            throw new IllegalStateException(
                    "these records were released: views belong to one stage at a time, encode them once");
        }
        return has;
    }

    @Override
    public String topic() {
        return kept().topic();
    }

    @Override
    public int partition() {
        return kept().partition();
    }

    @Override
    public long fromOffset() {
        return kept().fromOffset();
    }

    @Override
    public long toOffset() {
        return kept().toOffset();
    }

    @Override
    public int recordCount() {
        return kept().recordCount();
    }

    @Override
    public int sizeBytes() {
        return kept().sizeBytes();
    }

    @Override
    public boolean next() {
        return kept().next();
    }

    @Override
    public RecordView record() {
        return kept().record();
    }

    @Override
    public void rewind() {
        kept().rewind();
    }

    @Override
    public EncodedRecords encode(ViewEncoder encoder) {
        Objects.requireNonNull(encoder, "encoder");
        KeptBatches from = kept();
        from.rewind();
        EncodedElement to = home.takeOutput();
        boolean done = false;
        try {
            while (from.next()) {
                encoder.encode(from.record(), to);
            }
            done = true;
        } finally {
            if (!done) {
                to.release();
            }
        }
        close();
        return to;
    }

    @Override
    public void close() {
        KeptBatches done = batches;
        if (done != null) {
            batches = null;
            home.give(done);
        }
    }

    @Override
    public String toString() {
        return batches == null
                ? "RecordViews[given back]"
                : topic() + "-" + partition() + "@" + fromOffset() + " to " + toOffset();
    }
}
