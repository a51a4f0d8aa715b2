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

/** Classifies the exceptions that clients report for rejected records. Stateless. */
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
            // Any other exception was thrown by a serializer, and therefore concerns only this record.
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
     * Returns whether the exception concerns this topic. A client in a transaction fails all unsent records with the
     * same exception, even records for other topics, so the exception must name this topic. An
     * {@link UnknownTopicOrPartitionException} need not name it: it is retriable, so it is reported only for records of
     * the missing topic.
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
     * Returns the reason why a client timed out while it waited for free memory or metadata. This is an
     * {@link UnknownTopicOrPartitionException} if the brokers do not know the topic, and the timeout itself otherwise.
     */
    public static Exception ofVainWait(TimeoutException waited) {
        return waited.getCause() instanceof UnknownTopicOrPartitionException unknown
                ? new UnknownTopicOrPartitionException(waited.getMessage(), unknown)
                : waited;
    }

    /**
     * Returns whether the exception says nothing about the record itself. Kafka's client uses {@link KafkaException},
     * and not one of its subclasses, for the other records in the batch of an invalid record, and for all records that
     * it fails when it is closed.
     */
    public static boolean isOfNeighbour(Exception refusal) {
        return refusal.getClass() == KafkaException.class;
    }

    /**
     * The priority of an exception among the exceptions reported when a producer stops. The exception with the highest
     * priority is reported as the reason.
     */
    public static int weight(Exception refusal) {
        if (isOfNeighbour(refusal)) {
            return 0;
        }
        return isOfRecord(refusal) ? 1 : 2;
    }
}
