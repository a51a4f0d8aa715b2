package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PipeExecTest {

    private static KafkaCluster cluster;

    @BeforeAll
    static void startCluster() {
        cluster = KafkaCluster.builder().start();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @Test
    void sed_answersEachLine_andKeyHeadersAndTimestampPassThrough() throws Exception {
        createTopics("sed");
        produce("sed-in", record("sed-in", "grüße, world".getBytes(UTF_8)));
        Records.produce(cluster.bootstrapServers(), "sed-in", 0, 20_000, 100);

        String summary = WeirCommand.output(args("sed", "exec:sed s/world/Weir/", "--json"));

        assertThat(summary).contains("\"records_out\":20001", "\"dead_lettered\":0", "\"drained\":true");
        List<ConsumerRecord<byte[], byte[]>> output = output("sed-out");
        ConsumerRecord<byte[], byte[]> first = output.getFirst();
        assertThat(first.value()).asString(UTF_8).isEqualTo("grüße, Weir");
        assertThat(first.key()).asString(UTF_8).isEqualTo("key");
        assertThat(first.timestamp()).isEqualTo(1234);
        assertThat(first.headers().toArray()).containsExactly(new RecordHeader("h", new byte[] {1, 2}));
        assertThat(Records.numbers(output.subList(1, output.size())))
                .isEqualTo(LongStream.range(0, 20_000).boxed().toList());
    }

    @Test
    void processThatEndsEarly_failsWithItsStatusAndLastWords_andCommitsOnlyWhatItAnswered() {
        createTopics("dies");
        Records.produce(cluster.bootstrapServers(), "dies-in", 0, 5000, 100);
        // The command answers 1000 lines and ends with status 3.
        String command = "exec:head -n 1000; echo out of paper >&2; exit 3";
        WeirCommand pipe = WeirCommand.run(args("dies", command));
        assertThat(pipe.exitCode()).as(pipe.err()).isEqualTo(1);
        assertThat(pipe.err())
                .contains("the exec command ended with exit status 3, after 1000 answers; it said: out of paper")
                .doesNotContain("\tat ");
        long written = cluster.endOffsets("dies-out").values().stream()
                .mapToLong(Long::longValue)
                .sum();
        long committed = cluster.committedOffsets("dies").values().stream()
                .mapToLong(Long::longValue)
                .sum();
        assertThat(committed).isLessThanOrEqualTo(written);

        WeirCommand.output(args("dies", "exec:cat"));
        assertThat(Records.numbers(output("dies-out")).stream().distinct().toList())
                .isEqualTo(LongStream.range(0, 5000).boxed().toList());
    }

    @Test
    void valueThatIsNoLine_failsNamingTheRecord_orBecomesADeadLetter() throws Exception {
        createTopics("lines");
        cluster.createTopic("lines-dead", 1);
        produce("lines-in", record("lines-in", "one".getBytes(UTF_8)));
        produce("lines-in", record("lines-in", "two\nlines".getBytes(UTF_8)));
        produce("lines-in", record("lines-in", null));
        WeirCommand pipe = WeirCommand.run(args("lines", "exec:cat"));
        assertThat(pipe.exitCode()).as(pipe.err()).isEqualTo(1);
        assertThat(pipe.err())
                .contains("record lines-in-0@1 cannot go through exec: its value holds a line break", "--dead-letter")
                .doesNotContain("\tat ");

        String summary = WeirCommand.output(args("lines", "exec:cat", "--dead-letter", "lines-dead", "--json"));

        assertThat(summary).contains("\"dead_lettered\":2");
        List<ConsumerRecord<byte[], byte[]>> deadLetters = output("lines-dead");
        assertThat(deadLetters).hasSize(2);
        ConsumerRecord<byte[], byte[]> deadLetter = deadLetters.getFirst();
        assertThat(deadLetter.value()).asString(UTF_8).isEqualTo("two\nlines");
        assertThat(deadLetter.key()).asString(UTF_8).isEqualTo("key");
        assertThat(deadLetter.headers().lastHeader("weir-dlq-reason").value())
                .asString(UTF_8)
                .isEqualTo("NOT_A_LINE");
        assertThat(deadLetter.headers().lastHeader("weir-dlq-offset").value())
                .asString(UTF_8)
                .isEqualTo("1");
        assertThat(deadLetters.get(1).value()).isNull();
    }

    /** Regression: a dead-letter record was counted although its transaction was aborted. */
    @Test
    void deadLetter_ofAnAbortedTransaction_isNotCounted() throws Exception {
        createTopics("aborted");
        cluster.createTopic("aborted-dead", 1);
        produce("aborted-in", record("aborted-in", "two\nlines".getBytes(UTF_8)));
        produce("aborted-in", record("aborted-in", "one".getBytes(UTF_8)));
        String[] more = {
            "--dead-letter", "aborted-dead", "--json", "--guarantee", "exactly-once", "--commit-interval", "20s"
        };
        WeirCommand pipe = WeirCommand.run(args("aborted", "exec:read line; exit 3", more));
        assertThat(pipe.exitCode()).as(pipe.err()).isEqualTo(1);
        assertThat(pipe.out()).as(pipe.err()).contains("\"records_out\":0", "\"dead_lettered\":0");

        String summary = WeirCommand.output(args("aborted", "exec:cat", more));
        assertThat(summary).contains("\"records_out\":1", "\"dead_lettered\":1");
    }

    /** Regression: the dead-letter record was counted although an earlier record had failed the pipe. */
    @Test
    void deadLetter_thatIsNotWritten_isNotCounted() throws Exception {
        createTopics("unwritten");
        cluster.createTopic("unwritten-dead", 1);
        produce("unwritten-in", record("unwritten-in", "one".getBytes(UTF_8)));
        produce("unwritten-in", record("unwritten-in", "two\nlines".getBytes(UTF_8)));
        String[] more = {"--dead-letter", "unwritten-dead", "--json"};
        WeirCommand pipe = WeirCommand.run(args("unwritten", "exec:read line; sleep 1; exit 3", more));
        assertThat(pipe.exitCode()).as(pipe.err()).isEqualTo(1);
        assertThat(pipe.out()).as(pipe.err()).contains("\"records_out\":0", "\"dead_lettered\":0");
        assertThat(output("unwritten-dead")).isEmpty();

        String summary = WeirCommand.output(args("unwritten", "exec:cat", more));
        assertThat(summary).contains("\"records_out\":1", "\"dead_lettered\":1");
    }

    private static void createTopics(String name) {
        cluster.createTopic(name + "-in", 1);
        cluster.createTopic(name + "-out", 1);
    }

    private static String[] args(String name, String via, String... more) {
        return Stream.concat(
                        Stream.of("pipe", "--bootstrap-server", cluster.bootstrapServers(), "--from", name + "-in"),
                        Stream.concat(
                                Stream.of("--to", name + "-out", "--group", name, "--until-end", "--via", via),
                                Arrays.stream(more)))
                .toArray(String[]::new);
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, byte[] value) {
        return new ProducerRecord<>(
                topic, null, 1234L, "key".getBytes(UTF_8), value, List.of(new RecordHeader("h", new byte[] {1, 2})));
    }

    private static void produce(String topic, ProducerRecord<byte[], byte[]> record) throws Exception {
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", cluster.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            assertThat(producer.send(record).get().topic()).isEqualTo(topic);
        }
    }

    private static List<ConsumerRecord<byte[], byte[]>> output(String topic) {
        return Records.readAll(cluster.bootstrapServers(), topic, IsolationLevel.READ_UNCOMMITTED);
    }
}
