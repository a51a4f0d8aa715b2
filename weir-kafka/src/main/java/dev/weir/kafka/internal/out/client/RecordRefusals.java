package dev.weir.kafka.internal.out.client;

import dev.weir.stream.spi.Thrown;
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
     * Returns whether the failure concerns only this record. A missing topic, a missing permission or a broken producer
     * concerns other records too.
     */
    public static boolean isOfRecord(Exception refusal) {
        return switch (refusal) {
            case RecordTooLargeException tooLarge -> true;
            case SerializationException notSerializable -> true;
            case InvalidRecordException invalid -> true;
            case InvalidTimestampException invalid -> true;
            case KafkaException ofTheClient -> false;
            case IllegalStateException ofTheClient -> false;
            // A serializer threw any other exception.
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
     * Returns whether the exception concerns this topic. The exception must name the topic, unless it is an
     * {@link UnknownTopicOrPartitionException}.
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
     * Returns why a client timed out while it waited for free memory or metadata:
     * {@link UnknownTopicOrPartitionException} if the brokers do not know the topic, otherwise the timeout itself.
     */
    public static Exception ofVainWait(TimeoutException waited) {
        return waited.getCause() instanceof UnknownTopicOrPartitionException unknown
                ? new UnknownTopicOrPartitionException(Thrown.reason(waited), unknown)
                : waited;
    }

    /**
     * Returns whether another record or the close of the client caused the exception. Kafka's client uses a plain
     * {@link KafkaException} in these cases.
     */
    public static boolean isOfNeighbour(Exception refusal) {
        return refusal.getClass() == KafkaException.class;
    }

    /**
     * Returns the priority of an exception. The exception with the highest priority is reported as the reason for a
     * stop.
     */
    public static int weight(Exception refusal) {
        if (isOfNeighbour(refusal)) {
            return 0;
        }
        return isOfRecord(refusal) ? 1 : 2;
    }
}
