package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.spi.Lookup;
import dev.weir.kafka.spi.Surroundings;
import dev.weir.kafka.spi.SurroundingsRegistry;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.Serializer;

/** Surroundings whose producers write each record at once. Confined to the test's thread. */
final class MockSurroundings implements Surroundings, AutoCloseable {

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    final String address;
    final List<Map<String, Object>> configs = new ArrayList<>();
    final List<MockProducer<?, ?>> producers = new ArrayList<>();

    MockSurroundings() {
        this("mock-" + NUMBERS.incrementAndGet() + ":1");
    }

    MockSurroundings(String address) {
        this.address = address;
        SurroundingsRegistry.put(address, this);
    }

    @Override
    public <K, V> Producer<K, V> producer(Map<String, Object> config, Serializer<K> keys, Serializer<V> values) {
        MockProducer<K, V> producer = new MockProducer<>(true, null, keys, values);
        configs.add(Map.copyOf(config));
        producers.add(producer);
        return producer;
    }

    @Override
    public Consumer<byte[], byte[]> client(Map<String, Object> config) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Lookup lookup(Map<String, Object> config) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public void park(long nanos) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> Stage<T> pulled(Stage<T> stage, Clock clock) {
        return stage;
    }

    @Override
    public void close() {
        SurroundingsRegistry.remove(address);
    }
}
