package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests {@code weir produce} and {@code weir consume} against a broker. {@code RecordsArgumentsTest} tests wrong
 * options.
 */
class ProduceConsumeTest {

    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private static KafkaCluster cluster;

    @TempDir
    private static Path folder;

    @BeforeAll
    static void startCluster() {
        cluster = KafkaCluster.builder().start();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    private static String[] words(String command, String topic, String... more) {
        return Stream.concat(
                        Stream.of(command, "--bootstrap-server", cluster.bootstrapServers(), "--topic", topic),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    private static String run(String command, String topic, String... more) {
        return WeirCommand.output(words(command, topic, more));
    }

    private static List<String> records(String topic) {
        List<String> all = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> each :
                Records.readAll(cluster.bootstrapServers(), topic, IsolationLevel.READ_UNCOMMITTED)) {
            StringBuilder text = new StringBuilder();
            text.append(each.key() == null ? null : new String(each.key(), UTF_8));
            text.append('=').append(new String(each.value(), UTF_8));
            each.headers()
                    .forEach(header -> text.append(' ')
                            .append(header.key())
                            .append('=')
                            .append(new String(header.value(), UTF_8)));
            all.add(text.toString());
        }
        return all;
    }

    @Test
    void file_withKeysAndHeaders_isWritten_andReadBackAsJson() throws Exception {
        cluster.createTopic("file", 1);
        Path file = Files.writeString(folder.resolve("lines.txt"), "alice:one\nbob:zwölf: 12\nalice:\n");
        String summary = run(
                "produce",
                "file",
                "--file",
                file.toString(),
                "--key-separator",
                ":",
                "--header",
                "a=1",
                "--header",
                "b=x=y",
                "--json");
        assertThat(records("file"))
                .containsExactly("alice=one a=1 b=x=y", "bob=zwölf: 12 a=1 b=x=y", "alice= a=1 b=x=y");
        assertThat(summary).contains("\"records\":3,\"bytes\":26,\"records_per_second\":");

        List<String> lines = run("consume", "file", "--from", "beginning", "--max", "3", "--format", "json")
                .lines()
                .toList();
        assertThat(lines).hasSize(3);
        assertThat(lines.get(1))
                .startsWith("{\"topic\":\"file\",\"partition\":0,\"offset\":1,\"timestamp\":1")
                .endsWith(
                        ",\"key\":\"bob\",\"value\":\"zw\\u00F6lf: 12\",\"headers\":[[\"a\",\"1\"],[\"b\",\"x=y\"]]}");
        assertThat(cluster.admin().listGroups().all().get()).isEmpty();
    }

    @Test
    void generated_areWritten_andReadFromAnOffsetOfOnePartition() throws Exception {
        cluster.createTopic("made", 3);
        run("produce", "made", "--count", "3000", "--size", "20", "--keys", "50");
        List<String> all = records("made");
        assertThat(all).hasSize(3000).allMatch(each -> each.matches("key-\\d+=record \\d+ [a-z]*"));
        assertThat(all.stream().map(each -> each.replaceFirst("=.*", "")).distinct())
                .hasSize(50);

        long end = cluster.endOffsets("made").get(new TopicPartition("made", 1));
        String last = run("consume", "made", "--partition", "1", "--from", Long.toString(end - 2), "--max", "2");
        assertThat(last.lines()).hasSize(2).allMatch(line -> line.startsWith("1:"));

        WeirCommand wrong = WeirCommand.run(words("consume", "made", "--partition", "3"));
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err()).contains("--partition must be a partition of topic made, which has 0 to 2");
    }

    @Test
    void consume_fromATime_beginsThere() throws Exception {
        cluster.createTopic("times", 2);
        Records.produce(cluster.bootstrapServers(), "times", 0, 10);
        long latest = Records.readAll(cluster.bootstrapServers(), "times", IsolationLevel.READ_UNCOMMITTED).stream()
                .mapToLong(ConsumerRecord::timestamp)
                .max()
                .orElseThrow();
        String at = Instant.ofEpochMilli(latest).toString();
        String lines = run("consume", "times", "--from", at, "--max", "1");
        assertThat(lines).contains("\t" + at + "\t");
    }

    /** Kafka's consumer cannot look up times before 1970. */
    @Test
    void consume_fromATimeBefore1970_beginsAtTheBeginning() {
        cluster.createTopic("ancient", 1);
        Records.produce(cluster.bootstrapServers(), "ancient", 0, 2);
        assertThat(run("consume", "ancient", "--from", "1969-12-31", "--max", "2"))
                .startsWith("0:0\t");
    }

    /** The command's own limit for a record must allow a longer request timeout. */
    @Test
    void produce_withALongerTimeForRequests_isNotRefused() throws Exception {
        cluster.createTopic("patient", 1);
        Path config = Files.writeString(folder.resolve("patient.properties"), "request.timeout.ms=180000\n");
        run("produce", "patient", "--count", "2", "--client-config", config.toString());
        assertThat(records("patient")).hasSize(2);
    }

    /** Lines typed into one command reach another command, which began at the end of the topic. */
    @Test
    void lines_ofStandardInput_reachAReader_andBothEndWithASignal() throws Exception {
        cluster.createTopic("typed", 1);
        Records.produce(cluster.bootstrapServers(), "typed", 0, 5);
        try (PipeProcess reader = PipeProcess.start(words("consume", "typed", "--from", "end"));
                PipeProcess writer = PipeProcess.start(words("produce", "typed", "--json"))) {
            Awaitility.await()
                    .atMost(DEADLINE)
                    .until(() -> reader.err().contains("reading 1 partition of topic typed"));
            writer.type("hello\033[2J\nhalf a li");
            Awaitility.await().atMost(DEADLINE).until(() -> reader.out().endsWith("\n"));
            assertThat(reader.out()).startsWith("0:5\t").endsWith("\tnull\thello\\u001b[2J\n");
            writer.signal("INT");
            reader.signal("TERM");
            assertThat(writer.exitCode(DEADLINE)).as(writer.err()).isZero();
            assertThat(reader.exitCode(DEADLINE)).as(reader.err()).isZero();
            assertThat(writer.out()).contains("\"records\":1,\"bytes\":9");
        }
        assertThat(records("typed")).hasSize(6);
    }

    @Test
    void recordThatTheBrokerRefuses_isNamed() throws Exception {
        cluster.createTopic("compacted", 1, Map.of("cleanup.policy", "compact"));
        Path file = Files.writeString(folder.resolve("keyless.txt"), "a\nb\n");
        WeirCommand writer = WeirCommand.run(words("produce", "compacted", "--file", file.toString(), "--json"));
        assertThat(writer.exitCode()).isEqualTo(1);
        assertThat(writer.err()).contains("line 1 of " + file + " cannot be written to compacted: ");
        assertThat(writer.out()).startsWith("{\"records\":0,\"bytes\":0,").contains("\"error\":\"line 1 of ");
    }

    @Test
    void lineWithoutAKey_isNamed_andThoseBeforeItAreWritten() throws Exception {
        cluster.createTopic("keyed", 1);
        Path file = Files.writeString(folder.resolve("keyed.txt"), "a=1\nb=2\nno key\nd=4\n");
        WeirCommand writer =
                WeirCommand.run(words("produce", "keyed", "--file", file.toString(), "--key-separator", "=", "--json"));
        assertThat(writer.exitCode()).isEqualTo(1);
        assertThat(writer.err()).contains("line 3 of " + file + " has no key");
        assertThat(writer.out()).startsWith("{\"records\":2,\"bytes\":4,");
        assertThat(records("keyed")).containsExactly("a=1", "b=2");
    }

    @Test
    void missingTopic_isReported_andNotMade() throws Exception {
        WeirCommand reader = WeirCommand.run(words("consume", "missing", "--format", "json"));
        assertThat(reader.exitCode()).isEqualTo(1);
        assertThat(reader.err()).contains("there is no topic missing at");
        assertThat(reader.out()).startsWith("{\"error\":\"there is no topic missing");
        assertThat(cluster.admin().listTopics().names().get()).doesNotContain("missing");
    }

    @Test
    void securedCluster_isReachedByTheClientFile() throws Exception {
        try (SecuredKafka secured = SecuredKafka.start(folder)) {
            secured.cluster().createTopic("secret", 1);
            String config = secured.clientConfig(SecuredKafka.PASSWORD).toString();
            String[] cluster = {
                "--bootstrap-server", secured.bootstrapServers(), "--topic", "secret", "--client-config", config
            };
            WeirCommand.output(Stream.concat(Stream.of("produce", "--count", "2", "--keys", "2"), Stream.of(cluster))
                    .toArray(String[]::new));
            String read = WeirCommand.output(Stream.concat(Stream.of("consume", "--max", "2"), Stream.of(cluster))
                    .toArray(String[]::new));
            assertThat(read.lines()).hasSize(2);
        }
    }
}
