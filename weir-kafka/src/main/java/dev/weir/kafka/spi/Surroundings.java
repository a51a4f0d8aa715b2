package dev.weir.kafka.spi;

import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.Serializer;

/**
 * All that a consumer or a producer meets outside of its pipeline: Kafka and the system's time or, at an address that
 * {@link SurroundingsRegistry#put} was told of, something else. Each method says which thread calls it.
 */
public interface Surroundings {

    /**
     * A client. Called by whoever starts the pipeline; what it returns is used by the consumer's own thread alone, but
     * for {@link Consumer#wakeup}.
     *
     * @param config what Kafka's client would be made with
     */
    Consumer<byte[], byte[]> client(Map<String, Object> config);

    /**
     * A producer. Called by whoever starts the pipeline, and by the stage that produces; what it returns belongs to
     * that stage. Where none is to be had, this is an exception.
     *
     * @param config what Kafka's client would be made with
     */
    default <K, V> Producer<K, V> producer(Map<String, Object> config, Serializer<K> keys, Serializer<V> values) {
        throw new UnsupportedOperationException("nobody produces here, where there are no brokers");
    }

    /**
     * Answers a consumer's questions about topics and groups. Called once by the thread that starts the consumer, which
     * closes what it is given with the consumer.
     *
     * @param config what Kafka's client would be made with
     */
    Lookup lookup(Map<String, Object> config);

    /** Returns whether there are brokers at the address, which other clients reach as well. Any thread. */
    default boolean hasBrokers() {
        return false;
    }

    /**
     * The body of the consumer's own thread: {@code loop}, here {@linkplain SurroundingsRegistry#within within} these
     * surroundings. Called by the thread that starts the consumer.
     */
    default Runnable ownerThread(Runnable loop) {
        return () -> SurroundingsRegistry.within(this, loop);
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
     * The stage from which the pipeline pulls its records in place of {@code stage}. Called by whoever starts the
     * pipeline; what it returns belongs to the segment.
     *
     * @param clock the one that deadlines of a pull go by
     */
    <T> Stage<T> pulled(Stage<T> stage, Clock clock);
}
