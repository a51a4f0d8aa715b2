package dev.weir.lean;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;

/**
 * A view of a record in the receive buffer. The same object is reused for all records. Confined to the polling thread;
 * the view and everything it returns are valid only during the callback. To keep a record, copy the parts that you
 * need, or copy the complete record with {@link #toConsumerRecord}.
 */
public interface RecordView {

    String topic();

    int partition();

    /**
     * The partition's index in its consumer, a small dense number that can be used as an array index. See
     * {@link LeanConsumer#index}.
     */
    int index();

    long offset();

    /** The record's timestamp in milliseconds since the Unix epoch; -1 if the producer did not set one. */
    long timestamp();

    /** The source of the timestamp: the producer, or the broker when it appended the record. */
    TimestampType timestampType();

    /** The epoch of the partition leader that appended the record's batch; -1 if unknown. */
    int leaderEpoch();

    /** The decompressed size of the record in its batch: the key, the value, the headers, and their lengths. */
    int sizeBytes();

    Slice key();

    Slice value();

    /** The headers, positioned before the first one. */
    HeadersView headers();

    /** Returns a copy of the record that stays valid after the callback. */
    ConsumerRecord<byte[], byte[]> toConsumerRecord();
}
