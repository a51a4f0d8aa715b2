package dev.weir.kafka.internal.in.fetch;

import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.internal.in.view.KeptViews;
import dev.weir.kafka.internal.in.view.Spares;
import dev.weir.kafka.internal.in.view.ViewPool;
import dev.weir.kafka.internal.meters.DecodeTime;
import dev.weir.lean.BatchView;
import dev.weir.lean.BatchViewHandler;
import dev.weir.lean.LeanConsumer;
import dev.weir.lean.PartitionException;
import dev.weir.lean.RecordHandler;
import dev.weir.lean.RecordView;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** Converts the data in a lean consumer's buffers into elements. Confined to the fetching thread. */
public final class FetchedMaker {

    private static final int MAX_SPARE_ROWS = 256;

    /** Decoding time after which a poll should end. A longer poll would delay its records and the group. */
    private static final long LONG_TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final String WAY_OUT =
            "let the decoder return something else for such records, which the stages behind it can route or leave out";

    private final @Nullable Function<RecordView, Fetched> records;
    private final @Nullable ViewPool pool;
    private final DecodeTime.@Nullable Sampling decoding;
    private final Spares<FetchedRow> rows = new Spares<>(MAX_SPARE_ROWS);

    private long decodedNanos;

    private FetchedMaker(
            @Nullable Function<RecordView, Fetched> records,
            @Nullable ViewPool pool,
            DecodeTime.@Nullable Sampling decoding) {
        this.records = records;
        this.pool = pool;
        this.decoding = decoding;
    }

    /** Returns a maker that copies each record. */
    public static FetchedMaker copying() {
        return new FetchedMaker(view -> new Fetched.OfRecord(view.toConsumerRecord()), null, null);
    }

    /**
     * Returns a maker that calls a user's decoder for each record and adds the time spent to {@code time}. Exceptions
     * of the decoder name the record's partition and offset.
     */
    public static FetchedMaker decoding(Function<RecordView, ?> decoder, DecodeTime time) {
        return new FetchedMaker(view -> decoded(view, decoder), null, time.sampling());
    }

    /** Returns a maker that keeps whole batches without decoding their records. */
    public static FetchedMaker keeping(ViewPool pool) {
        return new FetchedMaker(null, pool, null);
    }

    int poll(LeanConsumer lean, RecordHandler each, BatchViewHandler batches) {
        decodedNanos = 0;
        return pool == null ? lean.poll(each) : lean.pollBatches(batches);
    }

    Fetched make(RecordView record) {
        Function<RecordView, Fetched> made = Objects.requireNonNull(records, "records");
        if (decoding == null || !decoding.isDue()) {
            return made.apply(record);
        }
        long start = System.nanoTime();
        Fetched result = made.apply(record);
        decodedNanos += decoding.took(System.nanoTime() - start);
        return result;
    }

    boolean hasDecodedForLong() {
        return decodedNanos >= LONG_TURN_NANOS;
    }

    /** Appends a batch to the list, or merges it into the last element. Returns the number of bytes added. */
    int keep(List<Fetched> list, BatchView batch) {
        if (!list.isEmpty()) {
            // A maker that keeps batches makes no other elements.
            KeptViews last = ((FetchedRow) list.getLast()).views();
            int before = last.sizeBytes();
            if (last.add(batch)) {
                return last.sizeBytes() - before;
            }
        }
        KeptViews views = Objects.requireNonNull(pool, "pool").takeViews();
        if (!views.add(batch)) {
            throw new IllegalStateException("a batch has no room alone: " + batch.sizeBytes() + " bytes");
        }
        FetchedRow spare = rows.take();
        FetchedRow row = spare == null ? new FetchedRow(rows) : spare;
        row.begin(views, batch);
        list.add(row);
        return views.sizeBytes();
    }

    private static Fetched decoded(RecordView view, Function<RecordView, ?> decoder) {
        Object result;
        try {
            result = decoder.apply(view);
        } catch (PartitionException corrupt) {
            // Corrupt headers are not a failure of the decoder.
            throw corrupt;
        } catch (RuntimeException | StackOverflowError failure) {
            throw refused(view, failure);
        }
        if (result == null) {
            throw refused(view, new NullPointerException("the decoder returned null"));
        }
        return new Decoded(view.offset(), view.leaderEpoch(), view.timestamp(), view.sizeBytes(), result);
    }

    private static RecordDecodeException refused(RecordView view, Throwable cause) {
        return new RecordDecodeException(view.topic(), view.partition(), view.offset(), cause, WAY_OUT);
    }

    /** A decoded record. Its size is the size of the encoded record. */
    private record Decoded(long offset, int leaderEpoch, long timestamp, int sizeBytes, Object unwrap)
            implements Fetched {

        private static final Header[] NO_HEADERS = {};

        @Override
        public long nextOffset() {
            return offset + 1;
        }

        @Override
        public Header[] headers() {
            return NO_HEADERS;
        }
    }
}
