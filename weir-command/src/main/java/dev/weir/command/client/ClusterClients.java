package dev.weir.command.client;

import dev.weir.command.terminal.CliFailure;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Subscription;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a command's Kafka clients, and a check that they reach their cluster. Confined to one thread.
 *
 * <p>A command checks before it starts its pipeline, because a Kafka client that cannot connect waits in silence for
 * minutes.
 */
public final class ClusterClients {

    /** Default time limit for the check's two requests. A failing command then exits within 15 s. */
    public static final String DEFAULT_PATIENCE = "10s";

    /** Default time limit of {@link #writerConfig} for delivering a record, as in Kafka's producer. */
    public static final Duration DELIVERY_TIMEOUT = Duration.ofMinutes(2);

    private static final Duration MAX_PATIENCE = Duration.ofMinutes(10);

    /** Prefixes of keys that are always accepted. They belong to plug-ins or apply to all clients. */
    private static final List<String> PREFIXES = List.of("config.providers", "metrics.context.");

    /** Keys without effect, because a pipe passes records on as bytes. */
    private static final Set<String> WITHOUT_EFFECT =
            Set.of("key.deserializer", "value.deserializer", "key.serializer", "value.serializer");

    private static final String WEIRS_OWN = "weir.";

    /** Heap needed per record of a poll. A large record may have a small compressed batch. */
    private static final long POLL_RECORD_BYTES = 4L * 1024 * 1024;

    private static final int MIN_POLL_RECORDS = 10;

    private final String bootstrapServers;
    private final @Nullable String group;
    private final @Nullable SettingsFile file;
    private final Duration patience;
    private final Map<String, String> properties;

    private @Nullable String consumerId;

    /**
     * Reads the settings of {@code file}. Refuses misspelled and repeated keys.
     *
     * @param group the consumer group, or null for consumers without one
     */
    public ClusterClients(String bootstrapServers, @Nullable String group, @Nullable Path file, Duration patience) {
        this(bootstrapServers, group, patience, file == null ? null : SettingsFile.read(file));
    }

    ClusterClients(String bootstrapServers, @Nullable String group, Duration patience, @Nullable SettingsFile file) {
        if (!patience.isPositive() || patience.compareTo(MAX_PATIENCE) > 0) {
            throw CliFailure.badValue("--connect-timeout", patience, "more than 0s and at most 10m");
        }
        this.patience = patience;
        this.bootstrapServers = bootstrapServers;
        this.group = group;
        this.file = file;
        this.properties = file == null ? Map.of() : file.settings();
        if (file != null) {
            // Check the file with the producer's settings, which accept the keys of all clients.
            configured(() -> ProducerSettings.builder().from(properties, file::origin));
        }
    }

    /**
     * Sets the consumers' {@code client.id}. Keeps an id from the file, because quotas may depend on it.
     *
     * @param clientId null to use the names that Kafka's client generates
     */
    public void nameConsumers(@Nullable String clientId) {
        consumerId = properties.containsKey(ConsumerConfig.CLIENT_ID_CONFIG) ? null : clientId;
    }

    /** Returns the {@code client.id} set by {@link #nameConsumers}; null if none was set. */
    public @Nullable String consumerId() {
        return consumerId;
    }

    public ConsumerSettings<byte[], byte[]> consumer() {
        return consumer(null);
    }

    /** Returns the settings of a consumer on {@code path}; null selects the path of the settings file. */
    public ConsumerSettings<byte[], byte[]> consumer(@Nullable FetchPath path) {
        return configured(() -> {
            var builder = ConsumerSettings.builder();
            if (file != null) {
                builder.from(properties, file::origin);
            }
            if (path != null) {
                builder.fetch(path);
            }
            if (group != null) {
                builder.groupId(group);
            }
            if (consumerId != null) {
                builder.property(ConsumerConfig.CLIENT_ID_CONFIG, consumerId);
            }
            return builder.bootstrapServers(bootstrapServers).build();
        });
    }

    /** Returns the configuration of a consumer without a group, whose partitions are assigned manually. */
    public Map<String, Object> readerConfig() {
        Map<String, Object> config = limitPolls(consumer().clientConfig());
        config.keySet().removeIf(name -> name.startsWith("group."));
        return config;
    }

    /**
     * Limits the records of a poll by the size of the heap, unless the file has a limit. Kafka's client has no limit in
     * bytes. Returns {@code config}.
     */
    public Map<String, Object> limitPolls(Map<String, Object> config) {
        String name = ConsumerConfig.MAX_POLL_RECORDS_CONFIG;
        if (!properties.containsKey(name)) {
            long most = Runtime.getRuntime().maxMemory() / POLL_RECORD_BYTES;
            config.computeIfPresent(
                    name,
                    (key, records) -> Math.clamp(
                            most,
                            MIN_POLL_RECORDS,
                            Integer.parseInt(records.toString().strip())));
        }
        return config;
    }

    /** Returns the settings of a producer on {@code path}; null selects the path of the settings file. */
    public ProducerSettings<byte[], byte[]> producer(@Nullable ProducePath path) {
        return configured(() -> {
            var builder = ProducerSettings.builder();
            if (file != null) {
                builder.from(properties, file::origin);
            }
            if (path != null) {
                builder.produce(path);
            }
            return builder.bootstrapServers(bootstrapServers).build();
        });
    }

    /**
     * Returns the configuration of a plain producer. Unlike a pipeline, it has a delivery timeout, because a command
     * must not wait forever for a partition without a leader. The default is {@link #DELIVERY_TIMEOUT}, or more if the
     * file has a long request timeout. Ignores the file's transactional id.
     */
    public Map<String, Object> writerConfig() {
        Map<String, Object> config = producer(ProducePath.CLIENT).clientConfig();
        if (!properties.containsKey(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG)) {
            config.remove(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG);
        }
        config.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        return config;
    }

    /** Runs code that reads the properties. Reports a refused value as the user's mistake. */
    public <T> T configured(Supplier<T> maker) {
        try {
            return maker.get();
        } catch (IllegalArgumentException e) {
            throw refused(e);
        } catch (KafkaException e) {
            // Kafka throws this exception only before it sends anything: the configuration is at fault.
            throw refused(e);
        }
    }

    private CliFailure refused(Exception e) {
        ClientFault fault = ClientFault.of(e, ofKafka());
        if (fault.reason().contains("bootstrap")) {
            return CliFailure.work(
                    "no address of --bootstrap-server=" + bootstrapServers + " can be used: " + fault.reason(),
                    "Check the host name.",
                    e);
        }
        String sentence = OptionNames.in(fault.sentence());
        // The sentence names a command-line option, so the file is not at fault.
        if (sentence.startsWith("--")) {
            return CliFailure.usage(sentence, "");
        }
        if (file == null) {
            return CliFailure.usage("a Kafka client refuses its configuration: " + sentence, "");
        }
        // Weir's message for a refused setting begins with file name and line. Replace the name by the option.
        String line = file.path().getFileName() + ":";
        String own = e instanceof IllegalArgumentException ? OptionNames.in(oneLine(e)) : "";
        return CliFailure.usage(
                "--client-config=" + file.path() + ":"
                        + (own.startsWith(line) ? own.substring(line.length()) : " " + sentence),
                "");
    }

    /** Path of the settings file. Call only if there is one. */
    private Path path() {
        return Objects.requireNonNull(file).path();
    }

    private static String oneLine(Throwable e) {
        return e.getMessage() == null ? e.toString() : ClientFault.oneLine(e.getMessage());
    }

    /** Returns a warning for each setting of the file that has no effect or is unknown to Kafka's clients. */
    public List<String> warnings() {
        Set<String> known = new HashSet<>(ConsumerConfig.configNames());
        known.addAll(ProducerConfig.configNames());
        known.addAll(AdminClientConfig.configNames());
        List<String> warnings = new ArrayList<>();
        for (String name : new TreeSet<>(ofKafka().keySet())) {
            if (WITHOUT_EFFECT.contains(name)) {
                warnings.add(name + " in " + path() + " has no effect: keys and values pass as bytes");
            } else if (!known.contains(name) && PREFIXES.stream().noneMatch(name::startsWith)) {
                warnings.add(name + " in " + path() + " is known to no Kafka client: passed on, for plug-ins");
            }
        }
        return warnings;
    }

    /** Returns a warning for each consumer setting that users rarely want, in addition to {@link #warnings()}. */
    public static List<String> warnings(ConsumerSettings<?, ?> consumer, Subscription subscription) {
        return consumer.warnings(subscription).stream()
                .filter(warning -> WITHOUT_EFFECT.stream().noneMatch(warning::startsWith))
                .map(OptionNames::in)
                .toList();
    }

    /** The file's settings for Kafka's clients. */
    public Map<String, String> ofKafka() {
        Map<String, String> config = new HashMap<>();
        properties.forEach((name, value) -> {
            if (!name.startsWith(WEIRS_OWN)) {
                config.put(name, value);
            }
        });
        return config;
    }

    /**
     * Refuses a file with Weir's own settings except {@code weir.produce}: the other settings apply only to consumer
     * groups.
     *
     * @param option the option that cannot be combined with these settings
     */
    public void refuseOwn(String option) {
        properties.keySet().stream()
                .filter(name -> name.startsWith(WEIRS_OWN) && !name.equals(WEIRS_OWN + "produce"))
                .sorted()
                .findFirst()
                .ifPresent(name -> {
                    throw CliFailure.usage(
                            "--client-config=" + path() + ": " + name + " does not go with " + option,
                            "It is a setting of consumer groups: take it out of the file.");
                });
    }

    private Map<String, Object> adminConfig() {
        int millis = (int) patience.toMillis();
        Map<String, Object> config = new HashMap<>(ofKafka());
        config.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis);
        config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
        return config;
    }

    /** Returns an admin client with {@code --connect-timeout} as its time limit. The caller closes it. */
    public Admin admin() {
        return configured(() -> Admin.create(adminConfig()));
    }

    /** Checks that a broker answers and knows all the topics. Otherwise throws an exception with the reason. */
    public void check(List<String> topics) throws InterruptedException {
        FirstAnswer.check(bootstrapServers, adminConfig());
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        Admin admin = admin();
        try {
            get(admin.describeCluster().nodes(), "", deadlineNanos);
            Map<String, KafkaFuture<TopicDescription>> found =
                    admin.describeTopics(topics).topicNameValues();
            for (Map.Entry<String, KafkaFuture<TopicDescription>> each : found.entrySet()) {
                get(each.getValue(), each.getKey(), deadlineNanos);
            }
        } finally {
            admin.close(Duration.ZERO);
        }
    }

    private void get(KafkaFuture<?> answer, String topic, long deadlineNanos) throws InterruptedException {
        try {
            answer.get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw unreachable(e);
        } catch (ExecutionException e) {
            throw failure(e.getCause() == null ? e : e.getCause(), topic);
        }
    }

    private CliFailure failure(Throwable cause, String topic) {
        return switch (cause) {
            case org.apache.kafka.common.errors.TimeoutException timeout -> unreachable(timeout);
            case AuthenticationException denied ->
                CliFailure.work(
                        "authentication failed at " + bootstrapServers + ": " + ClientFault.withCause(denied),
                        "Check security.protocol, sasl.* and ssl.* in the file given to --client-config.",
                        denied);
            case AuthorizationException denied ->
                CliFailure.work(
                        "not allowed by " + bootstrapServers + ": " + oneLine(denied),
                        "Ask for the rights to read and write the topics and to use --group.",
                        denied);
            case UnknownTopicOrPartitionException missing ->
                CliFailure.work(
                        "there is no topic " + topic + " at " + bootstrapServers,
                        "Create it first, or correct its name.",
                        missing);
            case InvalidTopicException invalid ->
                CliFailure.usage("'" + topic + "' cannot be the name of a topic: " + oneLine(invalid), "");
            default ->
                CliFailure.work(
                        "the brokers at " + bootstrapServers + " refuse: " + ClientFault.withCause(cause),
                        "--verbose shows the client's log.",
                        cause);
        };
    }

    private static String seconds(Duration time) {
        return time.toMillis() % 1000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
    }

    private CliFailure unreachable(Exception cause) {
        return CliFailure.work(
                "no broker answers at " + bootstrapServers + " within " + seconds(patience),
                "Check address and security settings; --connect-timeout waits longer; 'weir broker' starts one for"
                        + " development.",
                cause);
    }
}
