package dev.weir.lean;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.ObjIntConsumer;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.jspecify.annotations.Nullable;

/** The settings of a lean consumer. Immutable; created by {@link #builder}. */
public final class LeanSettings {

    private static final int KILOBYTE = 1024;
    private static final int MEGABYTE = 1024 * KILOBYTE;

    /** The part of a response reserved for everything other than records, in bytes. */
    private static final int ENVELOPE_BYTES = 64 * KILOBYTE;

    /** The setters of these settings, keyed by the corresponding Kafka property. */
    private static final Map<String, BiConsumer<Builder, String>> COMPONENTS = Map.ofEntries(
            Map.entry(
                    ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                    (settings, level) -> settings.readCommitted(level.equalsIgnoreCase("read_committed"))),
            number(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, Builder::minFetchBytes),
            millis(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, Builder::maxFetchWait),
            number(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, Builder::maxFetchBytes),
            number(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, Builder::maxPartitionBytes),
            number(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Builder::maxPollRecords),
            Map.entry(
                    ConsumerConfig.CHECK_CRCS_CONFIG,
                    (settings, checks) -> settings.checkCrc(Boolean.parseBoolean(checks))),
            number(ConsumerConfig.RECEIVE_BUFFER_CONFIG, Builder::receiveBufferBytes),
            millis(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, Builder::requestTimeout),
            millis(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, Builder::maxBackoff),
            millis(ConsumerConfig.METADATA_MAX_AGE_CONFIG, Builder::metadataMaxAge));

    private final Values values;

    private LeanSettings(Values values) {
        this.values = values;
    }

    /**
     * The Kafka client's properties for the connection to brokers ({@code bootstrap.servers}), the identity and
     * location of this client ({@code client.id}, {@code client.rack}), and authentication ({@code security.protocol},
     * {@code ssl.*}, {@code sasl.*}). A property that corresponds to one of these settings also changes that setting.
     * Other properties are ignored.
     */
    public Map<String, String> properties() {
        return values.properties;
    }

    /** True to skip aborted transactions and to wait for open ones to end; default false. */
    public boolean readCommitted() {
        return values.readCommitted;
    }

    /**
     * The minimum size of a response in bytes: default 1. If less data is available, a broker waits for more, but for
     * at most {@code maxFetchWait}.
     */
    public int minFetchBytes() {
        return values.minFetchBytes;
    }

    /** The longest time that a broker waits before it responds: default 500 ms. */
    public Duration maxFetchWait() {
        return values.maxFetchWait;
    }

    /**
     * The requested size of one response in bytes: 1 KB to 512 MB, default 8 MB. A broker may exceed it by one batch.
     */
    public int maxFetchBytes() {
        return values.maxFetchBytes;
    }

    /**
     * The requested size per partition in a response, in bytes: 1 KB to 512 MB, default 1 MB. A broker may exceed it by
     * one batch.
     */
    public int maxPartitionBytes() {
        return values.maxPartitionBytes;
    }

    /**
     * The largest accepted response in bytes: at least {@code maxFetchBytes} plus 64 KB, up to 1 GB, default 64 MB. If
     * a batch does not fit, the error names the batch. Each broker connection has two buffers that grow up to this
     * size.
     */
    public int maxResponseBytes() {
        return values.maxResponseBytes;
    }

    /** The largest size of a decompressed batch: 64 KB to 1 GB, default 64 MB. */
    public int maxBatchBytes() {
        return values.maxBatchBytes;
    }

    /**
     * The maximum number of records per poll: default 10,000. A poll that reaches it still delivers the rest of the
     * current batch.
     */
    public int maxPollRecords() {
        return values.maxPollRecords;
    }

    /** Returns whether checksums are verified; default true. */
    public boolean checkCrc() {
        return values.checkCrc;
    }

    /** The reaction to a corrupt batch: default {@link CorruptBatchPolicy#FAIL}. */
    public CorruptBatchPolicy onCorruptBatch() {
        return values.onCorruptBatch;
    }

    /** The reaction to a lost offset: default {@link OffsetLostPolicy#FAIL}. */
    public OffsetLostPolicy onOffsetLost() {
        return values.onOffsetLost;
    }

    /** The size of a socket's receive buffer in bytes: default 1 MB; -1 uses the operating system's default. */
    public int receiveBufferBytes() {
        return values.receiveBufferBytes;
    }

    /**
     * The time after which the connection to a broker that does not respond is closed: at least {@code maxFetchWait}
     * plus 1 s, up to 1 h, default 30 s.
     */
    public Duration requestTimeout() {
        return values.requestTimeout;
    }

    /** The longest wait before a retry: 10 ms to 5 min, default 1 s. The wait before the first retry is 20 ms. */
    public Duration maxBackoff() {
        return values.maxBackoff;
    }

    /** The interval between metadata refreshes while there are no failures: 100 ms to 1 day, default 5 min. */
    public Duration metadataMaxAge() {
        return values.metadataMaxAge;
    }

    private static Map.Entry<String, BiConsumer<Builder, String>> number(
            String name, ObjIntConsumer<Builder> component) {
        return Map.entry(
                name,
                (settings, value) -> component.accept(
                        settings, Math.clamp(parse(name, value), Integer.MIN_VALUE, Integer.MAX_VALUE)));
    }

    private static Map.Entry<String, BiConsumer<Builder, String>> millis(
            String name, BiConsumer<Builder, Duration> component) {
        return Map.entry(name, (settings, value) -> component.accept(settings, Duration.ofMillis(parse(name, value))));
    }

    private static long parse(String name, String value) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException notOne) {
            throw new IllegalArgumentException(name + " must be a whole number: " + name + "=" + value, notOne);
        }
    }

    private static void checkRange(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " must be " + min + " to " + max + ": " + name + "=" + value);
        }
    }

    private static void checkRange(String name, Duration value, Duration min, Duration max) {
        if (Objects.requireNonNull(value, name).compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(name + " must be " + min + " to " + max + ": " + name + "=" + value);
        }
    }

    /** Returns a builder with the default settings. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds {@link LeanSettings}. Not thread-safe; may be reused after {@link #build}. */
    public static final class Builder {

        private final Map<String, String> properties = new HashMap<>();
        private boolean readCommitted;
        private int minFetchBytes = 1;
        private Duration maxFetchWait = Duration.ofMillis(500);
        private int maxFetchBytes = 8 * MEGABYTE;
        private int maxPartitionBytes = MEGABYTE;
        private int maxResponseBytes = 64 * MEGABYTE;
        private int maxBatchBytes = 64 * MEGABYTE;
        private int maxPollRecords = 10_000;
        private boolean checkCrc = true;
        private CorruptBatchPolicy onCorruptBatch = CorruptBatchPolicy.FAIL;
        private OffsetLostPolicy onOffsetLost = OffsetLostPolicy.FAIL;
        private int receiveBufferBytes = MEGABYTE;
        private Duration requestTimeout = Duration.ofSeconds(30);
        private Duration maxBackoff = Duration.ofSeconds(1);
        private Duration metadataMaxAge = Duration.ofMinutes(5);

        private Builder() {}

        /** Sets the addresses of some brokers: {@code host:port}, separated by commas. Required. */
        public Builder bootstrapServers(String hostsAndPorts) {
            return property(
                    CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
                    Objects.requireNonNull(hostsAndPorts, "hostsAndPorts"));
        }

        /** Sets this client's rack. Brokers direct the client to replicas in the same rack. */
        public Builder rack(String rack) {
            return property(ConsumerConfig.CLIENT_RACK_CONFIG, Objects.requireNonNull(rack, "rack"));
        }

        /**
         * Sets a property of the Kafka client: one of {@link LeanSettings#properties}, or one that corresponds to a
         * setting of this class, such as {@code fetch.min.bytes} for {@link #minFetchBytes}. The last call wins. Other
         * properties are ignored.
         *
         * @throws IllegalArgumentException if the property sets a number and its value is not a number
         */
        public Builder property(String name, String value) {
            properties.put(
                    Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, () -> "value of " + name));
            BiConsumer<Builder, String> component = COMPONENTS.get(name);
            if (component != null) {
                component.accept(this, value.trim());
            }
            return this;
        }

        /** Sets all given properties, such as those read from a file. */
        public Builder properties(Properties all) {
            all.stringPropertyNames().forEach(name -> property(name, all.getProperty(name)));
            return this;
        }

        public Builder readCommitted(boolean value) {
            readCommitted = value;
            return this;
        }

        public Builder minFetchBytes(int value) {
            minFetchBytes = value;
            return this;
        }

        public Builder maxFetchWait(Duration value) {
            maxFetchWait = Objects.requireNonNull(value, "value");
            return this;
        }

        public Builder maxFetchBytes(int value) {
            maxFetchBytes = value;
            return this;
        }

        public Builder maxPartitionBytes(int value) {
            maxPartitionBytes = value;
            return this;
        }

        public Builder maxResponseBytes(int value) {
            maxResponseBytes = value;
            return this;
        }

        public Builder maxBatchBytes(int value) {
            maxBatchBytes = value;
            return this;
        }

        public Builder maxPollRecords(int value) {
            maxPollRecords = value;
            return this;
        }

        public Builder checkCrc(boolean value) {
            checkCrc = value;
            return this;
        }

        public Builder onCorruptBatch(CorruptBatchPolicy value) {
            onCorruptBatch = Objects.requireNonNull(value, "value");
            return this;
        }

        public Builder onOffsetLost(OffsetLostPolicy value) {
            onOffsetLost = Objects.requireNonNull(value, "value");
            return this;
        }

        public Builder receiveBufferBytes(int value) {
            receiveBufferBytes = value;
            return this;
        }

        public Builder requestTimeout(Duration value) {
            requestTimeout = Objects.requireNonNull(value, "value");
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
        public LeanSettings build() {
            return new LeanSettings(new Values(
                    properties,
                    readCommitted,
                    minFetchBytes,
                    maxFetchWait,
                    maxFetchBytes,
                    maxPartitionBytes,
                    maxResponseBytes,
                    maxBatchBytes,
                    maxPollRecords,
                    checkCrc,
                    onCorruptBatch,
                    onOffsetLost,
                    receiveBufferBytes,
                    requestTimeout,
                    maxBackoff,
                    metadataMaxAge));
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LeanSettings that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        // Print only the names of client properties, because their values may be passwords.
        return values.toString()
                .replace(values.properties.toString(), new TreeSet<>(values.properties.keySet()).toString())
                .replaceFirst("Values", "LeanSettings");
    }

    private record Values(
            Map<String, String> properties,
            boolean readCommitted,
            int minFetchBytes,
            Duration maxFetchWait,
            int maxFetchBytes,
            int maxPartitionBytes,
            int maxResponseBytes,
            int maxBatchBytes,
            int maxPollRecords,
            boolean checkCrc,
            CorruptBatchPolicy onCorruptBatch,
            OffsetLostPolicy onOffsetLost,
            int receiveBufferBytes,
            Duration requestTimeout,
            Duration maxBackoff,
            Duration metadataMaxAge) {

        Values {
            properties = Map.copyOf(Objects.requireNonNull(properties, "properties"));
            if (properties
                    .getOrDefault(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, "")
                    .isBlank()) {
                throw new IllegalArgumentException("bootstrap.servers is not set; it is required");
            }
            Objects.requireNonNull(onCorruptBatch, "onCorruptBatch");
            Objects.requireNonNull(onOffsetLost, "onOffsetLost");
            checkRange("maxFetchWait", maxFetchWait, Duration.ZERO, Duration.ofMinutes(5));
            checkRange("maxBackoff", maxBackoff, Duration.ofMillis(10), Duration.ofMinutes(5));
            checkRange("metadataMaxAge", metadataMaxAge, Duration.ofMillis(100), Duration.ofDays(1));
            checkRange("requestTimeout", requestTimeout, maxFetchWait.plusSeconds(1), Duration.ofHours(1));
            checkRange("minFetchBytes", minFetchBytes, 0, Integer.MAX_VALUE);
            checkRange("maxFetchBytes", maxFetchBytes, KILOBYTE, 512L * MEGABYTE);
            checkRange("maxPartitionBytes", maxPartitionBytes, KILOBYTE, 512L * MEGABYTE);
            checkRange(
                    "maxResponseBytes", maxResponseBytes, (long) maxFetchBytes + ENVELOPE_BYTES, KILOBYTE * MEGABYTE);
            checkRange("maxBatchBytes", maxBatchBytes, ENVELOPE_BYTES, KILOBYTE * MEGABYTE);
            checkRange("maxPollRecords", maxPollRecords, 1, Integer.MAX_VALUE);
            checkRange("receiveBufferBytes", receiveBufferBytes, -1, KILOBYTE * MEGABYTE);
        }
    }
}
