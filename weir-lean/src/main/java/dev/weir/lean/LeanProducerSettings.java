package dev.weir.lean;

import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * The settings of a lean producer, which is always idempotent and always waits for all in-sync replicas. Immutable;
 * created by {@link #builder}.
 */
public final class LeanProducerSettings {

    private static final int KILOBYTE = 1024;
    private static final int MEGABYTE = 1024 * KILOBYTE;

    /** The setters of these settings, keyed by the corresponding Kafka property. */
    private static final Map<String, BiConsumer<Builder, String>> COMPONENTS = Map.of(
            ProducerConfig.BATCH_SIZE_CONFIG, (to, value) -> to.batchBytes(number("batch.size", value)),
            ProducerConfig.LINGER_MS_CONFIG, (to, value) -> to.linger(millis("linger.ms", value)),
            ProducerConfig.BUFFER_MEMORY_CONFIG, (to, value) -> to.bufferBytes(parse("buffer.memory", value)),
            ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                    (to, value) -> to.maxRequestBytes(number("max.request.size", value)),
            ProducerConfig.COMPRESSION_TYPE_CONFIG, (to, value) -> to.compression(codec(value)),
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                    (to, value) -> to.deliveryTimeout(millis("delivery.timeout.ms", value)),
            ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                    (to, value) -> to.requestTimeout(millis("request.timeout.ms", value)),
            ProducerConfig.MAX_BLOCK_MS_CONFIG, (to, value) -> to.maxBlock(millis("max.block.ms", value)),
            ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                    (to, value) -> to.maxBackoff(millis("reconnect.backoff.max.ms", value)),
            ProducerConfig.METADATA_MAX_AGE_CONFIG,
                    (to, value) -> to.metadataMaxAge(millis("metadata.max.age.ms", value)));

    /** Kafka producer properties that a lean producer accepts only with these values. */
    private static final Map<String, Set<String>> FIXED = Map.of(
            ProducerConfig.ACKS_CONFIG, Set.of("all", "-1"),
            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, Set.of("true"),
            ProducerConfig.TRANSACTIONAL_ID_CONFIG, Set.of(""),
            ProducerConfig.PARTITIONER_CLASS_CONFIG, Set.of(""),
            ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG, Set.of("false"),
            ProducerConfig.INTERCEPTOR_CLASSES_CONFIG, Set.of(""));

    private final Map<String, String> properties;
    private final int batchBytes;
    private final Duration linger;
    private final long bufferBytes;
    private final int maxRequestBytes;
    private final LeanCompression compression;
    private final Duration deliveryTimeout;
    private final Duration requestTimeout;
    private final Duration maxBlock;
    private final Duration maxBackoff;
    private final Duration metadataMaxAge;

    private LeanProducerSettings(Builder from) {
        properties = Map.copyOf(from.properties);
        batchBytes = from.batchBytes;
        linger = from.linger;
        bufferBytes = from.bufferBytes;
        maxRequestBytes = from.maxRequestBytes;
        compression = from.compression;
        deliveryTimeout = from.deliveryTimeout;
        requestTimeout = from.requestTimeout;
        maxBlock = from.maxBlock;
        maxBackoff = from.maxBackoff;
        metadataMaxAge = from.metadataMaxAge;
        if (properties
                .getOrDefault(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, "")
                .isBlank()) {
            throw new IllegalArgumentException("bootstrap.servers is not set; it is required");
        }
        checkRange("batchBytes", batchBytes, KILOBYTE, 64L * MEGABYTE);
        checkRange("bufferBytes", bufferBytes, (long) batchBytes, 1L << 40);
        checkRange("maxRequestBytes", maxRequestBytes, batchBytes, 512L * MEGABYTE);
        if (bufferBytes < maxRequestBytes) {
            throw new IllegalArgumentException(
                    "bufferBytes must be at least maxRequestBytes, or the largest record would"
                            + " never fit: bufferBytes=" + bufferBytes + " maxRequestBytes=" + maxRequestBytes);
        }
        checkRange("linger", linger, Duration.ZERO, Duration.ofMinutes(1));
        checkRange("requestTimeout", requestTimeout, Duration.ofSeconds(1), Duration.ofHours(1));
        checkRange(
                "deliveryTimeout", deliveryTimeout, requestTimeout.plus(linger), Duration.ofMillis(Integer.MAX_VALUE));
        checkRange("maxBlock", maxBlock, Duration.ZERO, Duration.ofDays(1));
        checkRange("maxBackoff", maxBackoff, Duration.ofMillis(10), Duration.ofMinutes(5));
        checkRange("metadataMaxAge", metadataMaxAge, Duration.ofMillis(100), Duration.ofDays(1));
    }

    /**
     * The Kafka client's properties for the connection to brokers ({@code bootstrap.servers}), the identity of this
     * client ({@code client.id}), and authentication ({@code security.protocol}, {@code ssl.*}, {@code sasl.*}). Other
     * properties are ignored.
     */
    public Map<String, String> properties() {
        return properties;
    }

    /**
     * The size of a batch in bytes before compression: 1 KB to 64 MB, default 128 KB. A larger record gets a batch of
     * its own.
     */
    public int batchBytes() {
        return batchBytes;
    }

    /** The time that a batch waits for more records: up to 1 min, default 5 ms. */
    public Duration linger() {
        return linger;
    }

    /**
     * The size of all unacknowledged batches in bytes before compression: default 32 MB. The tokens passed to
     * {@link LeanProducer#send} take another 8 bytes per record.
     */
    public long bufferBytes() {
        return bufferBytes;
    }

    /**
     * The largest size of a request, and therefore of a record, in bytes: at least {@link #batchBytes}, up to 512 MB,
     * default 1 MB.
     */
    public int maxRequestBytes() {
        return maxRequestBytes;
    }

    /** The compression of batches: default {@link LeanCompression#NONE}. */
    public LeanCompression compression() {
        return compression;
    }

    /**
     * The time after which a record is given up, measured from the creation of its batch: up to 2^31-1 ms (24 days),
     * default 2 min.
     */
    public Duration deliveryTimeout() {
        return deliveryTimeout;
    }

    /** The time after which the connection to a broker that does not respond is closed: 1 s to 1 h, default 30 s. */
    public Duration requestTimeout() {
        return requestTimeout;
    }

    /**
     * The longest time that {@link LeanProducer#send} waits for free memory or for a topic to be found: default 1 min.
     */
    public Duration maxBlock() {
        return maxBlock;
    }

    /** The longest wait before a retry: 10 ms to 5 min, default 1 s. The wait before the first retry is 20 ms. */
    public Duration maxBackoff() {
        return maxBackoff;
    }

    /** The interval between metadata refreshes while there are no failures: 100 ms to 1 day, default 5 min. */
    public Duration metadataMaxAge() {
        return metadataMaxAge;
    }

    private static int number(String name, String value) {
        return Math.clamp(parse(name, value), Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    private static Duration millis(String name, String value) {
        return Duration.ofMillis(parse(name, value));
    }

    private static long parse(String name, String value) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException notOne) {
            throw new IllegalArgumentException(name + " must be a whole number: " + name + "=" + value, notOne);
        }
    }

    private static LeanCompression codec(String value) {
        try {
            return LeanCompression.valueOf(value.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException unknown) {
            throw new IllegalArgumentException(
                    "compression.type must be none, gzip, snappy, lz4 or zstd: compression.type=" + value, unknown);
        }
    }

    private static void checkRange(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " must be " + min + " to " + max + ": " + name + "=" + value);
        }
    }

    private static void checkRange(String name, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(name + " must be " + min + " to " + max + ": " + name + "=" + value);
        }
    }

    /** Returns a builder with the default settings. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds {@link LeanProducerSettings}. Not thread-safe; may be reused after {@link #build}. */
    public static final class Builder {

        private final Map<String, String> properties = new HashMap<>();
        private int batchBytes = 128 * KILOBYTE;
        private Duration linger = Duration.ofMillis(5);
        private long bufferBytes = 32L * MEGABYTE;
        private int maxRequestBytes = MEGABYTE;
        private LeanCompression compression = LeanCompression.NONE;
        private Duration deliveryTimeout = Duration.ofMinutes(2);
        private Duration requestTimeout = Duration.ofSeconds(30);
        private Duration maxBlock = Duration.ofMinutes(1);
        private Duration maxBackoff = Duration.ofSeconds(1);
        private Duration metadataMaxAge = Duration.ofMinutes(5);

        private Builder() {}

        /** Sets the addresses of some brokers: {@code host:port}, separated by commas. Required. */
        public Builder bootstrapServers(String hostsAndPorts) {
            return property(
                    CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
                    Objects.requireNonNull(hostsAndPorts, "hostsAndPorts"));
        }

        /**
         * Sets a property of the Kafka client: one of {@link LeanProducerSettings#properties}, or one that corresponds
         * to a setting of this class, such as {@code linger.ms} for {@link #linger}. The last call wins. Other
         * properties are ignored.
         *
         * @throws IllegalArgumentException if the value is invalid or not supported. There is no support for
         *     {@code acks} other than {@code all}, disabled idempotence, transactions, partitioning that ignores keys,
         *     custom partitioners, or interceptors
         */
        public Builder property(String name, String value) {
            Objects.requireNonNull(name, "name");
            String given = Objects.requireNonNull(value, "value").trim();
            Set<String> possible = FIXED.get(name);
            if (possible != null && !possible.contains(given.toLowerCase(Locale.ROOT))) {
                throw new IllegalArgumentException(name + "=" + given
                        + " is not possible with a lean producer, which is idempotent, waits for all replicas in sync,"
                        + " places records with a key by their hash, and supports neither transactions nor"
                        + " plugged-in classes; remove it, or use the official"
                        + " producer");
            }
            properties.put(name, value);
            BiConsumer<Builder, String> component = COMPONENTS.get(name);
            if (component != null) {
                component.accept(this, given);
            }
            return this;
        }

        /** Sets all given properties, such as those read from a file. */
        public Builder properties(Properties all) {
            Objects.requireNonNull(all, "all");
            all.stringPropertyNames().forEach(name -> property(name, all.getProperty(name)));
            return this;
        }

        public Builder batchBytes(int value) {
            batchBytes = value;
            return this;
        }

        public Builder linger(Duration value) {
            linger = Objects.requireNonNull(value, "value");
            return this;
        }

        public Builder bufferBytes(long value) {
            bufferBytes = value;
            return this;
        }

        public Builder maxRequestBytes(int value) {
            maxRequestBytes = value;
            return this;
        }

        public Builder compression(LeanCompression value) {
            compression = Objects.requireNonNull(value, "value");
            return this;
        }

        public Builder deliveryTimeout(Duration value) {
            deliveryTimeout = Objects.requireNonNull(value, "value");
            return this;
        }

        public Builder requestTimeout(Duration value) {
            requestTimeout = Objects.requireNonNull(value, "value");
            return this;
        }

        public Builder maxBlock(Duration value) {
            maxBlock = Objects.requireNonNull(value, "value");
            return this;
        }

        public Builder maxBackoff(Duration value) {
            maxBackoff = Objects.requireNonNull(value, "value");
            return this;
        }

        public Builder metadataMaxAge(Duration value) {
            metadataMaxAge = Objects.requireNonNull(value, "value");
            return this;
        }

        /** Validates and builds the settings. */
        public LeanProducerSettings build() {
            return new LeanProducerSettings(this);
        }
    }
}
