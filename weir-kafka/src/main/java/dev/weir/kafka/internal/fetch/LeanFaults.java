package dev.weir.kafka.internal.fetch;

import dev.weir.lean.OffsetLostException;
import dev.weir.lean.PartitionException;
import java.util.Map;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Faults of the lean consumer in the terms of Kafka's client. Functions only. */
final class LeanFaults {

    private LeanFaults() {}

    /** The exception that Kafka's client would throw, as far as it has one. */
    static KafkaException asOfClient(TopicPartition id, PartitionException fault) {
        if (fault instanceof OffsetLostException lost) {
            String message = String.valueOf(fault.getMessage());
            if (lost.isOtherTopic()) {
                return new OtherTopicException(message, id, fault.offset());
            }
            Map<TopicPartition, Long> where = Map.of(id, fault.offset());
            return lost.divergentOffset() < 0
                    ? new OffsetOutOfRangeException(message, where)
                    : new LogTruncationException(
                            message, where, Map.of(id, new OffsetAndMetadata(lost.divergentOffset())));
        }
        boolean ofABatch = fault.getClass() != PartitionException.class;
        String wayOut = ofABatch ? "; to go on behind it, commit a later offset for the group" : "";
        return new KafkaException(fault.getMessage() + wayOut, fault);
    }
}
