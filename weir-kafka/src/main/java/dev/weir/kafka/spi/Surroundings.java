package dev.weir.kafka.spi;

import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription.Selection;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.Serializer;

/**
 * All that a consumer meets outside of its pipeline, if it is not Kafka and the system's time: see {@link
 * SurroundingsRegistry#put}. Each method names its caller.
 */
public interface Surroundings {

    /**
     * A client. Called by the thread that starts the pipeline; the result is used by the consumer's own thread alone,
     * but for {@link Consumer#wakeup}.
     *
     * @param config the configuration of Kafka's client
     */
    Consumer<byte[], byte[]> client(Map<String, Object> config);

    /**
     * A producer. Called by the thread that starts the pipeline, and by the stage that produces; the result belongs to
     * that stage. Where none is to be had, this is an exception.
     *
     * @param config the configuration of Kafka's client
     */
    default <K, V> Producer<K, V> producer(Map<String, Object> config, Serializer<K> keys, Serializer<V> values) {
        throw new UnsupportedOperationException("nobody produces here, where there are no brokers");
    }

    /** The names of all topics. Any thread. */
    CompletionStage<Set<String>> topics();

    /** The partitions that a selection has now. Any thread. */
    CompletionStage<Set<TopicPartition>> partitions(Selection selection);

    /**
     * The offset behind each position now, an answer for each partition. One that fails with a {@link
     * org.apache.kafka.common.errors.RetriableException} is asked for again. Any thread.
     */
    Map<TopicPartition, CompletionStage<Long>> offsets(Map<TopicPartition, Position> positions);

    /** The committed offsets of a group. Any thread. */
    CompletionStage<Map<TopicPartition, OffsetAndMetadata>> commits(String group);

    /** The id of a topic now; {@link Uuid#ZERO_UUID}, as here, where topics have none. Any thread. */
    default CompletionStage<Uuid> topicId(String topic) {
        return CompletableFuture.completedStage(Uuid.ZERO_UUID);
    }

    /** The time by which the consumer commits and waits, in nanoseconds from an arbitrary origin. Any thread. */
    long nanoTime();

    /**
     * Takes a line that a consumer would have logged, with its level before it. Called by the thread that is
     * {@linkplain SurroundingsRegistry#within within}.
     */
    default void logged(String line) {}

    /** Waits for that time to pass, or less. The consumer's own thread. */
    void park(long nanos);

    /**
     * The stage from which the pipeline pulls its records in place of {@code stage}. Called by the thread that starts
     * the pipeline; what it returns belongs to the segment.
     *
     * @param clock the one that deadlines of a pull go by
     */
    <T> Stage<T> pulled(Stage<T> stage, Clock clock);
}
