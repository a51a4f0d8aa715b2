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
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** Creates records from the lean consumer's buffers. Stateless. */
public final class FetchedViews {

    /** Headers of decoded records, always empty. Never modified. */
    private static final RecordHeaders NO_HEADERS = new RecordHeaders();

    private static final byte[] NO_BYTES = {};

    private static final int MAX_SPARE_ROWS = 256;

    /** Decoding time after which a poll should end. A longer poll would delay its records and the group. */
    private static final long LONG_TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final String WAY_OUT =
            "let the decoder return something else for such records, which the stages behind it can route or leave out";

    private FetchedViews() {}

    /** One or several decoded records, with the decoded object in place of the key and value. */
    public abstract static class Made extends ConsumerRecord<byte[], byte[]> {

        private Made(
                String topic,
                int partition,
                long offset,
                long timestamp,
                TimestampType type,
                int sizeBytes,
                Optional<Integer> leaderEpoch) {
            super(topic, partition, offset, timestamp, type, 0, sizeBytes, NO_BYTES, NO_BYTES, NO_HEADERS, leaderEpoch);
        }

        /** Returns the decoded object. This record must not be used afterwards. */
        public abstract Object unwrap();
    }

    /** A decoded record. Its serialized value size is its weight in the memory budget. */
    private static final class Decoded extends Made {

        private final Object result;

        private Decoded(RecordView view, Object result, Optional<Integer> leaderEpoch) {
            super(
                    view.topic(),
                    view.partition(),
                    view.offset(),
                    view.timestamp(),
                    view.timestampType(),
                    view.sizeBytes(),
                    leaderEpoch);
            this.result = result;
        }

        @Override
        public Object unwrap() {
            return result;
        }
    }

    /**
     * Several consecutive records, represented by one record with the first offset. Records may be added until the
     * object is handed out. Reused after {@link #unwrap}.
     */
    public static final class InARow extends Made {

        private final Spares<InARow> home;
        private String topic = "";
        private int partition;
        private long fromOffset;
        private long timestamp;
        private TimestampType type = TimestampType.NO_TIMESTAMP_TYPE;
        private Optional<Integer> epoch = Optional.empty();
        private @Nullable KeptViews views;

        private InARow(Spares<InARow> home) {
            super("", 0, 0, 0, TimestampType.NO_TIMESTAMP_TYPE, 0, Optional.empty());
            this.home = home;
        }

        private void begin(KeptViews with, BatchView first, Optional<Integer> leaderEpoch) {
            topic = first.topic();
            partition = first.partition();
            fromOffset = with.fromOffset();
            timestamp = first.maxTimestamp();
            type = first.timestampType();
            epoch = leaderEpoch;
            views = with;
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

        /** Returns the records. Must not be called after {@link #unwrap}. */
        public KeptViews views() {
            return Objects.requireNonNull(views, "views");
        }

        @Override
        public String topic() {
            return topic;
        }

        @Override
        public int partition() {
            return partition;
        }

        @Override
        public long offset() {
            return fromOffset;
        }

        @Override
        public long timestamp() {
            return timestamp;
        }

        @Override
        public TimestampType timestampType() {
            return type;
        }

        @Override
        public Optional<Integer> leaderEpoch() {
            return epoch;
        }

        /** Returns the number of bytes that the records use in the memory budget. */
        @Override
        public int serializedValueSize() {
            return views().sizeBytes();
        }

        /** Removes the records at or after {@code offset}. */
        public void cutAt(long offset) {
            views().cutAt(offset);
        }

        @Override
        public String toString() {
            return topic + "-" + partition + "@" + fromOffset;
        }
    }

    /** Returns the offset after a record, consecutive records or an unreadable batch. */
    public static long nextOffset(ConsumerRecord<?, ?> record) {
        return switch (record) {
            case InARow row -> row.views().toOffset();
            case UnreadableBatch batch -> batch.nextOffset();
            default -> record.offset() + 1;
        };
    }

    /** Converts fetched data into records. Confined to the fetching thread. */
    public static final class Maker {

        private final @Nullable Function<RecordView, ConsumerRecord<byte[], byte[]>> records;
        private final @Nullable ViewPool pool;
        private final DecodeTime.@Nullable Sampling decoding;
        private final Spares<InARow> rows = new Spares<>(MAX_SPARE_ROWS);
        private final LeaderEpoch leaderEpoch = new LeaderEpoch();

        private long decodedNanos;

        private Maker(
                @Nullable Function<RecordView, ConsumerRecord<byte[], byte[]>> records,
                @Nullable ViewPool pool,
                DecodeTime.@Nullable Sampling decoding) {
            this.records = records;
            this.pool = pool;
            this.decoding = decoding;
        }

        /** Returns a maker that copies each record. */
        public static Maker copying() {
            return new Maker(FetchedViews::copy, null, null);
        }

        /** Returns a maker that calls a user's decoder for each record and adds the time spent to {@code time}. */
        public static Maker decoding(Function<RecordView, ?> decoder, DecodeTime time) {
            return new Maker(FetchedViews.decoding(decoder), null, time.sampling());
        }

        /** Returns a maker that keeps whole batches without decoding their records. */
        public static Maker keeping(ViewPool pool) {
            return new Maker(null, pool, null);
        }

        int poll(LeanConsumer lean, RecordHandler each, BatchViewHandler batches) {
            decodedNanos = 0;
            return pool == null ? lean.poll(each) : lean.pollBatches(batches);
        }

        ConsumerRecord<byte[], byte[]> make(RecordView record) {
            Function<RecordView, ConsumerRecord<byte[], byte[]>> made = Objects.requireNonNull(records, "records");
            if (decoding == null || !decoding.isDue()) {
                return made.apply(record);
            }
            long start = System.nanoTime();
            ConsumerRecord<byte[], byte[]> result = made.apply(record);
            decodedNanos += decoding.took(System.nanoTime() - start);
            return result;
        }

        boolean hasDecodedForLong() {
            return decodedNanos >= LONG_TURN_NANOS;
        }

        /** Appends a batch to the list, or merges it into the last element. Returns the number of bytes added. */
        int keep(List<ConsumerRecord<byte[], byte[]>> list, BatchView batch) {
            if (!list.isEmpty() && list.getLast() instanceof InARow last) {
                int before = last.views().sizeBytes();
                if (last.views().add(batch)) {
                    return last.views().sizeBytes() - before;
                }
            }
            KeptViews views = Objects.requireNonNull(pool, "pool").takeViews();
            if (!views.add(batch)) {
                throw new IllegalStateException("a batch has no room alone: " + batch.sizeBytes() + " bytes");
            }
            InARow spare = rows.take();
            InARow row = spare == null ? new InARow(rows) : spare;
            row.begin(views, batch, leaderEpoch.of(views.leaderEpoch()));
            list.add(row);
            return views.sizeBytes();
        }
    }

    /** Reuses the {@link Optional} of the last leader epoch. Confined to one thread. */
    private static final class LeaderEpoch {

        private Optional<Integer> last = Optional.empty();

        Optional<Integer> of(int epoch) {
            if (last.orElse(-1) != epoch) {
                last = epoch < 0 ? Optional.empty() : Optional.of(epoch);
            }
            return last;
        }
    }

    /** Copies a record. */
    public static ConsumerRecord<byte[], byte[]> copy(RecordView view) {
        return view.toConsumerRecord();
    }

    /** Returns a function that decodes each record. Its exceptions name the record's partition and offset. */
    public static Function<RecordView, ConsumerRecord<byte[], byte[]>> decoding(Function<RecordView, ?> decoder) {
        LeaderEpoch leaderEpoch = new LeaderEpoch();
        return view -> {
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
            return new Decoded(view, result, leaderEpoch.of(view.leaderEpoch()));
        };
    }

    private static RecordDecodeException refused(RecordView view, Throwable cause) {
        return new RecordDecodeException(view.topic(), view.partition(), view.offset(), cause, WAY_OUT);
    }
}
