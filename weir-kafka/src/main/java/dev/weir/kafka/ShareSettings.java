package dev.weir.kafka;

import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.internal.settings.SettingsText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a share group consumer. Immutable; created with {@link #builder}. {@link ShareGroupConfig} contains
 * the configuration of the group itself, such as the duration of acquisition locks.
 */
public final class ShareSettings<K, V> {

    /** The start position of a new group, stored as the group's {@code share.auto.offset.reset}. */
    public enum Start {
        /** Starts at the first record of each partition. */
        EARLIEST,
        /** Starts at the first record after the group's first member has joined. */
        LATEST
    }

    private static final Duration LONGEST_CONNECT = Duration.ofMinutes(10);
    private static final int MAX_WORKERS = 100_000;
    private static final int MAX_LANES = 200;
    private static final int MAX_NAME = 255;

    /** Properties that Kafka's share consumer 4.4 refuses or Weir controls, with the reason and an alternative. */
    private static final Map<String, String> REFUSED = refused();

    private final Map<String, String> properties;
    private final Deserializer<K> keyDeserializer;
    private final Deserializer<V> valueDeserializer;
    private final @Nullable Start start;
    private final boolean untilEnd;
    private final int workers;
    private final int maxLanes;
    private final Duration connectTimeout;
    private final FetchPath fetch;
    private final @Nullable String memberName;
    private final ConsumerSettings.UnreadableBatches unreadableBatches;
    private final long maxBatchBytes;
    private final @Nullable DeadLetterTopic deadLetterTopic;
    private final @Nullable DeadLetterTopic parking;

    /**
     * Names of topics on the source cluster. A copy with other properties derives new producer settings for these
     * topics.
     */
    private final @Nullable String deadLetterTopicName;

    private final @Nullable String parkingTopic;

    private ShareSettings(Builder<K, V> from) {
        this.properties = Map.copyOf(from.properties);
        this.keyDeserializer = from.keyDeserializer;
        this.valueDeserializer = from.valueDeserializer;
        this.start = from.start;
        this.untilEnd = from.untilEnd;
        this.workers = from.workers;
        this.maxLanes = from.maxLanes;
        this.connectTimeout = from.connectTimeout;
        this.fetch = from.fetch;
        this.memberName = from.memberName;
        this.unreadableBatches = from.unreadableBatches;
        this.maxBatchBytes = from.maxBatchBytes;
        requireText(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "");
        requireText(ConsumerConfig.GROUP_ID_CONFIG, ": a share group's records belong to the group");
        for (String name : new TreeMap<>(properties).keySet()) {
            String reason = REFUSED.get(name);
            if (reason != null) {
                throw new IllegalArgumentException(name + " does not go with a share group: " + reason);
            }
        }
        checkRange("workers", workers, MAX_WORKERS);
        checkRange("maxLanes", maxLanes, MAX_LANES);
        if (!connectTimeout.isPositive() || connectTimeout.compareTo(LONGEST_CONNECT) > 0) {
            throw new IllegalArgumentException("connectTimeout must be more than zero and at most " + LONGEST_CONNECT
                    + ": connectTimeout=" + connectTimeout);
        }
        checkMemberName();
        checkBatches();
        this.deadLetterTopicName = from.deadLetterTopicName;
        this.parkingTopic = from.parkingTopic;
        this.deadLetterTopic = deadLetterTopicName == null ? from.deadLetterTopic : topic(deadLetterTopicName);
        this.parking = parkingTopic == null ? null : topic(parkingTopic);
    }

    private DeadLetterTopic topic(String topic) {
        return DeadLetterTopic.of(topic, producerSettings(), groupId());
    }

    private static Map<String, String> refused() {
        Map<String, String> refused = new HashMap<>();
        refused.put(
                "auto.offset.reset",
                "where it begins is a setting of the group; set startAt(...), or share.auto.offset.reset of the group");
        refused.put("enable.auto.commit", "it has no offsets to commit; records are acknowledged one by one");
        refused.put("group.instance.id", "it has no static members; leave it out");
        refused.put("isolation.level", "it is a setting of the group; set its share.isolation.level");
        refused.put("partition.assignment.strategy", "the brokers assign; leave it out");
        refused.put("interceptor.classes", "the share consumer has none; leave it out");
        refused.put("session.timeout.ms", "it is a setting of the group; set its share.session.timeout.ms");
        refused.put("heartbeat.interval.ms", "it is a setting of the group; set its share.heartbeat.interval.ms");
        refused.put("group.protocol", "it has its own protocol; leave it out");
        refused.put("group.remote.assignor", "the brokers assign; leave it out");
        refused.put("max.poll.records", "Weir decides how much it asks for; leave it out, workers(n) is the hint");
        refused.put("share.acknowledgement.mode", "Weir acknowledges each record when it is done; leave it out");
        refused.put("share.acquire.mode", "Weir chooses it; leave it out");
        return refused;
    }

    private void requireText(String name, String reason) {
        if (properties.getOrDefault(name, "").isBlank()) {
            throw new IllegalArgumentException(name + " is not set; it is required" + reason);
        }
    }

    private void checkMemberName() {
        if (memberName == null) {
            return;
        }
        if (memberName.isBlank() || memberName.length() > MAX_NAME) {
            throw new IllegalArgumentException(
                    "memberName must have 1 to " + MAX_NAME + " characters: memberName=" + memberName);
        }
        if (fetch != FetchPath.LEAN) {
            throw new IllegalArgumentException("memberName does not go with fetch=" + fetch
                    + ": Kafka's share consumers draw their own ids; set fetch(FetchPath.LEAN)");
        }
    }

    private void checkBatches() {
        boolean limited = maxBatchBytes != ConsumerSettings.BY_PATH;
        if (limited && (maxBatchBytes < ConsumerSettings.MIN_BATCH || maxBatchBytes > ConsumerSettings.MAX_BATCH)) {
            throw new IllegalArgumentException("maxBatchBytes must be " + ConsumerSettings.MIN_BATCH + " to "
                    + ConsumerSettings.MAX_BATCH + ": maxBatchBytes=" + maxBatchBytes);
        }
        boolean decides = unreadableBatches != ConsumerSettings.UnreadableBatches.FAIL;
        if (fetch != FetchPath.LEAN && (limited || decides)) {
            throw new IllegalArgumentException((decides ? "unreadableBatches=" + unreadableBatches : "maxBatchBytes")
                    + " does not go with fetch=" + fetch
                    + ": Kafka's share consumers reject damaged batches by themselves; set fetch(FetchPath.LEAN)");
        }
    }

    private static void checkRange(String name, int value, int max) {
        if (value < 1 || value > max) {
            throw new IllegalArgumentException(name + " must be 1 to " + max + ": " + name + "=" + value);
        }
    }

    /** The properties passed unchanged to the Kafka clients. */
    public Map<String, String> properties() {
        return properties;
    }

    public String groupId() {
        return properties.getOrDefault(ConsumerConfig.GROUP_ID_CONFIG, "");
    }

    /** The key deserializer, called on the pipeline's thread. */
    public Deserializer<K> keyDeserializer() {
        return keyDeserializer;
    }

    /** The value deserializer, called on the pipeline's thread. */
    public Deserializer<V> valueDeserializer() {
        return valueDeserializer;
    }

    /** The start position of a new group, or null if none is set. */
    public @Nullable Start start() {
        return start;
    }

    /** Returns whether the source ends when the group has passed the end offsets; see {@link Builder#untilEnd}. */
    public boolean isUntilEnd() {
        return untilEnd;
    }

    /** The number of records processed concurrently. Determines how many are fetched. */
    public int workers() {
        return workers;
    }

    /** The maximum number of share consumers; used only with {@link FetchPath#CLIENT}. */
    public int maxLanes() {
        return maxLanes;
    }

    public Duration connectTimeout() {
        return connectTimeout;
    }

    /** The implementation that fetches and acknowledges records. */
    public FetchPath fetch() {
        return fetch;
    }

    /** The member name with which a restarted process rejoins the group as the same member, or null. */
    public @Nullable String memberName() {
        return memberName;
    }

    /** The treatment of unreadable batches. */
    public ConsumerSettings.UnreadableBatches unreadableBatches() {
        return unreadableBatches;
    }

    /** The maximum decompressed size of a batch; used only with {@link FetchPath#LEAN}. */
    public long maxBatchBytes() {
        // The client path's default applies to both paths, because share group members decompress batches on the heap.
        return maxBatchBytes == ConsumerSettings.BY_PATH
                ? ConsumerSettings.defaultBatchBytes(FetchPath.CLIENT)
                : maxBatchBytes;
    }

    /** The topic for records that fail in their last delivery, or null. */
    public @Nullable DeadLetterTopic deadLetterTopic() {
        return deadLetterTopic;
    }

    /** The topic for copies of records before their last deliveries, or null. */
    public @Nullable DeadLetterTopic parking() {
        return parking == null ? deadLetterTopic : parking;
    }

    /**
     * Returns settings for a producer on the same cluster: every property that both clients define, including security
     * settings.
     */
    public ProducerSettings<byte[], byte[]> producerSettings() {
        return ProducerSettings.ofConsumer(properties);
    }

    /** Formats the settings for display. Passwords, and properties that the Kafka client does not know, are masked. */
    @Override
    public String toString() {
        return "ShareSettings[properties=" + SettingsText.withoutSecrets(properties, ConsumerConfig.configDef())
                + ", start=" + start + ", untilEnd=" + untilEnd + ", workers=" + workers + ", maxLanes=" + maxLanes
                + ", connectTimeout=" + connectTimeout + ", fetch=" + fetch
                + (memberName == null ? "" : ", memberName=" + memberName) + "]";
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ShareSettings<?, ?> that && all().equals(that.all());
    }

    @Override
    public int hashCode() {
        return all().hashCode();
    }

    private List<@Nullable Object> all() {
        return Arrays.asList(
                properties,
                keyDeserializer,
                valueDeserializer,
                start,
                untilEnd,
                workers,
                maxLanes,
                connectTimeout,
                fetch,
                memberName,
                unreadableBatches,
                maxBatchBytes,
                deadLetterTopicName == null ? deadLetterTopic : deadLetterTopicName,
                parkingTopic);
    }

    /** Returns a builder for records whose key and value remain byte arrays. */
    public static Builder<byte[], byte[]> builder() {
        return builder(new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Returns a builder for records with typed keys and values. */
    public static <K, V> Builder<K, V> builder(Deserializer<K> key, Deserializer<V> value) {
        return new Builder<>(key, value);
    }

    /** Returns a builder that starts with these settings. */
    public Builder<K, V> toBuilder() {
        Builder<K, V> builder = new Builder<>(keyDeserializer, valueDeserializer);
        builder.properties.putAll(properties);
        builder.start = start;
        builder.untilEnd = untilEnd;
        builder.workers = workers;
        builder.maxLanes = maxLanes;
        builder.connectTimeout = connectTimeout;
        builder.fetch = fetch;
        builder.memberName = memberName;
        builder.unreadableBatches = unreadableBatches;
        builder.maxBatchBytes = maxBatchBytes;
        builder.deadLetterTopic = deadLetterTopicName == null ? deadLetterTopic : null;
        builder.deadLetterTopicName = deadLetterTopicName;
        builder.parkingTopic = parkingTopic;
        return builder;
    }

    /** A builder of share group settings. Not thread-safe. Can be used again after {@link #build}. */
    public static final class Builder<K, V> {

        private final Map<String, String> properties = new HashMap<>();
        private final Deserializer<K> keyDeserializer;
        private final Deserializer<V> valueDeserializer;
        private @Nullable Start start;
        private boolean untilEnd;
        private int workers = 16;
        private int maxLanes = 16;
        private Duration connectTimeout = Duration.ofSeconds(30);
        private FetchPath fetch = FetchPath.LEAN;
        private @Nullable String memberName;
        private ConsumerSettings.UnreadableBatches unreadableBatches = ConsumerSettings.UnreadableBatches.FAIL;
        private long maxBatchBytes = ConsumerSettings.BY_PATH;
        private @Nullable DeadLetterTopic deadLetterTopic;
        private @Nullable String deadLetterTopicName;
        private @Nullable String parkingTopic;

        /** The file or variable of each setting, for error messages. */
        private final Map<String, String> origins = new HashMap<>();

        private Builder(Deserializer<K> key, Deserializer<V> value) {
            this.keyDeserializer = Objects.requireNonNull(key, "key");
            this.valueDeserializer = Objects.requireNonNull(value, "value");
        }

        /** Sets the addresses of some brokers: {@code host:port}, separated by commas. Required. */
        public Builder<K, V> bootstrapServers(String hostsAndPorts) {
            return property(
                    ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, Objects.requireNonNull(hostsAndPorts, "hostsAndPorts"));
        }

        /** Sets the share group, which is required. */
        public Builder<K, V> groupId(String groupId) {
            return property(ConsumerConfig.GROUP_ID_CONFIG, Objects.requireNonNull(groupId, "groupId"));
        }

        /** Sets a property of the Kafka clients, including security properties. Later values override earlier ones. */
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
         * {@code weir.dead.letter.topic=orders-dead}; all others are passed to the Kafka clients. A later setting
         * overrides an earlier one.
         *
         * @throws IllegalArgumentException if the file cannot be read, a client property is misspelled, or a
         *     {@code weir.} key does not apply to share groups or has an invalid value; the message gives the line
         *     number
         */
        public Builder<K, V> from(Path file) {
            SettingsReader.apply(SettingsText.read(Objects.requireNonNull(file, "file")), this, origins);
            return this;
        }

        /**
         * Applies environment variables. With the prefix {@code ORDERS_}, the variable {@code ORDERS_GROUP_ID} sets
         * {@code group.id}, and {@code ORDERS_WEIR_WORKERS} sets {@code weir.workers}. Variables without the prefix are
         * ignored.
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
         * Sets the start position of a new group. Weir writes it to the group's configuration before it joins, which
         * requires the ALTER_CONFIGS permission on the group. Weir refuses to start a new group without a start
         * position, because Kafka would start the group at the end and never deliver existing records.
         */
        public Builder<K, V> startAt(Start newStart) {
            this.start = Objects.requireNonNull(newStart, "newStart");
            return this;
        }

        /**
         * Ends the source when the group has passed the end offsets that were determined when the source started, even
         * if other members processed the records. If the group reads only committed records, the last stable offsets
         * are used instead. Records after the start of an open transaction are then left for the next run, and Weir
         * logs a warning. If a partition has no leader, the start fails and the message names the partition.
         */
        public Builder<K, V> untilEnd() {
            this.untilEnd = true;
            return this;
        }

        /**
         * Sets the number of records processed concurrently, 1 to 100,000; default 16. {@link SharedFlow} sets it to
         * its own concurrency. The number of records that a member acquires depends on this setting. With
         * {@link FetchPath#LEAN}, it also depends on measurements during the run.
         */
        public Builder<K, V> workers(int newWorkers) {
            this.workers = newWorkers;
            return this;
        }

        /**
         * Sets the maximum number of share consumers of a run, 1 to 200, default 16; used only with
         * {@link FetchPath#CLIENT}. A run has one share consumer per worker, up to this maximum. Each share consumer
         * acquires the same number of records: the number of workers divided by the number of share consumers, rounded
         * up. Each has two threads and a connection to each broker. Each is also a member of the group, and a group can
         * have 200 members by default ({@code group.share.max.size} of the brokers).
         */
        public Builder<K, V> maxLanes(int newMaxLanes) {
            this.maxLanes = newMaxLanes;
            return this;
        }

        /** Sets the time after which a start fails if brokers have not responded: up to 10 min, default 30 s. */
        public Builder<K, V> connectTimeout(Duration newTimeout) {
            this.connectTimeout = Objects.requireNonNull(newTimeout, "newTimeout");
            return this;
        }

        /**
         * Sets the fetch path; the default is {@link FetchPath#LEAN}, which runs one member on one thread. The member
         * has one connection per broker and one for the group. It acquires further records as soon as some are
         * finished, and Weir adapts the number of records acquired in advance. {@link FetchPath#CLIENT} is for users
         * who must use Kafka's own client. A run then uses up to {@link #maxLanes} of Kafka's share consumers. Each
         * share consumer fetches again only when all records of its last fetch are finished, and acquires almost no
         * records in advance.
         */
        public Builder<K, V> fetch(FetchPath path) {
            this.fetch = Objects.requireNonNull(path, "path");
            return this;
        }

        /**
         * Sets a member name that the process keeps across restarts, such as the pod name in a stateful set: 1 to 255
         * characters, only for {@link FetchPath#LEAN}. A member that restarts under the same name gets its partitions
         * immediately. Without a name, a restarted process joins as a new member, and the group reassigns the
         * partitions of a killed member only after its session times out (45 s by default). Two running processes of a
         * group must never have the same name, because each would keep evicting the other.
         */
        public Builder<K, V> memberName(String name) {
            this.memberName = Objects.requireNonNull(name, "name");
            return this;
        }

        /**
         * Sets the topic for records that fail in the last delivery that the group allows ({@link SharedFlow}). Without
         * {@link #parking}, the topic also receives a copy of each record before its last two deliveries begin, so that
         * no crash can lose the record. By default there is no such topic, and a record that fails in its last delivery
         * is never delivered again.
         */
        public Builder<K, V> deadLetterTopic(DeadLetterTopic topic) {
            this.deadLetterTopic = Objects.requireNonNull(topic, "topic");
            this.deadLetterTopicName = null;
            return this;
        }

        /** Sends dead-letter records to this topic on the source cluster, with the same security settings. */
        public Builder<K, V> deadLetterTopic(String topic) {
            this.deadLetterTopicName = Objects.requireNonNull(topic, "topic");
            this.deadLetterTopic = null;
            return this;
        }

        /**
         * Sets the treatment of a batch that is larger than {@link #maxBatchBytes}, damaged, or compressed with an
         * unknown codec; the default is {@link ConsumerSettings.UnreadableBatches#FAIL}. SKIP rejects the batch's
         * offsets. DEAD_LETTER writes the batch to the dead-letter topic and then accepts its offsets; it requires a
         * {@link SharedFlow} with a dead-letter topic. Only for {@link FetchPath#LEAN}.
         */
        public Builder<K, V> unreadableBatches(ConsumerSettings.UnreadableBatches policy) {
            this.unreadableBatches = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /**
         * Sets the maximum decompressed size of a batch, 64 KB to 1 GB; default a quarter of the heap. Only for
         * {@link FetchPath#LEAN}.
         */
        public Builder<K, V> maxBatchBytes(long bytes) {
            this.maxBatchBytes = bytes;
            return this;
        }

        /**
         * Sets the topic to which a record is copied before its last two deliveries. The default is the dead-letter
         * topic.
         */
        public Builder<K, V> parking(String topic) {
            this.parkingTopic = Objects.requireNonNull(topic, "topic");
            return this;
        }

        /**
         * Builds the settings.
         *
         * @throws IllegalArgumentException if {@code group.id} or the address is missing, a property cannot be used
         *     with share groups, or a value is out of bounds
         */
        public ShareSettings<K, V> build() {
            try {
                return new ShareSettings<>(this);
            } catch (IllegalArgumentException refusal) {
                throw SettingsReader.located(refusal, origins);
            }
        }
    }
}
