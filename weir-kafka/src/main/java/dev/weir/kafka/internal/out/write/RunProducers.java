package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.kafka.internal.out.client.ProducerOrigin;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.Serializer;

/**
 * Creates the producers of one run, which use the same serializers. Thread-safe if the serializers are. Must be closed
 * when the run ends.
 */
public final class RunProducers<K, V> implements Supplier<Producer<K, V>>, AutoCloseable {

    private final ProducePath path;
    private final Map<String, Object> config;
    private final Serializer<K> keys;
    private final Serializer<V> values;

    public RunProducers(ProducerSettings<K, V> settings) {
        this.path = settings.produce();
        this.config = settings.clientConfig();
        this.keys = settings.keySerializer();
        this.values = settings.valueSerializer();
    }

    @Override
    public Producer<K, V> get() {
        return ProducerOrigin.openSharing(path, config, keys, values);
    }

    /** Creates a transactional producer. The caller must initialize its transactions. */
    public Producer<K, V> transactional(String id, int timeoutMillis) {
        Map<String, Object> own = new HashMap<>(config);
        own.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id);
        own.putIfAbsent(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, timeoutMillis);
        own.put(ProducerConfig.CLIENT_ID_CONFIG, id);
        return ProducerOrigin.openSharing(ProducePath.CLIENT, own, keys, values);
    }

    /**
     * Creates the check for the first records of partitions. Without a custom partitioner, it can predict the partition
     * of a key. With a lean producer, no record has to wait.
     */
    private FirstRecords<K> firstRecords() {
        boolean byKey = config.get(ProducerConfig.PARTITIONER_CLASS_CONFIG) == null
                && !"true".equalsIgnoreCase(String.valueOf(config.get(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG)));
        return new FirstRecords<>(byKey ? keys : null, path == ProducePath.LEAN);
    }

    OrderedWriter.Clients<K, V> clients() {
        return new OrderedWriter.Clients<>(
                this, firstRecords(), new SendWindow(config), ClientProgress.of(config), false);
    }

    /** Returns the clients of a run that uses an existing producer together with other writers. */
    OrderedWriter.Clients<K, V> sharing(Producer<K, V> client) {
        return new OrderedWriter.Clients<>(
                () -> client, firstRecords(), new SendWindow(config), ClientProgress.of(config), true);
    }

    @Override
    public void close() {
        try {
            keys.close();
        } finally {
            values.close();
        }
    }
}
