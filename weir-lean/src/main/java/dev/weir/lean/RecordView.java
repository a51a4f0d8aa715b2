package dev.weir.lean;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;

/**
 * A view of a record in the receive buffer: one object that shows each record in turn. Confined to the polling thread;
 * it and everything it returns are valid during the callback. To keep a record, copy the parts that you need, or all of
 * it with {@link #toConsumerRecord}.
 */
public interface RecordView {

    String topic();

    int partition();

    /**
     * The partition's index in its consumer, see {@link LeanConsumer#index}: a dense number, usable as an array index.
     */
    int index();

    long offset();

    /** Milliseconds since 1970; -1 if the producer gave none. */
    long timestamp();

    /** The kind of clock that set the timestamp. */
    TimestampType timestampType();

    /** The epoch of the leader that wrote the record's batch; -1 if unknown. */
    int leaderEpoch();

    /** The size of the record in its batch, decompressed: key, value, headers, and their lengths. */
    int sizeBytes();

    Slice key();

    Slice value();

    /** The headers, positioned before the first one. */
    HeadersView headers();

    /** Copies the record, for use after the callback. */
    ConsumerRecord<byte[], byte[]> toConsumerRecord();
}
