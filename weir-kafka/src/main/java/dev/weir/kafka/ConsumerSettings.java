package dev.weir.kafka;

import dev.weir.kafka.internal.in.position.OffsetReset;
import dev.weir.kafka.internal.settings.SettingsText;
import dev.weir.kafka.internal.share.group.ConsumerSettingsRisks;
import dev.weir.lean.spi.CpuBinding;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/** The settings of a consumer. Immutable; created with {@link #builder}. */
public final class ConsumerSettings<K, V> {

    private static final int MEGABYTE = 1024 * 1024;

    // The default of max.poll.records is the number of records of this size that fit into the buffer.
    private static final int POLL_RECORD_BYTES = 8 * 1024;
    private static final int MIN_POLL_RECORDS = 500;

    // The maximum default of max.poll.records.
    private static final int MAX_POLL_RECORDS = 2_048;
    private static final int MAX_OUTSTANDING = 1_000_000;

    /** Largest number of bytes in a string of Kafka's protocol. A character needs at least one byte. */
    private static final int MAX_METADATA_CHARS = Short.MAX_VALUE;

    private static final int MAX_FETCH_THREADS = 64;
    static final int MIN_BATCH = 64 * 1024;
    static final int MAX_BATCH = 1024 * MEGABYTE;
    private static final int MAX_LEAN_BATCH = 64 * MEGABYTE;

    /** A maximum batch size that depends on the fetch path. */
    static final long BY_PATH = Long.MIN_VALUE;

    private final Values<K, V> values;

    private ConsumerSettings(Values<K, V> values) {
        this.values = values;
    }

    /**
     * The treatment of unreadable batches: batches that are larger than {@link ConsumerSettings#maxBatchBytes}, have a
     * wrong checksum, use an unknown codec, or cannot be decompressed by their codec.
     */
    public enum UnreadableBatches {
        /** Fails the run with an error that identifies the batch. Later runs do not get past the batch either. */
        FAIL,
        /** Skips the batch and logs a warning that identifies it. */
        SKIP,
        /**
         * Treats the batch as one record that cannot be decoded. {@link HandledRecords} applies its rules, and may
         * write it to the dead-letter topic. {@link KafkaSource#decoded} emits it as {@link Decoded.Refused}. Other
         * sources fail.
         */
        DEAD_LETTER
    }

    /** The properties passed unchanged to the Kafka client. */
    public Map<String, String> properties() {
        return values.properties;
    }

    /** The key deserializer, called on the pipeline's thread. */
    public Deserializer<K> keyDeserializer() {
        return values.keyDeserializer;
    }

    /** The value deserializer, called on the pipeline's thread. */
    public Deserializer<V> valueDeserializer() {
        return values.valueDeserializer;
    }

    /** The maximum delay between finishing a record and committing it: 1 ms to 10 min, default 1 s. */
    public Duration commitInterval() {
        return values.commitInterval;
    }

    /** The number of finished records that triggers an early commit: at least 1, default 100,000. */
    public int commitRecords() {
        return values.commitRecords;
    }

    /**
     * The limit of unfinished records per partition: 1 to 1,000,000, default 16,384. When a partition reaches the
     * limit, Weir does not fetch from it until only half of this number are unfinished.
     */
    public int maxOutstandingRecords() {
        return values.maxOutstandingRecords;
    }

    /**
     * The memory for fetched and unfinished records, including their headers: at least 1 MB. It is divided evenly among
     * the assigned partitions. The default is an eighth of the heap (at least 4 MB, at most 128 MB). The memory in use
     * can exceed this limit by up to 50 %, plus the size of the records returned by one poll.
     */
    public long bufferBytes() {
        return values.bufferBytes;
    }

    /**
     * The maximum time that a rebalance waits for unfinished records of the revoked partitions and for callbacks such
     * as {@link RebalanceListener#onRevoked}: 0 to 4 min, default 20 s. The commit that follows may take up to another
     * 10 s.
     */
    public Duration revokeDeadline() {
        return values.revokeDeadline;
    }

    /**
     * The policy that applies if the next record to read has been deleted or does not exist yet, or if the topic has
     * been recreated; the default is {@link OutOfRangePolicy#FAIL}. With {@link FetchPath#CLIENT}, Weir checks for
     * recreated topics at intervals of 5 s plus 1 ms per partition. With {@link FetchPath#LEAN}, it detects a recreated
     * topic when it fetches.
     */
    public OutOfRangePolicy outOfRange() {
        return values.outOfRange;
    }

    /**
     * The listener for partitions that the group assigns or revokes. It is notified on a virtual thread, and the
     * rebalance waits for it. By default, there is no listener.
     */
    public RebalanceListener rebalanceListener() {
        return values.rebalanceListener;
    }

    /**
     * The time after which a starting consumer fails if no broker has responded: 0 to 10 min, default 30 s. With 0,
     * there is no such check, and the consumer waits for brokers without a time limit.
     */
    public Duration connectTimeout() {
        return values.connectTimeout;
    }

    /**
     * The maximum number of characters in the metadata of a commit. The metadata identifies the topic (30 characters)
     * and lists the finished records after the committed offset, so that a restart does not repeat them. The number is
     * 0 to 32,767, default 4,096; with 0, no metadata is stored. It must not exceed the broker's
     * {@code offset.metadata.max.bytes}, 4,096 by default.
     */
    public int commitMetadataChars() {
        return values.commitMetadataChars;
    }

    /**
     * The function that creates application-specific text to store with each committed offset. It is called on the
     * consumer's thread. By default, no text is stored.
     */
    public CommitMetadata commitMetadata() {
        return values.commitMetadata;
    }

    /** The implementation that fetches records; the default is {@link FetchPath#CLIENT}. */
    public FetchPath fetch() {
        return values.fetch;
    }

    /**
     * The number of threads that fetch for a consumer with {@link FetchPath#LEAN}: 1 to 64; the default is 1, which is
     * the consumer's own thread. With several threads, each of them fetches from some of the brokers or, if there are
     * more threads than brokers, some of the partitions of each broker. The threads divide {@code fetch.max.bytes}
     * among them. Each thread calls the decoder of {@link KafkaSource#decodedBy}.
     */
    public int fetchThreads() {
        return values.fetchThreads;
    }

    /**
     * The CPUs to which the fetch threads are bound, one for each of {@link #fetchThreads}; none by default. A
     * single fetch thread is then separate from the consumer's own thread. Needs {@link FetchPath#LEAN} and the library
     * {@code net.openhft:affinity}, which is loaded only if this is set. The operating system must be configured to
     * keep other work off these CPUs.
     */
    public List<Integer> fetchCpus() {
        return values.fetchCpus;
    }

    /**
     * Determines whether the member leaves the group when the consumer ends. With {@link OnClose#DEFAULT}, a member
     * with a {@code group.instance.id} stays and any other member leaves.
     */
    public OnClose onClose() {
        return values.onClose;
    }

    /**
     * The maximum size of a decompressed batch with {@link FetchPath#LEAN}, or of a single key or value with
     * {@link FetchPath#CLIENT}, which decompresses record by record: 64 KB to 1 GB. The default is a quarter of the
     * heap, but with {@link FetchPath#LEAN} at least 1 MB and at most 64 MB.
     */
    public long maxBatchBytes() {
        return values.maxBatchBytes == BY_PATH ? defaultBatchBytes(values.fetch) : values.maxBatchBytes;
    }

    static long defaultBatchBytes(FetchPath path) {
        long most = path == FetchPath.LEAN ? MAX_LEAN_BATCH : MAX_BATCH;
        return Math.clamp(Runtime.getRuntime().maxMemory() / 4, (long) MEGABYTE, most);
    }

    /**
     * The treatment of a batch that is larger than {@link #maxBatchBytes}, corrupt, or compressed with an unknown
     * codec; the default is {@link UnreadableBatches#DEAD_LETTER}.
     */
    public UnreadableBatches unreadableBatches() {
        return values.unreadableBatches;
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

    /** The consumer group, or null if there is none. */
    public @Nullable String groupId() {
        return values.properties.get(ConsumerConfig.GROUP_ID_CONFIG);
    }

    /**
     * The start position of a partition without a committed offset, unless the subscription sets one. Derived from
     * {@code auto.offset.reset}: the beginning by default, null for {@code none}.
     */
    public @Nullable Position startWithoutCommit() {
        return OffsetReset.position(values.properties);
    }

    /**
     * Returns one sentence for each combination of settings that is valid but rarely intended, or an empty list if
     * there is none. A source logs these warnings when it starts.
     */
    public List<String> warnings(Subscription subscription) {
        return ConsumerSettingsRisks.of(this, subscription);
    }

    /** Formats the settings for display. Passwords, and properties that the Kafka client does not know, are masked. */
    @Override
    public String toString() {
        return "ConsumerSettings[properties="
                + SettingsText.withoutSecrets(values.properties, ConsumerConfig.configDef())
                + ", fetch=" + values.fetch + ", fetchThreads=" + values.fetchThreads + ", fetchCpus="
                + values.fetchCpus + ", commitInterval="
                + values.commitInterval + ", commitRecords="
                + values.commitRecords
                + ", maxOutstandingRecords=" + values.maxOutstandingRecords + ", bufferBytes=" + values.bufferBytes
                + ", revokeDeadline=" + values.revokeDeadline + ", outOfRange=" + values.outOfRange
                + ", connectTimeout=" + values.connectTimeout + ", commitMetadataChars=" + values.commitMetadataChars
                + ", onClose=" + values.onClose + ", maxBatchBytes=" + maxBatchBytes() + ", unreadableBatches="
                + values.unreadableBatches + "]";
    }

    /** Returns a builder for records whose key and value remain byte arrays. */
    public static Builder<byte[], byte[]> builder() {
        return builder(new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Returns a builder for records with typed keys and values. */
    public static <K, V> Builder<K, V> builder(Deserializer<K> key, Deserializer<V> value) {
        return new Builder<>(key, value);
    }

    /**
     * Returns settings for a producer on the same cluster: every property that both clients define, including security
     * settings, except for interceptors.
     */
    public ProducerSettings<byte[], byte[]> producerSettings() {
        return ProducerSettings.ofConsumer(values.properties);
    }

    /** Returns a copy for records whose key and value remain byte arrays. */
    public ConsumerSettings<byte[], byte[]> raw() {
        return builder().like(this).build();
    }

    /** Returns a builder that starts with these settings. */
    public Builder<K, V> toBuilder() {
        return builder(values.keyDeserializer, values.valueDeserializer).like(this);
    }

    /**
     * Returns the client's configuration: Weir's defaults, overridden by the given properties, overridden by the values
     * that Weir must control. The default of {@code max.poll.records} is higher than the client's.
     */
    public Map<String, Object> clientConfig() {
        Map<String, Object> config = new HashMap<>();
        long fetchBytes = Math.clamp(values.bufferBytes / 16, MEGABYTE, 8L * MEGABYTE);
        config.put(
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                Math.clamp(values.bufferBytes / POLL_RECORD_BYTES, MIN_POLL_RECORDS, MAX_POLL_RECORDS));
        config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, (int) fetchBytes);
        config.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, (int) Math.min(values.bufferBytes / 4, 50L * MEGABYTE));
        config.put(ConsumerConfig.RECEIVE_BUFFER_CONFIG, MEGABYTE);
        // Reading a deleted topic must not recreate it.
        config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        if (!"consumer".equalsIgnoreCase(values.properties.get(ConsumerConfig.GROUP_PROTOCOL_CONFIG))) {
            config.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, CooperativeStickyAssignor.class.getName());
        }
        config.putAll(values.properties);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        // Weir resets offsets itself: it distinguishes a new group from a group whose records were deleted.
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        config.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        config.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        return config;
    }

    /** A builder of consumer settings. Not thread-safe. Can be used again after {@link #build}. */
    public static final class Builder<K, V> {

        private final Map<String, String> properties = new HashMap<>();
        private final Deserializer<K> keyDeserializer;
        private final Deserializer<V> valueDeserializer;

        /** The file or variable of each setting, for error messages. */
        private final Map<String, String> origins = new HashMap<>();

        private Duration commitInterval = Duration.ofSeconds(1);
        private int commitRecords = 100_000;
        private int maxOutstandingRecords = 16_384;
        private long bufferBytes = Math.clamp(Runtime.getRuntime().maxMemory() / 8, 4L * MEGABYTE, 128L * MEGABYTE);
        private Duration revokeDeadline = Duration.ofSeconds(20);
        private OutOfRangePolicy outOfRange = OutOfRangePolicy.FAIL;
        private RebalanceListener rebalanceListener = RebalanceListener.NONE;
        private Duration connectTimeout = Duration.ofSeconds(30);
        private int commitMetadataChars = 4096;
        private CommitMetadata commitMetadata = CommitMetadata.NONE;
        private FetchPath fetch = FetchPath.CLIENT;
        private int fetchThreads = 1;
        private List<Integer> fetchCpus = List.of();
        private OnClose onClose = OnClose.DEFAULT;

        private long maxBatchBytes = BY_PATH;

        private UnreadableBatches unreadableBatches = UnreadableBatches.DEAD_LETTER;

        private Builder(Deserializer<K> key, Deserializer<V> value) {
            this.keyDeserializer = Objects.requireNonNull(key, "key deserializer");
            this.valueDeserializer = Objects.requireNonNull(value, "value deserializer");
        }

        private Builder<K, V> like(ConsumerSettings<?, ?> other) {
            properties.putAll(other.values.properties);
            commitInterval = other.values.commitInterval;
            commitRecords = other.values.commitRecords;
            maxOutstandingRecords = other.values.maxOutstandingRecords;
            bufferBytes = other.values.bufferBytes;
            revokeDeadline = other.values.revokeDeadline;
            outOfRange = other.values.outOfRange;
            rebalanceListener = other.values.rebalanceListener;
            connectTimeout = other.values.connectTimeout;
            commitMetadataChars = other.values.commitMetadataChars;
            commitMetadata = other.values.commitMetadata;
            fetch = other.values.fetch;
            fetchThreads = other.values.fetchThreads;
            fetchCpus = other.values.fetchCpus;
            onClose = other.values.onClose;
            maxBatchBytes = other.values.maxBatchBytes;
            unreadableBatches = other.values.unreadableBatches;
            return this;
        }

        /** Sets the addresses of some brokers: {@code host:port}, separated by commas. Required. */
        public Builder<K, V> bootstrapServers(String hostsAndPorts) {
            return property(
                    ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, Objects.requireNonNull(hostsAndPorts, "hostsAndPorts"));
        }

        /** Sets the consumer group, which is required by sources that commit. */
        public Builder<K, V> groupId(String groupId) {
            return property(ConsumerConfig.GROUP_ID_CONFIG, Objects.requireNonNull(groupId, "groupId"));
        }

        /** Sets a property of the Kafka client, including security properties. Later values override earlier ones. */
        public Builder<K, V> property(String name, String value) {
            properties.put(
                    Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, () -> "value of " + name));
            return this;
        }

        /** Sets all of the given properties. */
        public Builder<K, V> properties(Properties all) {
            all.stringPropertyNames().forEach(name -> property(name, all.getProperty(name)));
            return this;
        }

        /**
         * Applies a properties file in UTF-8. Keys that begin with {@code weir.} are Weir's own settings, such as
         * {@code weir.commit.interval=500ms}; all others are passed to the Kafka client. A later setting overrides an
         * earlier one.
         *
         * @throws IllegalArgumentException if the file cannot be read, a client property is misspelled, or a
         *     {@code weir.} key is unknown or has an invalid value; the message gives the line number
         */
        public Builder<K, V> from(Path file) {
            SettingsReader.apply(SettingsText.read(Objects.requireNonNull(file, "file")), this, origins);
            return this;
        }

        /**
         * Applies environment variables. With the prefix {@code ORDERS_}, the variable {@code ORDERS_MAX_POLL_RECORDS}
         * sets {@code max.poll.records}, and {@code ORDERS_WEIR_COMMIT_INTERVAL} sets {@code weir.commit.interval}.
         * Variables without the prefix are ignored.
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

        /**
         * Optimizes for throughput: larger fetches and polls, more unfinished records, and fewer commits. When there
         * are few records, latency increases by up to 100 ms. After a crash, more records are repeated.
         */
        public Builder<K, V> throughput() {
            property(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, "131072");
            property(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, "100");
            property(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "10000");
            return maxOutstandingRecords(65_536)
                    .commitInterval(Duration.ofSeconds(5))
                    .commitRecords(1_000_000);
        }

        /**
         * Optimizes for latency: brokers respond as soon as they have a single byte, and polls are short, so that the
         * first record of a poll does not wait for the last.
         */
        public Builder<K, V> latency() {
            property(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, "1");
            property(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "500");
            return this;
        }

        /**
         * Reduces memory use, so that one or many consumers fit into a small heap: 4 MB of records, few unfinished
         * records, and small fetches. Small fetches require more requests. A record that is larger than a fetch can
         * still be read, in a fetch of its own.
         */
        public Builder<K, V> lowMemory() {
            property(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "500");
            property(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, "262144");
            property(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, "2097152");
            property(ConsumerConfig.RECEIVE_BUFFER_CONFIG, "65536");
            return bufferBytes(4L * MEGABYTE).maxOutstandingRecords(1_024);
        }

        /** See {@link ConsumerSettings#commitInterval()}. */
        public Builder<K, V> commitInterval(Duration interval) {
            this.commitInterval = Objects.requireNonNull(interval, "interval");
            return this;
        }

        /** See {@link ConsumerSettings#commitRecords()}. */
        public Builder<K, V> commitRecords(int records) {
            this.commitRecords = records;
            return this;
        }

        /** See {@link ConsumerSettings#maxOutstandingRecords()}. */
        public Builder<K, V> maxOutstandingRecords(int records) {
            this.maxOutstandingRecords = records;
            return this;
        }

        /** See {@link ConsumerSettings#bufferBytes()}. */
        public Builder<K, V> bufferBytes(long bytes) {
            this.bufferBytes = bytes;
            return this;
        }

        /** See {@link ConsumerSettings#revokeDeadline()}. */
        public Builder<K, V> revokeDeadline(Duration deadline) {
            this.revokeDeadline = Objects.requireNonNull(deadline, "deadline");
            return this;
        }

        /** See {@link ConsumerSettings#outOfRange()}. */
        public Builder<K, V> outOfRange(OutOfRangePolicy policy) {
            this.outOfRange = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /** See {@link ConsumerSettings#rebalanceListener()}. */
        public Builder<K, V> rebalanceListener(RebalanceListener listener) {
            this.rebalanceListener = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /** See {@link ConsumerSettings#connectTimeout()}. */
        public Builder<K, V> connectTimeout(Duration timeout) {
            this.connectTimeout = Objects.requireNonNull(timeout, "timeout");
            return this;
        }

        /** See {@link ConsumerSettings#commitMetadataChars()}. */
        public Builder<K, V> commitMetadataChars(int chars) {
            this.commitMetadataChars = chars;
            return this;
        }

        /** See {@link ConsumerSettings#commitMetadata()}. */
        public Builder<K, V> commitMetadata(CommitMetadata metadata) {
            this.commitMetadata = Objects.requireNonNull(metadata, "metadata");
            return this;
        }

        /** See {@link ConsumerSettings#fetch()}. */
        public Builder<K, V> fetch(FetchPath path) {
            this.fetch = Objects.requireNonNull(path, "path");
            return this;
        }

        /** See {@link ConsumerSettings#fetchThreads()}. */
        public Builder<K, V> fetchThreads(int threads) {
            this.fetchThreads = threads;
            return this;
        }

        /** See {@link ConsumerSettings#fetchCpus()}. */
        public Builder<K, V> fetchCpus(int... numbers) {
            this.fetchCpus = Arrays.stream(Objects.requireNonNull(numbers, "numbers"))
                    .boxed()
                    .toList();
            return this;
        }

        /** See {@link ConsumerSettings#onClose()}. */
        public Builder<K, V> onClose(OnClose membership) {
            this.onClose = Objects.requireNonNull(membership, "membership");
            return this;
        }

        /** See {@link ConsumerSettings#maxBatchBytes()}. */
        public Builder<K, V> maxBatchBytes(long bytes) {
            this.maxBatchBytes = bytes;
            return this;
        }

        /** See {@link ConsumerSettings#unreadableBatches()}. */
        public Builder<K, V> unreadableBatches(UnreadableBatches policy) {
            this.unreadableBatches = Objects.requireNonNull(policy, "policy");
            return this;
        }

        public ConsumerSettings<K, V> build() {
            try {
                return made();
            } catch (IllegalArgumentException refusal) {
                throw SettingsReader.located(refusal, origins);
            }
        }

        private ConsumerSettings<K, V> made() {
            return new ConsumerSettings<>(new Values<>(
                    properties,
                    keyDeserializer,
                    valueDeserializer,
                    commitInterval,
                    commitRecords,
                    maxOutstandingRecords,
                    bufferBytes,
                    revokeDeadline,
                    outOfRange,
                    rebalanceListener,
                    connectTimeout,
                    commitMetadataChars,
                    commitMetadata,
                    fetch,
                    fetchThreads,
                    fetchCpus,
                    onClose,
                    maxBatchBytes,
                    unreadableBatches));
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ConsumerSettings<?, ?> that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    record Values<K, V>(
            Map<String, String> properties,
            Deserializer<K> keyDeserializer,
            Deserializer<V> valueDeserializer,
            Duration commitInterval,
            int commitRecords,
            int maxOutstandingRecords,
            long bufferBytes,
            Duration revokeDeadline,
            OutOfRangePolicy outOfRange,
            RebalanceListener rebalanceListener,
            Duration connectTimeout,
            int commitMetadataChars,
            CommitMetadata commitMetadata,
            FetchPath fetch,
            int fetchThreads,
            List<Integer> fetchCpus,
            OnClose onClose,
            long maxBatchBytes,
            UnreadableBatches unreadableBatches) {

        Values {
            properties = Map.copyOf(Objects.requireNonNull(properties, "properties"));
            Objects.requireNonNull(keyDeserializer, "keyDeserializer");
            Objects.requireNonNull(valueDeserializer, "valueDeserializer");
            if (properties
                    .getOrDefault(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "")
                    .isBlank()) {
                throw new IllegalArgumentException(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG + " is not set; it is required");
            }
            if (""
                    .equals(properties
                            .getOrDefault(ConsumerConfig.GROUP_ID_CONFIG, "none")
                            .strip())) {
                throw new IllegalArgumentException(ConsumerConfig.GROUP_ID_CONFIG
                        + " is blank; name the group, or leave it out to read without one");
            }
            OffsetReset.check(properties);
            Objects.requireNonNull(outOfRange, "outOfRange");
            Objects.requireNonNull(rebalanceListener, "rebalanceListener");
            if (Boolean.parseBoolean(properties.get(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG))) {
                throw new IllegalArgumentException("enable.auto.commit=true would commit unfinished records;"
                        + " leave it out, Weir commits what is finished");
            }
            checkRange("commitInterval", commitInterval, Duration.ofMillis(1), Duration.ofMinutes(10));
            checkRange("connectTimeout", connectTimeout, Duration.ZERO, Duration.ofMinutes(10));
            checkRange("revokeDeadline", revokeDeadline, Duration.ZERO, Duration.ofMinutes(4));
            checkRange("commitRecords", commitRecords, 1, Integer.MAX_VALUE);
            checkRange("maxOutstandingRecords", maxOutstandingRecords, 1, MAX_OUTSTANDING);
            checkRange("commitMetadataChars", commitMetadataChars, 0, MAX_METADATA_CHARS);
            Objects.requireNonNull(commitMetadata, "commitMetadata");
            Objects.requireNonNull(fetch, "fetch");
            checkRange("fetchThreads", fetchThreads, 1, MAX_FETCH_THREADS);
            if (fetchThreads > 1 && fetch != FetchPath.LEAN) {
                throw new IllegalArgumentException("fetchThreads=" + fetchThreads
                        + " needs the lean path, Kafka's client fetches by one thread: fetch=" + fetch
                        + "; set fetch(FetchPath.LEAN), or leave fetchThreads out");
            }
            CpuBinding.check(
                    "fetchCpus", fetchCpus.stream().mapToInt(each -> each).toArray());
            if (!fetchCpus.isEmpty() && fetch != FetchPath.LEAN) {
                throw new IllegalArgumentException("fetchCpus=" + fetchCpus + " needs the lean path: fetch=" + fetch
                        + "; set fetch(FetchPath.LEAN), or leave fetchCpus out");
            }
            if (!fetchCpus.isEmpty() && fetchCpus.size() != fetchThreads) {
                throw new IllegalArgumentException("fetchCpus names one CPU for each thread: fetchCpus=" + fetchCpus
                        + " fetchThreads=" + fetchThreads);
            }
            Objects.requireNonNull(onClose, "onClose");
            Objects.requireNonNull(unreadableBatches, "unreadableBatches");
            if (maxBatchBytes != BY_PATH) {
                checkRange("maxBatchBytes", maxBatchBytes, MIN_BATCH, MAX_BATCH);
            }
            checkRange("bufferBytes", bufferBytes, MEGABYTE, Long.MAX_VALUE);
        }
    }
}
