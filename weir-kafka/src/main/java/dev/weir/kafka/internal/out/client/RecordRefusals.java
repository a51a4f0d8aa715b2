package dev.weir.kafka.internal.out.client;

import java.util.Set;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Interprets a refusal of a record. Stateless. */
public final class RecordRefusals {

    private RecordRefusals() {}

    /**
     * Returns whether the next record may fare better. A missing topic or right, or a broken producer, are not of one
     * record.
     */
    public static boolean isOfRecord(Exception refusal) {
        return switch (refusal) {
            case RecordTooLargeException tooLarge -> true;
            case SerializationException notSerialisable -> true;
            case InvalidRecordException invalid -> true;
            case InvalidTimestampException invalid -> true;
            case KafkaException ofTheClient -> false;
            case IllegalStateException ofTheClient -> false;
            // Thrown by a serializer.
            default -> true;
        };
    }

    /** Returns whether it concerns all records of the topic and none of other topics. */
    public static boolean isOfTopic(Exception refusal) {
        return refusal instanceof TopicAuthorizationException
                || refusal instanceof UnknownTopicOrPartitionException
                || refusal instanceof InvalidTopicException;
    }

    /**
     * Returns whether it says by name that the topic is refused. In a transaction a client gives one refusal to the
     * records that it has not sent yet, whatever their topics are, unless the next attempt may succeed.
     */
    public static boolean isOfTopic(Exception refusal, String topic) {
        return refusal instanceof UnknownTopicOrPartitionException
                || topicsOf(refusal).contains(topic);
    }

    /** Returns whether it says by name that topics are refused, and this is none of them. */
    public static boolean isOfOtherTopics(Exception refusal, String topic) {
        Set<String> named = topicsOf(refusal);
        return !named.isEmpty() && !named.contains(topic);
    }

    private static Set<String> topicsOf(Exception refusal) {
        return switch (refusal) {
            case TopicAuthorizationException forbidden -> forbidden.unauthorizedTopics();
            case InvalidTopicException invalid -> invalid.invalidTopics();
            default -> Set.of();
        };
    }

    /**
     * Returns the cause of a client's vain wait for room or for a topic: that a broker does not know the topic, or that
     * it has waited.
     */
    public static Exception ofVainWait(TimeoutException waited) {
        return waited.getCause() instanceof UnknownTopicOrPartitionException unknown
                ? new UnknownTopicOrPartitionException(waited.getMessage(), unknown)
                : waited;
    }

    /**
     * Returns whether it says nothing about the record: the client gives this class, and no other, to the neighbours of
     * an invalid record in its batch, and to all that it gives up when it is closed.
     */
    public static boolean isOfNeighbour(Exception refusal) {
        return refusal.getClass() == KafkaException.class;
    }

    /** The weight of a refusal as the reason for a producer's stop: of two the one with more is told. */
    public static int weight(Exception refusal) {
        if (isOfNeighbour(refusal)) {
            return 0;
        }
        return isOfRecord(refusal) ? 1 : 2;
    }
}
