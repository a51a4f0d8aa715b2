package dev.weir.kafka.internal.in.fetch;

import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;

/** Thrown if a topic id shows that a position belongs to a deleted topic. Immutable. */
public final class OtherTopicException extends OffsetOutOfRangeException {

    private static final long serialVersionUID = 1L;

    OtherTopicException(String message, TopicPartition id, long offset) {
        super(message, Map.of(id, offset));
    }
}
