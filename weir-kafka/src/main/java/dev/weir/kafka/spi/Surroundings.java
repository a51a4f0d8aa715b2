package dev.weir.kafka.spi;

import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.Serializer;

/**
 * The environment of a consumer or producer: either Kafka and the system clock, or a substitute registered for an
 * address with {@link SurroundingsRegistry#put}. Each method's comment names the thread that calls it.
 */
public interface Surroundings {

    /**
     * Creates a consumer client. Called by the thread that starts the pipeline. Apart from {@link Consumer#wakeup}, the
     * client is used only by the consumer's owner thread.
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
     * Creates the object for the consumer's broker queries. Called once, by the thread that starts the consumer. The
     * consumer closes the result when it ends.
     *
     * @param config the configuration of Kafka's client
     */
    Lookup lookup(Map<String, Object> config);

    /** Returns whether the address belongs to real brokers, which other clients can reach too. Called by any thread. */
    default boolean hasBrokers() {
        return false;
    }

    /**
     * Wraps the body of the consumer's owner thread. The default runs {@code loop}
     * {@linkplain SurroundingsRegistry#within within} these surroundings. Called by the thread that starts the
     * consumer.
     */
    default Runnable ownerThread(Runnable loop) {
        return () -> SurroundingsRegistry.within(this, loop);
    }

    /**
     * Returns the time, in nanoseconds from an arbitrary origin, that the consumer uses for its commits and waits.
     * Called by any thread.
     */
    long nanoTime();

    /**
     * Receives a consumer's log line, including its level. Called by the thread that is running
     * {@linkplain SurroundingsRegistry#within within} these surroundings.
     */
    default void logged(String line) {}

    /** Waits for at most {@code nanos}. Called by the consumer's owner thread. */
    void park(long nanos);

    /**
     * Returns the stage to use as the pipeline's source: the given stage, or a stage that wraps it. Called by the
     * thread that starts the pipeline. Afterwards, only the thread that runs the source uses the returned stage.
     *
     * @param clock the clock to which the deadlines of {@link Stage#pull} refer
     */
    <T> Stage<T> pulled(Stage<T> stage, Clock clock);
}
