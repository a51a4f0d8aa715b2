package dev.weir.kafka.spi;

import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.Serializer;

/**
 * The environment of a consumer or a producer: Kafka and the system clock, or a substitute registered for an address
 * with {@link SurroundingsRegistry#put}. Each method names its calling thread.
 */
public interface Surroundings {

    /**
     * Makes a client. Called by the thread that starts the pipeline; only the consumer's own thread uses the client,
     * except for {@link Consumer#wakeup}.
     *
     * @param config the configuration for Kafka's client
     */
    Consumer<byte[], byte[]> client(Map<String, Object> config);

    /**
     * Makes a producer. Called by the thread that starts the pipeline and by the producing stage, which owns the
     * result. Throws if there is no producer.
     *
     * @param config the configuration for Kafka's client
     */
    default <K, V> Producer<K, V> producer(Map<String, Object> config, Serializer<K> keys, Serializer<V> values) {
        throw new UnsupportedOperationException("nobody produces here, where there are no brokers");
    }

    /**
     * Makes the consumer's broker queries. Called once by the thread that starts the consumer; the consumer closes the
     * result when it ends.
     *
     * @param config the configuration for Kafka's client
     */
    Lookup lookup(Map<String, Object> config);

    /** Returns whether the address has real brokers, which other clients can reach too. Any thread. */
    default boolean hasBrokers() {
        return false;
    }

    /**
     * Wraps the body of the consumer's own thread: {@code loop}, run {@linkplain SurroundingsRegistry#within within}
     * these surroundings. Called by the thread that starts the consumer.
     */
    default Runnable ownerThread(Runnable loop) {
        return () -> SurroundingsRegistry.within(this, loop);
    }

    /** The clock for the consumer's commits and waits, in nanoseconds from an arbitrary origin. Any thread. */
    long nanoTime();

    /**
     * Takes a log line of a consumer, with its level. Called by the thread that is
     * {@linkplain SurroundingsRegistry#within within}.
     */
    default void logged(String line) {}

    /** Waits for that time or less. Called by the consumer's own thread. */
    void park(long nanos);

    /**
     * Returns the stage that replaces {@code stage} as the pipeline's source. Called by the thread that starts the
     * pipeline; the segment owns the result.
     *
     * @param clock the clock for the deadlines of pulls
     */
    <T> Stage<T> pulled(Stage<T> stage, Clock clock);
}
