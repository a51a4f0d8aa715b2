package dev.weir.kafka.internal.in.fetch;

import dev.weir.stream.spi.Batch;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * A fetched element of a partition, until the pipeline receives it: a record, a decoded record, several consecutive
 * records, or an unreadable batch.
 */
public interface Fetched {

    /** Returns the offset of the first record. */
    long offset();

    /** Returns the offset after the last record. */
    long nextOffset();

    /** Returns the leader epoch of the records, or {@link LogPosition#NO_EPOCH}. */
    int leaderEpoch();

    /** Returns the timestamp in milliseconds since the Unix epoch. */
    long timestamp();

    /** Returns the size in bytes for the memory budget, without the headers. */
    int sizeBytes();

    /** Returns the headers that the element keeps in memory. The array must not be modified. */
    Header[] headers();

    /** Returns the object that the pipeline receives. Call once. This element must not be used afterwards. */
    Object unwrap();

    /** Replaces the elements of a batch with the objects that the pipeline receives, and returns the batch. */
    static <T> Batch<T> unwrap(Batch<Fetched> batch) {
        for (int i = 0; i < batch.size(); i++) {
            batch.set(i, batch.get(i).unwrap());
        }
        return batch.retyped();
    }

    /** A record, which the pipeline receives as it is. */
    record OfRecord(ConsumerRecord<byte[], byte[]> record, long nextOffset) implements Fetched {

        public OfRecord(ConsumerRecord<byte[], byte[]> record) {
            this(record, record.offset() + 1);
        }

        @Override
        public long offset() {
            return record.offset();
        }

        @Override
        public int leaderEpoch() {
            return record.leaderEpoch().orElse(LogPosition.NO_EPOCH);
        }

        @Override
        public long timestamp() {
            return record.timestamp();
        }

        @Override
        public int sizeBytes() {
            return Math.max(0, record.serializedKeySize()) + Math.max(0, record.serializedValueSize());
        }

        @Override
        public Header[] headers() {
            return record.headers().toArray();
        }

        @Override
        public Object unwrap() {
            return record;
        }
    }
}
