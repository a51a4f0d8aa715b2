package dev.weir.kafka.internal.handler;

import dev.weir.kafka.RetryTopics;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;

/**
 * A record consumed from a retry topic, with its original topic, partition, offset and timestamp. Immutable, except for
 * the contents of the byte arrays.
 *
 * <p>Code recognizes a retried record by this type, not by its headers.
 */
final class RetriedRecord extends ConsumerRecord<byte[], byte[]> {

    private final RecordOrigin origin;
    private final int tiers;

    private RetriedRecord(ConsumerRecord<byte[], byte[]> record, RecordOrigin origin, int tiers) {
        super(
                origin.topic(),
                origin.partition(),
                origin.offset(),
                origin.timestamp(),
                TimestampType.CREATE_TIME,
                record.serializedKeySize(),
                record.serializedValueSize(),
                record.key(),
                record.value(),
                record.headers(),
                Optional.empty());
        this.origin = origin;
        this.tiers = tiers;
    }

    /**
     * Restores a record. Returns it unchanged if it has no valid origin headers.
     *
     * @param record a record from one of the flow's retry topics
     * @param tiers number of the flow's retry topics that the record has passed through, including this one
     */
    static ConsumerRecord<byte[], byte[]> of(ConsumerRecord<byte[], byte[]> record, int tiers) {
        String topic = RecordOrigin.text(record, RetryTopics.TOPIC);
        long partition = RecordOrigin.number(record, RetryTopics.PARTITION, -1);
        long offset = RecordOrigin.number(record, RetryTopics.OFFSET, -1);
        if (topic == null || topic.isEmpty() || partition < 0 || partition > Integer.MAX_VALUE || offset < 0) {
            return record;
        }
        RecordOrigin origin = new RecordOrigin(
                topic,
                (int) partition,
                offset,
                RecordOrigin.number(record, RetryTopics.TIMESTAMP, ConsumerRecord.NO_TIMESTAMP),
                Math.clamp(RecordOrigin.number(record, RetryTopics.ATTEMPTS, 0), 0, Integer.MAX_VALUE / 2));
        return new RetriedRecord(record, origin, tiers);
    }

    static int tiersOf(ConsumerRecord<byte[], byte[]> record) {
        return record instanceof RetriedRecord retried ? retried.tiers : 0;
    }

    RecordOrigin origin() {
        return origin;
    }
}
