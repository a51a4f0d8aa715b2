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

/** Classifies refusals of records. Stateless. */
public final class RecordRefusals {

    private RecordRefusals() {}

    /**
     * Returns whether the next record may succeed. A missing topic, a missing permission or a broken producer affects
     * more than one record.
     */
    public static boolean isOfRecord(Exception refusal) {
        return switch (refusal) {
            case RecordTooLargeException tooLarge -> true;
            case SerializationException notSerializable -> true;
            case InvalidRecordException invalid -> true;
            case InvalidTimestampException invalid -> true;
            case KafkaException ofTheClient -> false;
            case IllegalStateException ofTheClient -> false;
            // Thrown by a serializer.
            default -> true;
        };
    }

    /** Returns whether the refusal affects all records of the topic and none of other topics. */
    public static boolean isOfTopic(Exception refusal) {
        return refusal instanceof TopicAuthorizationException
                || refusal instanceof UnknownTopicOrPartitionException
                || refusal instanceof InvalidTopicException;
    }

    /**
     * Returns whether the refusal names the topic. In a transaction a client fails all unsent records with one refusal,
     * whatever their topics, unless the next attempt may succeed.
     */
    public static boolean isOfTopic(Exception refusal, String topic) {
        return refusal instanceof UnknownTopicOrPartitionException
                || topicsOf(refusal).contains(topic);
    }

    /** Returns whether the refusal names topics, and this is none of them. */
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
     * Returns why a client waited in vain for space or metadata: a broker does not know the topic, or the time ran out.
     */
    public static Exception ofVainWait(TimeoutException waited) {
        return waited.getCause() instanceof UnknownTopicOrPartitionException unknown
                ? new UnknownTopicOrPartitionException(waited.getMessage(), unknown)
                : waited;
    }

    /**
     * Returns whether the refusal says nothing about the record: the client uses exactly this class for the neighbours
     * of an invalid record in its batch, and for all records given up when it is closed.
     */
    public static boolean isOfNeighbour(Exception refusal) {
        return refusal.getClass() == KafkaException.class;
    }

    /** The rank of a refusal as the reason for a producer's stop: the higher of two is reported. */
    public static int weight(Exception refusal) {
        if (isOfNeighbour(refusal)) {
            return 0;
        }
        return isOfRecord(refusal) ? 1 : 2;
    }
}
