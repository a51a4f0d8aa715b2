package dev.weir.cli;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * How the clients of a pipe reach their cluster, and the check that they do. Confined to one thread.
 *
 * <p>The check comes before the pipeline, because a Kafka client that cannot connect waits in silence for minutes.
 */
final class PipeClients {

    /** For the two calls of the check together; leaves the process time to start and end within 15 s. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** What the keys begin with that are not for Kafka's clients. */
    private static final String WEIRS_OWN = "weir.";

    private final String bootstrapServers;
    private final String group;
    private final @Nullable Path file;
    private final Properties properties;

    PipeClients(String bootstrapServers, String group, @Nullable Path file) {
        this.bootstrapServers = bootstrapServers;
        this.group = group;
        this.file = file;
        this.properties = file == null ? new Properties() : read(file);
    }

    private static Properties read(Path file) {
        Properties properties = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            properties.load(in);
            return properties;
        } catch (CharacterCodingException e) {
            throw unreadable(file, "not a text in UTF-8");
        } catch (IOException e) {
            throw unreadable(file, CliFailure.reason(e));
        } catch (IllegalArgumentException e) { // A broken \\u escape.
            throw unreadable(file, String.valueOf(e.getMessage()));
        }
    }

    private static CliFailure unreadable(Path file, String why) {
        return CliFailure.badValue("--client-config", file, "a properties file that can be read (" + why + ")");
    }

    ConsumerSettings<byte[], byte[]> consumer() {
        return configured(() -> {
            var builder = ConsumerSettings.builder();
            return (file == null ? builder : builder.from(file))
                    .bootstrapServers(bootstrapServers)
                    .groupId(group)
                    .build();
        });
    }

    ProducerSettings<byte[], byte[]> producer() {
        return configured(() -> {
            var builder = ProducerSettings.builder();
            return (file == null ? builder : builder.from(file))
                    .bootstrapServers(bootstrapServers)
                    .build();
        });
    }

    /** Runs what reads the properties; a value that it refuses is the user's to correct. */
    <T> T configured(Supplier<T> maker) {
        try {
            return maker.get();
        } catch (IllegalArgumentException e) {
            throw refused(e);
        } catch (KafkaException e) {
            // Thrown when a client is made: nothing was sent yet, so it is about the configuration.
            throw e.getCause() == null && !(e instanceof ConfigException) ? e : refused(e);
        }
    }

    private CliFailure refused(Exception e) {
        Throwable cause = e;
        // What Weir itself refuses says where it stands, in the outermost exception.
        while (cause.getCause() != null && !(cause instanceof IllegalArgumentException)) {
            cause = cause.getCause();
        }
        String message = oneLine(cause);
        if (message.contains("bootstrap")) {
            return CliFailure.work(
                    "no address of --bootstrap-server=" + bootstrapServers + " can be used: " + message,
                    "Check the host name.",
                    e);
        }
        if (file == null) {
            return CliFailure.usage("a Kafka client refuses its configuration: " + message, "");
        }
        String line = file.getFileName() + ":";
        return CliFailure.usage(
                "--client-config=" + file + ":"
                        + (message.startsWith(line) ? message.substring(line.length()) : " " + message),
                "");
    }

    private static String oneLine(Throwable e) {
        String message = e.getMessage();
        return (message == null ? e.toString() : message)
                .replaceAll("\\s*\\R\\s*", " ")
                .replaceAll("\\.$", "");
    }

    /** What the file says for Kafka's clients. */
    Map<String, String> ofKafka() {
        Map<String, String> config = new HashMap<>();
        properties.stringPropertyNames().stream()
                .filter(name -> !name.startsWith(WEIRS_OWN))
                .forEach(name -> config.put(name, String.valueOf(properties.getProperty(name))));
        return config;
    }

    /** Returns if a broker answers and knows all the topics; throws what is in the way. */
    void check(List<String> topics) throws InterruptedException {
        Map<String, Object> config = new HashMap<>(ofKafka());
        config.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
        config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
        FirstAnswer.check(bootstrapServers, config);
        long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
        Admin admin = configured(() -> Admin.create(config));
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
                        "authentication failed at " + bootstrapServers + ": " + oneLine(denied),
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
                        "the brokers at " + bootstrapServers + " refuse: " + oneLine(cause),
                        "--verbose shows what the client says.",
                        cause);
        };
    }

    private CliFailure unreachable(Exception cause) {
        return CliFailure.work(
                "no broker answers at " + bootstrapServers + " within " + PATIENCE.toSeconds() + " s",
                "Check address and security settings; 'weir broker' starts one for development.",
                cause);
    }
}
