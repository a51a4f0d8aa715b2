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

/** Classifies the exceptions with which records are rejected. Stateless. */
public final class RecordRefusals {

    private RecordRefusals() {}

    /**
     * Returns whether the failure concerns only this record, so that the next one may succeed. A missing topic, a
     * missing permission or a broken producer affects more than one record.
     */
    public static boolean isOfRecord(Exception refusal) {
        return switch (refusal) {
            case RecordTooLargeException tooLarge -> true;
            case SerializationException notSerializable -> true;
            case InvalidRecordException invalid -> true;
            case InvalidTimestampException invalid -> true;
            case KafkaException ofTheClient -> false;
            case IllegalStateException ofTheClient -> false;
            // Any other exception was thrown by a serializer.
            default -> true;
        };
    }

    /** Returns whether the failure affects all records of the topic, but no other topics. */
    public static boolean isOfTopic(Exception refusal) {
        return refusal instanceof TopicAuthorizationException
                || refusal instanceof UnknownTopicOrPartitionException
                || refusal instanceof InvalidTopicException;
    }

    /**
     * Returns whether the exception concerns this topic. Topics that the exception names are compared with this topic,
     * because a client in a transaction fails all unsent records with the same exception, whatever their topics, unless
     * a retry may succeed.
     */
    public static boolean isOfTopic(Exception refusal, String topic) {
        return refusal instanceof UnknownTopicOrPartitionException
                || topicsOf(refusal).contains(topic);
    }

    /** Returns whether the exception names topics, but not this one. */
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
     * Returns the reason why a client waited in vain for free memory or metadata: either the brokers do not know the
     * topic, or the timeout expired.
     */
    public static Exception ofVainWait(TimeoutException waited) {
        return waited.getCause() instanceof UnknownTopicOrPartitionException unknown
                ? new UnknownTopicOrPartitionException(waited.getMessage(), unknown)
                : waited;
    }

    /**
     * Returns whether the exception says nothing about the record itself. Kafka's client uses exactly this class for
     * the other records in the batch of an invalid record, and for all records that are given up when the client is
     * closed.
     */
    public static boolean isOfNeighbour(Exception refusal) {
        return refusal.getClass() == KafkaException.class;
    }

    /**
     * The priority of an exception as the reason for a producer's stop. The exception with the highest priority is
     * reported.
     */
    public static int weight(Exception refusal) {
        if (isOfNeighbour(refusal)) {
            return 0;
        }
        return isOfRecord(refusal) ? 1 : 2;
    }
}
