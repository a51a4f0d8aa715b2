package dev.weir.kafka.internal.out.client;

import dev.weir.kafka.ProducePath;
import dev.weir.kafka.spi.Surroundings;
import dev.weir.kafka.spi.SurroundingsRegistry;
import java.util.Map;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.Serializer;

/**
 * Creates producers: Kafka's producer, a lean producer, or a test harness's producer if a harness is registered at the
 * bootstrap address.
 */
public final class ProducerOrigin {

    private ProducerOrigin() {}

    /**
     * Opens a producer. The caller closes it, which also closes the serializers. A test harness ignores the
     * {@code path}.
     */
    public static <K, V> Producer<K, V> open(
            ProducePath path, Map<String, Object> config, Serializer<K> keys, Serializer<V> values) {
        return open(path, config, keys, values, true);
    }

    /** Opens a producer that does not close its serializers. */
    public static <K, V> Producer<K, V> openSharing(
            ProducePath path, Map<String, Object> config, Serializer<K> keys, Serializer<V> values) {
        return open(path, config, keys, values, false);
    }

    private static <K, V> Producer<K, V> open(
            ProducePath path, Map<String, Object> config, Serializer<K> keys, Serializer<V> values, boolean closes) {
        Surroundings here = SurroundingsRegistry.of(config);
        ClientThread thread = new ClientThread();
        Serializer<K> ofKeys = new ClientSerializer<>(keys, closes, thread);
        Serializer<V> ofValues = new ClientSerializer<>(values, closes, thread);
        Producer<K, V> opened = path == ProducePath.LEAN && here.hasBrokers()
                ? new LeanClient<>(LeanProducerConfig.of(config), ofKeys, ofValues)
                : here.producer(config, ofKeys, ofValues);
        thread.isOf(opened);
        return opened;
    }
}
