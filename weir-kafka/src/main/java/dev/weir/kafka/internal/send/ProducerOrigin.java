package dev.weir.kafka.internal.send;

import dev.weir.kafka.produce.ProducePath;
import dev.weir.kafka.spi.Surroundings;
import dev.weir.kafka.spi.SurroundingsRegistry;
import java.util.Map;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.Serializer;

/** Makes Kafka's producer, a lean one in its place, or that of a harness if there is one at the address. */
public final class ProducerOrigin {

    private ProducerOrigin() {}

    /** Opens a producer, which the caller closes. A harness has one kind only. */
    public static <K, V> Producer<K, V> open(
            ProducePath path, Map<String, Object> config, Serializer<K> keys, Serializer<V> values) {
        Surroundings here = SurroundingsRegistry.of(config);
        return path == ProducePath.LEAN && here.hasBrokers()
                ? new LeanClient<>(LeanProducerConfig.of(config), keys, values)
                : here.producer(config, keys, values);
    }
}
