package dev.weir.kafka.internal.in.lookup;

import dev.weir.kafka.spi.Lookup;
import dev.weir.kafka.spi.Surroundings;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.Serializer;

/** The surroundings of a consumer that uses real brokers: Kafka's clients and the system clock. Thread-safe. */
public final class KafkaSurroundings implements Surroundings {

    public static final KafkaSurroundings INSTANCE = new KafkaSurroundings();

    private KafkaSurroundings() {}

    @Override
    public Consumer<byte[], byte[]> client(Map<String, Object> config) {
        return new KafkaConsumer<>(config);
    }

    @Override
    public <K, V> Producer<K, V> producer(Map<String, Object> config, Serializer<K> keys, Serializer<V> values) {
        return new KafkaProducer<>(config, keys, values);
    }

    @Override
    public Lookup lookup(Map<String, Object> config) {
        return new AdminLookup(config);
    }

    @Override
    public boolean hasBrokers() {
        return true;
    }

    /** Returns {@code loop} itself, so its log messages go to SLF4J. */
    @Override
    public Runnable ownerThread(Runnable loop) {
        return loop;
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    /** Parks even if the thread is interrupted, and keeps the interrupt. */
    @Override
    public void park(long nanos) {
        boolean interrupted = Thread.interrupted();
        LockSupport.parkNanos(this, nanos);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public <T> Stage<T> pulled(Stage<T> stage, Clock clock) {
        return stage;
    }
}
