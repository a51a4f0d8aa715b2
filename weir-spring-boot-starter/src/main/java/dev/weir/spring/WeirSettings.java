package dev.weir.spring;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaProperties;
import org.springframework.core.env.Environment;

/**
 * Creates settings of Weir's clients from the application's properties: {@code spring.kafka.*}, with the addresses of
 * the {@link KafkaConnectionDetails}, overridden by {@code weir.consumer.*} and {@code weir.producer.*}. Deserializers
 * and serializers are passed as arguments; any deserializers or serializers in the properties are ignored. Thread-safe.
 *
 * <pre>{@code
 * @Bean
 * Pipeline pricing(WeirSettings settings, Pricing pricing) {
 *     var orders = settings.consumer(new StringDeserializer(), new StringDeserializer()).build();
 *     return KafkaFlow.from(orders, "orders").forEach(64, RecordOrdering.byKey(), pricing::price).pipeline();
 * }
 * }</pre>
 */
public final class WeirSettings {

    private static final String SPRING = "spring.kafka";

    private final KafkaProperties spring;
    private final KafkaConnectionDetails connection;
    private final WeirProperties weir;
    private final Environment environment;

    WeirSettings(
            KafkaProperties spring, KafkaConnectionDetails connection, WeirProperties weir, Environment environment) {
        this.spring = spring;
        this.connection = connection;
        this.weir = weir;
        this.environment = environment;
    }

    /**
     * Returns a builder of consumer settings for keys and values that remain byte arrays; see
     * {@link #consumer(Deserializer, Deserializer)}.
     */
    public ConsumerSettings.Builder<byte[], byte[]> consumer() {
        return consumer(new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /**
     * Returns a builder of consumer settings. The caller may override settings. However, an invalid property is refused
     * even if the caller would override it.
     *
     * @throws IllegalArgumentException if Weir or Kafka's client refuses a value; the message names the property
     */
    public <K, V> ConsumerSettings.Builder<K, V> consumer(Deserializer<K> key, Deserializer<V> value) {
        ClientEntries entries = ofSpring("consumer", spring.buildConsumerProperties(), connection.getConsumer());
        String prefix = "weir.consumer.";
        WeirProperties.Consumer own = weir.consumer();
        entries.put(ConsumerConfig.GROUP_ID_CONFIG, own.groupId(), prefix + "group-id");
        entries.put("weir.preset", own.preset(), prefix + "preset");
        entries.put("weir.commit.interval", own.commitInterval(), prefix + "commit-interval");
        entries.put("weir.commit.records", own.commitRecords(), prefix + "commit-records");
        entries.put("weir.max.outstanding.records", own.maxOutstandingRecords(), prefix + "max-outstanding-records");
        entries.put("weir.buffer.bytes", own.bufferBytes(), prefix + "buffer-bytes");
        entries.put("weir.revoke.deadline", own.revokeDeadline(), prefix + "revoke-deadline");
        entries.put("weir.out.of.range", own.outOfRange(), prefix + "out-of-range");
        entries.put("weir.connect.timeout", own.connectTimeout(), prefix + "connect-timeout");
        entries.put("weir.commit.metadata.chars", own.commitMetadataChars(), prefix + "commit-metadata-chars");
        entries.put("weir.fetch", own.fetch(), prefix + "fetch");
        entries.put("weir.fetch.threads", own.fetchThreads(), prefix + "fetch-threads");
        entries.put("weir.fetch.cpus", own.fetchCpus(), prefix + "fetch-cpus");
        entries.put("weir.on.close", own.onClose(), prefix + "on-close");
        entries.put("weir.max.batch.bytes", own.maxBatchBytes(), prefix + "max-batch-bytes");
        entries.put("weir.unreadable.batches", own.unreadableBatches(), prefix + "unreadable-batches");
        own.properties().forEach((name, text) -> entries.put(name, text, prefix + "properties." + name));
        entries.check(ConsumerConfig.configDef());
        var builder = ConsumerSettings.builder(key, value).from(entries.values(), entries::origin);
        // Refuse invalid values here, where the name of the property is known.
        var ignored = builder.build();
        return builder;
    }

    /**
     * Returns a builder of producer settings for keys and values that are byte arrays; see
     * {@link #producer(Serializer, Serializer)}.
     */
    public ProducerSettings.Builder<byte[], byte[]> producer() {
        return producer(new ByteArraySerializer(), new ByteArraySerializer());
    }

    /**
     * Returns a builder of producer settings. The caller may override settings. However, an invalid property is refused
     * even if the caller would override it.
     *
     * @throws IllegalArgumentException if Weir or Kafka's client refuses a value; the message names the property
     */
    public <K, V> ProducerSettings.Builder<K, V> producer(Serializer<K> key, Serializer<V> value) {
        ClientEntries entries = ofSpring("producer", spring.buildProducerProperties(), connection.getProducer());
        String prefix = "weir.producer.";
        WeirProperties.Producer own = weir.producer();
        entries.put("weir.produce", own.produce(), prefix + "produce");
        own.properties().forEach((name, text) -> entries.put(name, text, prefix + "properties." + name));
        entries.check(ProducerConfig.configDef());
        var builder = ProducerSettings.builder(key, value).from(entries.values(), entries::origin);
        var ignored = builder.build();
        return builder;
    }

    private ClientEntries ofSpring(
            String side, Map<String, Object> properties, KafkaConnectionDetails.Configuration connected) {
        if (connected.getSslBundle() != null) {
            String own = SPRING + "." + side + ".ssl";
            String ssl = environment.containsProperty(own + ".bundle") ? own : SPRING + ".ssl";
            throw new IllegalArgumentException(ssl + ".bundle: Weir's clients read no SSL bundles; name the stores by "
                    + ssl + ".trust-store-location and " + ssl + ".key-store-location");
        }
        ClientEntries entries = new ClientEntries();
        properties.forEach((name, value) -> {
            String origin = property(side, name);
            if (!name.endsWith("serializer") && !isDefaultIsolation(name, value, origin)) {
                entries.put(name, value, origin);
            }
        });
        entries.put(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                connected.getBootstrapServers(),
                property(side, ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG));
        entries.put("security.protocol", connected.getSecurityProtocol(), property(side, "security.protocol"));
        return entries;
    }

    /**
     * Returns whether the value is Spring's default {@code read_uncommitted}, not the user's. It is ignored, because it
     * would override Weir's default for exactly-once flows.
     */
    private static boolean isDefaultIsolation(String name, Object value, String origin) {
        return name.equals(ConsumerConfig.ISOLATION_LEVEL_CONFIG)
                && value.equals("read_uncommitted")
                && origin.equals(SPRING);
    }

    /**
     * Returns the name of the Spring property that sets the client's property {@code name}. If there is none, returns
     * {@code spring.kafka}.
     */
    private String property(String side, String name) {
        String dashed = name.toLowerCase(Locale.ROOT).replace('.', '-');
        return List.of(side + ".properties." + name, side + "." + dashed, "properties." + name, dashed).stream()
                .map(rest -> SPRING + "." + rest)
                .filter(environment::containsProperty)
                .findFirst()
                .orElse(SPRING);
    }
}
