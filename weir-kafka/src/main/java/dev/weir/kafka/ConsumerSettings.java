package dev.weir.kafka;

import dev.weir.kafka.internal.in.position.OffsetReset;
import dev.weir.kafka.internal.share.group.ConsumerSettingsRisks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/** The settings of a consumer. Immutable; made by {@link #builder}. */
public final class ConsumerSettings<K, V> {

    private static final int MEGABYTE = 1024 * 1024;

    // Sizes the buffer for a poll of records of up to 8 KB each, whatever their compressed size.
    private static final int POLL_RECORD_BYTES = 8 * 1024;
    private static final int MIN_POLL_RECORDS = 500;

    // Records of a poll are read twice; this many still fit the processor's cache the second time.
    private static final int MAX_POLL_RECORDS = 2_048;
    private static final int MAX_OUTSTANDING = 1_000_000;
    private static final int MAX_FETCH_THREADS = 64;
    static final int MIN_BATCH = 64 * 1024;
    static final int MAX_BATCH = 1024 * MEGABYTE;
    private static final int MAX_LEAN_BATCH = 64 * MEGABYTE;

    /** Marks a batch size that the fetch path decides. */
    static final long BY_PATH = Long.MIN_VALUE;

    private final Values<K, V> values;

    private ConsumerSettings(Values<K, V> values) {
        this.values = values;
    }

    /**
     * The treatment of a batch that cannot be read: larger than {@link ConsumerSettings#maxBatchBytes}, with a wrong
     * checksum, with an unknown codec, or with bytes that its codec cannot decompress.
     */
    public enum UnreadableBatches {
        /**
         * Fails the run with an error that names the batch. Nothing after the batch is read from its partition, in
         * later runs either.
         */
        FAIL,
        /** Skips the batch with a warning that names it. */
        SKIP,
        /**
         * Treats the batch as one record that cannot be decoded. {@link HandledFlow} applies its rules, so the batch
         * goes to the dead-letter topic if there is one; {@link KafkaSource#decoded} emits it as {@link
         * Decoded.Refused}. Other sources fail.
         */
        DEAD_LETTER
    }

    /** The properties passed to the Kafka client unchanged. */
    public Map<String, String> properties() {
        return values.properties;
    }

    /** Called on the pipeline's thread, never on the consumer's. */
    public Deserializer<K> keyDeserializer() {
        return values.keyDeserializer;
    }

    /** Called on the pipeline's thread, never on the consumer's. */
    public Deserializer<V> valueDeserializer() {
        return values.valueDeserializer;
    }

    /** The longest time that finished work waits for its commit: 1 ms to 10 min, default 1 s. */
    public Duration commitInterval() {
        return values.commitInterval;
    }

    /** The number of finished records that triggers an early commit: at least 1, default 100,000. */
    public int commitRecords() {
        return values.commitRecords;
    }

    /**
     * The number of unfinished records at which fetching of a partition pauses: 1 to 1,000,000, default 16,384.
     * Fetching resumes at half of that.
     */
    public int maxOutstandingRecords() {
        return values.maxOutstandingRecords;
    }

    /**
     * Memory for fetched and unfinished records with their headers, divided evenly among the assigned partitions: at
     * least 1 MB; the default is an eighth of the heap within 4 to 128 MB. It can be exceeded by half and by one poll.
     */
    public long bufferBytes() {
        return values.bufferBytes;
    }

    /**
     * The time a rebalance waits for unfinished records of the partitions it takes, and for the hooks that it calls: 0
     * to 4 min, default 20 s. The commit comes on top, 10 s at most.
     */
    public Duration revokeDeadline() {
        return values.revokeDeadline;
    }

    /**
     * The policy when the next record to read was deleted or is not there yet, and when the topic was recreated;
     * default {@link OutOfRangePolicy#FAIL}. The client path looks for a recreated topic every 5 s, with thousands of
     * partitions a millisecond more for each; the lean path notices it by fetching.
     */
    public OutOfRangePolicy outOfRange() {
        return values.outOfRange;
    }

    /**
     * Told when the group moves partitions, on a virtual thread, which the rebalance waits for; nobody by default.
     */
    public RebalanceListener rebalanceListener() {
        return values.rebalanceListener;
    }

    /**
     * The time a start waits for a broker's answer before it fails: 0 to 10 min, default 30 s. 0 does not ask, and
     * waits for brokers without limit.
     */
    public Duration connectTimeout() {
        return values.connectTimeout;
    }

    /**
     * Room for the metadata of a commit, which notes the records finished past it, so that a restart does not repeat
     * them, and the topic's id (30 characters): 0 (notes nothing) to 1,048,576, default 4,096; not more than the
     * broker's {@code offset.metadata.max.bytes}.
     */
    public int commitMetadataChars() {
        return values.commitMetadataChars;
    }

    /**
     * Makes a text of the application's own beside each committed offset; called on the consumer's thread. Nothing by
     * default.
     */
    public CommitMetadata commitMetadata() {
        return values.commitMetadata;
    }

    /** The fetcher of records, default {@link FetchPath#CLIENT}. */
    public FetchPath fetch() {
        return values.fetch;
    }

    /**
     * The number of fetch threads of a consumer on the lean path: 1 to 64, default 1, which is the consumer's own
     * thread. More threads divide the partitions by broker, or one broker's partitions among them if there are fewer
     * brokers, and divide the fetch budget too. Each thread calls the decoder of views.
     */
    public int fetchThreads() {
        return values.fetchThreads;
    }

    /**
     * The treatment of the group's member when the consumer ends. With {@link OnClose#DEFAULT} one with a {@code
     * group.instance.id} remains and any other leaves.
     */
    public OnClose onClose() {
        return values.onClose;
    }

    /**
     * The largest decompressed batch on the lean path, and the largest key or value on the client path: 64 KB to 1 GB.
     * The default is a quarter of the heap; on the lean path, which decompresses whole batches, it is limited to 1 to
     * 64 MB. The client path decompresses record by record.
     */
    public long maxBatchBytes() {
        return values.maxBatchBytes == BY_PATH ? defaultBatchBytes(values.fetch) : values.maxBatchBytes;
    }

    static long defaultBatchBytes(FetchPath path) {
        long most = path == FetchPath.LEAN ? MAX_LEAN_BATCH : MAX_BATCH;
        return Math.clamp(Runtime.getRuntime().maxMemory() / 4, (long) MEGABYTE, most);
    }

    /**
     * The treatment of a batch that is larger than {@link #maxBatchBytes}, corrupt, or of an unknown codec; default
     * {@link UnreadableBatches#DEAD_LETTER}.
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

    /** The group, if there is one. */
    public @Nullable String groupId() {
        return values.properties.get(ConsumerConfig.GROUP_ID_CONFIG);
    }

    /**
     * The start position of a partition without committed offsets, unless the subscription sets one. Taken from {@code
     * auto.offset.reset}; the beginning by default, null for {@code none}.
     */
    public @Nullable Position startWithoutCommit() {
        return OffsetReset.position(values.properties);
    }

    /**
     * Explains, one sentence each, valid combinations of settings that are seldom intended; empty if there are none. A
     * source logs them when it starts.
     */
    public List<String> warnings(Subscription subscription) {
        return ConsumerSettingsRisks.of(this, subscription);
    }

    /** Describes the settings for people. Passwords, and properties that the Kafka client does not know, are masked. */
    @Override
    public String toString() {
        return "ConsumerSettings[properties="
                + SettingsText.withoutSecrets(values.properties, ConsumerConfig.configDef())
                + ", fetch=" + values.fetch + ", fetchThreads=" + values.fetchThreads + ", commitInterval="
                + values.commitInterval + ", commitRecords="
                + values.commitRecords
                + ", maxOutstandingRecords=" + values.maxOutstandingRecords + ", bufferBytes=" + values.bufferBytes
                + ", revokeDeadline=" + values.revokeDeadline + ", outOfRange=" + values.outOfRange
                + ", connectTimeout=" + values.connectTimeout + ", commitMetadataChars=" + values.commitMetadataChars
                + ", onClose=" + values.onClose + ", maxBatchBytes=" + maxBatchBytes() + ", unreadableBatches="
                + values.unreadableBatches + "]";
    }

    /** Settings of records whose key and value stay bytes. */
    public static Builder<byte[], byte[]> builder() {
        return builder(new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Settings of records with typed keys and values. */
    public static <K, V> Builder<K, V> builder(Deserializer<K> key, Deserializer<V> value) {
        return new Builder<>(key, value);
    }

    /** Settings of a producer for the same cluster, including security: every property that both clients know. */
    public ProducerSettings<byte[], byte[]> producerSettings() {
        var builder = ProducerSettings.builder();
        values.properties.forEach((name, value) -> {
            if (ProducerConfig.configNames().contains(name)
                    && !name.equals(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG)) {
                builder.property(name, value);
            }
        });
        return builder.build();
    }

    /** A builder for records whose key and value stay bytes. */
    public ConsumerSettings<byte[], byte[]> raw() {
        return builder().like(this).build();
    }

    /** A builder that begins with these settings. */
    public Builder<K, V> toBuilder() {
        return builder(values.keyDeserializer, values.valueDeserializer).like(this);
    }

    /**
     * The client's configuration: Weir's defaults, overridden by the given properties, overridden by what Weir must
     * decide itself. Weir polls more records than the client's default, because it splits polls into batches anyway.
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
        // Weir resets offsets itself: it distinguishes a new group from one whose records are gone.
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        config.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        config.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        return config;
    }

    /** Gathers settings. Not thread-safe; may be used again after {@link #build}. */
    public static final class Builder<K, V> {

        private final Map<String, String> properties = new HashMap<>();
        private final Deserializer<K> keyDeserializer;
        private final Deserializer<V> valueDeserializer;

        /** The origin of each setting (file, environment), for messages. */
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
            onClose = other.values.onClose;
            maxBatchBytes = other.values.maxBatchBytes;
            unreadableBatches = other.values.unreadableBatches;
            return this;
        }

        /** The addresses of some brokers, required: {@code host:port}, with commas in between. */
        public Builder<K, V> bootstrapServers(String hostsAndPorts) {
            return property(
                    ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, Objects.requireNonNull(hostsAndPorts, "hostsAndPorts"));
        }

        /** The group, required by sources that commit. */
        public Builder<K, V> groupId(String groupId) {
            return property(ConsumerConfig.GROUP_ID_CONFIG, Objects.requireNonNull(groupId, "groupId"));
        }

        /** Sets a property of the Kafka client, including security. Later values win. */
        public Builder<K, V> property(String name, String value) {
            properties.put(
                    Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, () -> "value of " + name));
            return this;
        }

        /** Sets all properties of a file. */
        public Builder<K, V> properties(Properties all) {
            all.stringPropertyNames().forEach(name -> property(name, all.getProperty(name)));
            return this;
        }

        /**
         * Applies a properties file in UTF-8: keys that begin with {@code weir.} are Weir's own, such as {@code
         * weir.commit.interval=500ms}; all others go to the Kafka client. A later setting wins.
         *
         * @throws IllegalArgumentException if the file cannot be read, a client's key is misspelt, or a {@code weir.}
         *     key is unknown or has an invalid value; the message names the line
         */
        public Builder<K, V> from(Path file) {
            SettingsReader.apply(SettingsText.read(Objects.requireNonNull(file, "file")), this, origins);
            return this;
        }

        /**
         * Applies environment variables: with the prefix {@code ORDERS_}, {@code ORDERS_MAX_POLL_RECORDS} is
         * {@code max.poll.records} and {@code ORDERS_WEIR_COMMIT_INTERVAL} is {@code weir.commit.interval}. Other
         * variables are ignored.
         */
        public Builder<K, V> fromEnvironment(String prefix) {
            return fromEnvironment(System.getenv(), prefix);
        }

        /**
         * Applies settings that an application's framework has read, with the keys of a file.
         *
         * @param origin where a key was written, for messages
         * @throws NullPointerException if a setting has no value; the message is the origin
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
         * Favours throughput: fuller fetches, longer polls, wider windows, fewer commits. Costs up to 100 ms of latency
         * when there are few records, and more repeats after a crash.
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
         * Favours latency: brokers answer at the first byte, and polls are short, so that the first record of a poll
         * does not wait for the last.
         */
        public Builder<K, V> latency() {
            property(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, "1");
            property(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "500");
            return this;
        }

        /**
         * Fits one consumer or many into a small heap: 4 MB of records, short windows, small fetches. A record larger
         * than a fetch is still read, one at a time.
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
            checkRange("commitMetadataChars", commitMetadataChars, 0, MEGABYTE);
            Objects.requireNonNull(commitMetadata, "commitMetadata");
            Objects.requireNonNull(fetch, "fetch");
            checkRange("fetchThreads", fetchThreads, 1, MAX_FETCH_THREADS);
            if (fetchThreads > 1 && fetch != FetchPath.LEAN) {
                throw new IllegalArgumentException("fetchThreads=" + fetchThreads
                        + " needs the lean path, Kafka's client fetches by one thread: fetch=" + fetch
                        + "; set fetch(FetchPath.LEAN), or leave fetchThreads out");
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
