package dev.weir.kafka.spi;

import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.Serializer;

/**
 * The environment of a consumer or producer: Kafka and the system clock, or a substitute registered for an address with
 * {@link SurroundingsRegistry#put}. Each method's comment names the calling thread.
 */
public interface Surroundings {

    /**
     * Creates a consumer client. Called by the thread that starts the pipeline. Only the consumer's owner thread uses
     * the client, except for {@link Consumer#wakeup}.
     *
     * @param config the configuration of Kafka's client
     */
    Consumer<byte[], byte[]> client(Map<String, Object> config);

    /**
     * Creates a producer. Called by the thread that starts the pipeline and by the producing stage, which owns the
     * producer. Throws if this environment provides no producers.
     *
     * @param config the configuration of Kafka's client
     */
    default <K, V> Producer<K, V> producer(Map<String, Object> config, Serializer<K> keys, Serializer<V> values) {
        throw new UnsupportedOperationException("there are no producers here, because there are no brokers");
    }

    /**
     * Creates the object for broker queries. Called once, by the thread that starts the consumer. The consumer closes
     * the object.
     *
     * @param config the configuration of Kafka's client
     */
    Lookup lookup(Map<String, Object> config);

    /** Returns whether the address belongs to real brokers. Called by any thread. */
    default boolean hasBrokers() {
        return false;
    }

    /**
     * Wraps the body of the consumer's owner thread. Called by the thread that starts the consumer. By default,
     * {@code loop} runs {@linkplain SurroundingsRegistry#within within} these surroundings.
     */
    default Runnable ownerThread(Runnable loop) {
        return () -> SurroundingsRegistry.within(this, loop);
    }

    /**
     * Returns the time for the consumer's commits and waits, in nanoseconds from an arbitrary origin. Called by any
     * thread.
     */
    long nanoTime();

    /**
     * Receives a consumer's log line, with its level. Called by the thread that runs
     * {@linkplain SurroundingsRegistry#within within} these surroundings.
     */
    default void logged(String line) {}

    /** Waits for at most {@code nanos}. Called by the consumer's owner thread. */
    void park(long nanos);

    /**
     * Returns the pipeline's source stage: the given stage, or one that wraps it. Called by the thread that starts the
     * pipeline. Only the source's thread uses the returned stage.
     *
     * @param clock the clock for the deadlines of {@link Stage#pull}
     */
    <T> Stage<T> pulled(Stage<T> stage, Clock clock);
}
