package dev.weir.kafka.internal.out.client;

import dev.weir.lean.LeanProducerSettings;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/**
 * Converts the Kafka client's properties into the settings of a lean producer, and refuses properties that would have
 * no effect. Stateless.
 */
public final class LeanProducerConfig {

    private static final ConfigDef OF_CLIENT = ProducerConfig.configDef();

    private static final int MIN_BATCH_BYTES = 1024;
    private static final long MEGABYTE = 1024 * 1024;
    private static final long MINUTE = 60_000;

    /** The maximum time of a blocking send. The caller repeats a send that times out. */
    private static final long MAX_BLOCK_MILLIS = Duration.ofDays(1).toMillis();

    /** Properties that a lean producer or its pipeline uses, and properties refused with a message of their own. */
    private static final Set<String> KNOWN = Set.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            ProducerConfig.CLIENT_ID_CONFIG,
            ProducerConfig.BATCH_SIZE_CONFIG,
            ProducerConfig.LINGER_MS_CONFIG,
            ProducerConfig.BUFFER_MEMORY_CONFIG,
            ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
            ProducerConfig.COMPRESSION_TYPE_CONFIG,
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
            ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
            ProducerConfig.MAX_BLOCK_MS_CONFIG,
            ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
            ProducerConfig.METADATA_MAX_AGE_CONFIG,
            CommonClientConfigs.SECURITY_PROTOCOL_CONFIG,
            ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
            ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
            ProducerConfig.ACKS_CONFIG,
            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
            ProducerConfig.TRANSACTIONAL_ID_CONFIG,
            ProducerConfig.PARTITIONER_CLASS_CONFIG,
            ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG,
            ProducerConfig.INTERCEPTOR_CLASSES_CONFIG);

    private LeanProducerConfig() {}

    /**
     * Returns the settings for a client's configuration.
     *
     * @throws IllegalArgumentException if a lean producer does not support a property's value; the message starts with
     *     the property's name
     */
    public static LeanProducerSettings of(Map<String, ?> config) {
        LeanProducerSettings.Builder settings = LeanProducerSettings.builder();
        // Sorted, to report the same property first each time.
        new TreeMap<>(config).forEach((name, value) -> {
            String text = String.valueOf(value).trim();
            checkIsRead(name, text);
            settings.property(name, text);
        });
        checkRanges(config);
        int requestBytes = Math.toIntExact(number(config, ProducerConfig.MAX_REQUEST_SIZE_CONFIG));
        long batchBytes = number(config, ProducerConfig.BATCH_SIZE_CONFIG);
        long blockMillis = number(config, ProducerConfig.MAX_BLOCK_MS_CONFIG);
        return settings.batchBytes(Math.clamp(batchBytes, MIN_BATCH_BYTES, Math.max(MIN_BATCH_BYTES, requestBytes)))
                .maxBlock(Duration.ofMillis(Math.min(blockMillis, MAX_BLOCK_MILLIS)))
                .build();
    }

    /** Checks the same ranges as {@link LeanProducerSettings}, but names the client's properties in messages. */
    private static void checkRanges(Map<String, ?> config) {
        checkRange(config, ProducerConfig.LINGER_MS_CONFIG, 0, MINUTE);
        checkRange(config, ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 1_000, 60 * MINUTE);
        checkRange(config, ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 10, 5 * MINUTE);
        checkRange(config, ProducerConfig.METADATA_MAX_AGE_CONFIG, 100, 24 * 60 * MINUTE);
        checkRange(config, ProducerConfig.BATCH_SIZE_CONFIG, 0, 64 * MEGABYTE);
        checkRange(config, ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MIN_BATCH_BYTES, 512 * MEGABYTE);
        checkRange(config, ProducerConfig.BUFFER_MEMORY_CONFIG, MIN_BATCH_BYTES, MEGABYTE * MEGABYTE);
        checkRange(
                config,
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                number(config, ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG)
                        + number(config, ProducerConfig.LINGER_MS_CONFIG),
                Integer.MAX_VALUE);
        long requestBytes = number(config, ProducerConfig.MAX_REQUEST_SIZE_CONFIG);
        long bufferBytes = number(config, ProducerConfig.BUFFER_MEMORY_CONFIG);
        if (bufferBytes < requestBytes) {
            String request = ProducerConfig.MAX_REQUEST_SIZE_CONFIG + "=" + requestBytes;
            String buffer = ProducerConfig.BUFFER_MEMORY_CONFIG + "=" + bufferBytes;
            throw new IllegalArgumentException(
                    config.containsKey(ProducerConfig.MAX_REQUEST_SIZE_CONFIG)
                            ? request + " is more than " + buffer + ", where such a record would never fit;"
                                    + " lower the first or raise the second"
                            : buffer + " is less than " + request + ", and a record of that size would never fit; raise"
                                    + " the first or lower the second");
        }
    }

    private static void checkRange(Map<String, ?> config, String name, long min, long max) {
        long value = number(config, name);
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + "=" + value + " must be " + min + " to " + max
                    + " with produce=LEAN; change it, or set produce(ProducePath.CLIENT)");
        }
    }

    private static void checkIsRead(String name, String text) {
        ConfigDef.ConfigKey key = OF_CLIENT.configKeys().get(name);
        if (key == null || KNOWN.contains(name) || name.startsWith("ssl.") || name.startsWith("sasl.")) {
            return;
        }
        if (!parsed(key, text).equals(key.defaultValue)) {
            throw new IllegalArgumentException(name + "=" + text
                    + " has no effect with produce=LEAN, which does not know it; leave it out, or set"
                    + " produce(ProducePath.CLIENT)");
        }
    }

    private static long number(Map<String, ?> config, String name) {
        ConfigDef.ConfigKey key = OF_CLIENT.configKeys().get(name);
        if (key == null) {
            throw new IllegalStateException("no client has " + name);
        }
        Object value = config.containsKey(name) ? parsed(key, String.valueOf(config.get(name))) : key.defaultValue;
        return ((Number) value).longValue();
    }

    private static Object parsed(ConfigDef.ConfigKey key, String text) {
        try {
            Object value = ConfigDef.parseType(key.name, text, key.type);
            if (key.validator != null) {
                key.validator.ensureValid(key.name, value);
            }
            return value;
        } catch (ConfigException notOne) {
            throw new IllegalArgumentException(key.name + "=" + text + " is refused: " + Thrown.reason(notOne), notOne);
        }
    }
}
