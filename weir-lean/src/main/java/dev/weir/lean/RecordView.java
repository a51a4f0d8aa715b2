package dev.weir.lean;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;

/**
 * A record where it lies: one object that shows each record in turn. Confined to the polling thread; valid, with
 * everything that it gives out, during the callback. To keep a record, copy the parts that you need, or all with {@link
 * #toConsumerRecord}.
 */
public interface RecordView {

    String topic();

    int partition();

    /**
     * The dense number of the partition in its consumer, as {@link LeanConsumer#index} tells it: an index for
     * arrays.
     */
    int index();

    long offset();

    /** Milliseconds since 1970; -1 if the producer gave none. */
    long timestamp();

    /** The kind of clock that gave the timestamp. */
    TimestampType timestampType();

    /** The epoch of the leader that wrote the record's batch; -1 if unknown. */
    int leaderEpoch();

    /** The bytes of the record in its batch, decompressed: key, value, headers, and their lengths. */
    int sizeBytes();

    Slice key();

    Slice value();

    /** The headers, before the first one. */
    HeadersView headers();

    /** A copy that stays. */
    ConsumerRecord<byte[], byte[]> toConsumerRecord();
}
