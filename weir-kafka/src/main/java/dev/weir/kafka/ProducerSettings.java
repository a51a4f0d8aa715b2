package dev.weir.kafka;

import dev.weir.kafka.internal.out.client.LeanProducerConfig;
import dev.weir.kafka.internal.settings.SettingsText;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/** The settings of a producer. Immutable; created with {@link #builder}. */
public final class ProducerSettings<K, V> {

    private static final int MEGABYTE = 1024 * 1024;

    private final Values<K, V> values;

    private ProducerSettings(
            Map<String, String> properties,
            Serializer<K> keySerializer,
            Serializer<V> valueSerializer,
            ProducePath produce) {
        this.values = new Values<>(properties, keySerializer, valueSerializer, produce);
        if (produce == ProducePath.LEAN) {
            var ignored = LeanProducerConfig.of(clientConfig());
        }
    }

    /** The properties passed unchanged to the Kafka client. */
    public Map<String, String> properties() {
        return values.properties;
    }

    /** The key serializer, called on the pipeline's thread. */
    public Serializer<K> keySerializer() {
        return values.keySerializer;
    }

    /** The value serializer, called on the pipeline's thread. */
    public Serializer<V> valueSerializer() {
        return values.valueSerializer;
    }

    /** The produce path; the default is {@link ProducePath#CLIENT}. */
    public ProducePath produce() {
        return values.produce;
    }

    /** Formats the settings for display. Passwords, and properties that the Kafka client does not know, are masked. */
    @Override
    public String toString() {
        return "ProducerSettings[properties="
                + SettingsText.withoutSecrets(values.properties, ProducerConfig.configDef()) + ", produce="
                + values.produce + "]";
    }

    /** Returns a builder that starts with these settings. */
    public Builder<K, V> toBuilder() {
        Builder<K, V> builder =
                builder(values.keySerializer, values.valueSerializer).produce(values.produce);
        values.properties.forEach(builder::property);
        return builder;
    }

    /** Returns a builder for records whose key and value are byte arrays. */
    public static Builder<byte[], byte[]> builder() {
        return builder(new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Returns a builder for records with typed keys and values. */
    public static <K, V> Builder<K, V> builder(Serializer<K> key, Serializer<V> value) {
        return new Builder<>(key, value);
    }

    /** Returns producer settings with the consumer properties that producers define too, except interceptors. */
    static ProducerSettings<byte[], byte[]> ofConsumer(Map<String, String> properties) {
        var builder = builder();
        properties.forEach((name, value) -> {
            if (ProducerConfig.configNames().contains(name)
                    && !name.equals(ProducerConfig.INTERCEPTOR_CLASSES_CONFIG)) {
                builder.property(name, value);
            }
        });
        return builder.build();
    }

    /**
     * Returns the client's configuration: Weir's defaults, overridden by the given properties. By default, a record is
     * retried without a time limit, in order and without duplicates (idempotence). The memory for unsent records is an
     * eighth of the heap, but at least 4 and at most 32 MB. Upstream stages wait while this memory is used up.
     */
    public Map<String, Object> clientConfig() {
        Map<String, Object> config = new HashMap<>();
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Integer.MAX_VALUE);
        config.put(
                ProducerConfig.BUFFER_MEMORY_CONFIG,
                Math.clamp(Runtime.getRuntime().maxMemory() / 8, 4L * MEGABYTE, 32L * MEGABYTE));
        config.put(ProducerConfig.BATCH_SIZE_CONFIG, 128 * 1024);
        config.putAll(values.properties);
        return config;
    }

    /** A builder of producer settings. Not thread-safe. Can be used again after {@link #build}. */
    public static final class Builder<K, V> {

        private final Map<String, String> properties = new HashMap<>();
        private final Serializer<K> keySerializer;
        private final Serializer<V> valueSerializer;
        private ProducePath produce = ProducePath.CLIENT;

        /** The file or variable of each property, for error messages. */
        private final Map<String, String> origins = new HashMap<>();

        private Builder(Serializer<K> key, Serializer<V> value) {
            this.keySerializer = Objects.requireNonNull(key, "key serializer");
            this.valueSerializer = Objects.requireNonNull(value, "value serializer");
        }

        /** Sets the addresses of some brokers: {@code host:port}, separated by commas. Required. */
        public Builder<K, V> bootstrapServers(String hostsAndPorts) {
            return property(
                    ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, Objects.requireNonNull(hostsAndPorts, "hostsAndPorts"));
        }

        /** Sets a property of the Kafka client, including security properties. Later values override earlier ones. */
        public Builder<K, V> property(String name, String value) {
            properties.put(
                    Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, () -> "value of " + name));
            return this;
        }

        /**
         * Sets the produce path; the default is {@link ProducePath#CLIENT}. {@link ProducePath#LEAN} uses the same
         * properties, and {@link #build} rejects properties that the lean path does not know. The lean path cannot be
         * combined with transactions.
         */
        public Builder<K, V> produce(ProducePath path) {
            produce = Objects.requireNonNull(path, "path");
            return this;
        }

        /** Sets all of the given properties. */
        public Builder<K, V> properties(Properties all) {
            all.stringPropertyNames().forEach(name -> property(name, all.getProperty(name)));
            return this;
        }

        /**
         * Applies a properties file in UTF-8. A later setting overrides an earlier one. A consumer may use the same
         * file: the producer ignores the consumer's {@code weir.} keys, and reads only {@code weir.produce}.
         *
         * @throws IllegalArgumentException if the file cannot be read, a client property is misspelled, or a
         *     {@code weir.} key is unknown; the message gives the line number
         */
        public Builder<K, V> from(Path file) {
            SettingsReader.apply(SettingsText.read(Objects.requireNonNull(file, "file")), this, origins);
            return this;
        }

        /**
         * Applies environment variables. With the prefix {@code ORDERS_}, the variable {@code ORDERS_BATCH_SIZE} sets
         * {@code batch.size}. Variables without the prefix are ignored.
         */
        public Builder<K, V> fromEnvironment(String prefix) {
            return fromEnvironment(System.getenv(), prefix);
        }

        /**
         * Applies settings that the application's framework has read. The keys are the same as in a settings file.
         *
         * @param origin returns the location of the setting with the given key, such as a file and line, for error
         *     messages
         * @throws NullPointerException if a setting has no value; the message is the location of the setting
         */
        public Builder<K, V> from(Map<String, String> settings, UnaryOperator<String> origin) {
            SettingsReader.apply(SettingsText.read(settings, origin), this, origins);
            return this;
        }

        Builder<K, V> fromEnvironment(Map<String, String> environment, String prefix) {
            SettingsReader.apply(SettingsText.read(environment, prefix), this, origins);
            return this;
        }

        public ProducerSettings<K, V> build() {
            try {
                return new ProducerSettings<>(properties, keySerializer, valueSerializer, produce);
            } catch (IllegalArgumentException refusal) {
                throw SettingsReader.located(refusal, origins);
            }
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ProducerSettings<?, ?> that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    private record Values<K, V>(
            Map<String, String> properties,
            Serializer<K> keySerializer,
            Serializer<V> valueSerializer,
            ProducePath produce) {

        Values {
            properties = Map.copyOf(Objects.requireNonNull(properties, "properties"));
            Objects.requireNonNull(keySerializer, "keySerializer");
            Objects.requireNonNull(valueSerializer, "valueSerializer");
            if (properties
                    .getOrDefault(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "")
                    .isBlank()) {
                throw new IllegalArgumentException("bootstrap.servers is not set; it is required");
            }
            String acks = properties.getOrDefault(ProducerConfig.ACKS_CONFIG, "all");
            if (!acks.equals("all") && !acks.equals("-1")) {
                throw new IllegalArgumentException("acks=" + acks
                        + " would acknowledge records that a broker can still lose; leave it out, Weir waits for all");
            }
            if (properties.containsKey(ProducerConfig.TRANSACTIONAL_ID_CONFIG)) {
                throw new IllegalArgumentException("transactional.id="
                        + properties.get(ProducerConfig.TRANSACTIONAL_ID_CONFIG)
                        + " needs transactions to be begun and ended, which this sink does not; leave it out");
            }
            if ("false".equalsIgnoreCase(properties.get(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG))
                    && !"1".equals(properties.get(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION))) {
                throw new IllegalArgumentException("enable.idempotence=false lets retries change the order of records;"
                        + " leave it out, or set max.in.flight.requests.per.connection=1");
            }
        }
    }
}
