package dev.weir.kafka.internal.in.fetch;

import dev.weir.lean.BatchTooLargeException;
import dev.weir.lean.CorruptBatchException;
import dev.weir.lean.LeanConsumer;
import dev.weir.lean.OffsetLostException;
import dev.weir.lean.PartitionException;
import dev.weir.lean.UnsupportedBatchException;
import dev.weir.stream.spi.Thrown;
import java.util.Map;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Translates faults of the lean consumer into exceptions of Kafka's client. Stateless. */
final class LeanFaults {

    private LeanFaults() {}

    /**
     * Returns {@link UnreadableBatch.Found} if a batch is at fault, otherwise the exception that Kafka's client would
     * throw. Returns a plain {@link KafkaException} if the client has none for this fault.
     *
     * @param index the partition's index in {@code lean}
     */
    static KafkaException asOfClient(TopicPartition id, PartitionException fault, LeanConsumer lean, int index) {
        if (fault instanceof OffsetLostException lost) {
            String message = Thrown.reason(fault);
            if (lost.isOtherTopic()) {
                return new OtherTopicException(message, id, fault.offset());
            }
            Map<TopicPartition, Long> where = Map.of(id, fault.offset());
            return lost.divergentOffset() < 0
                    ? new OffsetOutOfRangeException(message, where)
                    : new LogTruncationException(
                            message, where, Map.of(id, new OffsetAndMetadata(lost.divergentOffset())));
        }
        return isOfABatch(fault)
                ? new UnreadableBatch.Found(
                        UnreadableBatch.of(id, lean.offsetBehindFault(index), lean.bytesAtFault(index), fault))
                : new KafkaException(Thrown.reason(fault), fault);
    }

    /** Returns whether a single batch is at fault. The batches after it may be readable. */
    static boolean isOfABatch(PartitionException fault) {
        return fault instanceof CorruptBatchException
                || fault instanceof BatchTooLargeException
                || fault instanceof UnsupportedBatchException;
    }
}
