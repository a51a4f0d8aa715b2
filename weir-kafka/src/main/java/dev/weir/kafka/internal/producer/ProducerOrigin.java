package dev.weir.kafka.internal.producer;

import dev.weir.kafka.spi.SurroundingsRegistry;
import java.util.Map;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.Serializer;

/** Makes Kafka's producer, or that of a harness if there is one at the address. */
final class ProducerOrigin {

    private ProducerOrigin() {}

    static <K, V> Producer<K, V> open(Map<String, Object> config, Serializer<K> keys, Serializer<V> values) {
        return SurroundingsRegistry.of(config).producer(config, keys, values);
    }
}
