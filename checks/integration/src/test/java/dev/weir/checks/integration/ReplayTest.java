package dev.weir.checks.integration;

import static dev.weir.checks.integration.FailureTopics.record;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests {@code weir replay} with dead-letter records that {@code weir pipe} has written. */
class ReplayTest {

    private static KafkaCluster cluster;

    @BeforeAll
    static void startCluster() {
        cluster = KafkaCluster.builder().start();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    /** A command that fails for values with an x. */
    private static final String COMMAND =
            "each:v=$(cat); case $v in *x*) echo no x please >&2; exit 3;; esac; printf %s \"$v\"";

    private static void createTopics(String name) {
        cluster.createTopic(name + "-in", 3);
        cluster.createTopic(name + "-out", 1);
        cluster.createTopic(name + "-dead", 2);
    }

    private static String[] pipe(String name, String via, String... more) {
        return Stream.concat(
                        Stream.of(
                                "pipe",
                                "--bootstrap-server",
                                cluster.bootstrapServers(),
                                "--from",
                                name + "-in",
                                "--to",
                                name + "-out",
                                "--group",
                                name,
                                "--until-end",
                                "--json",
                                "--dead-letter",
                                name + "-dead",
                                "--via",
                                via),
                        Arrays.stream(more))
                .toArray(String[]::new);
    }

    private static String[] replay(String topic, String... more) {
        return Stream.concat(
                        Stream.of(
                                "replay",
                                "--bootstrap-server",
                                cluster.bootstrapServers(),
                                "--dead-letter",
                                topic,
                                "--json"),
                        Arrays.stream(more))
                .toArray(String[]::new);
    }

    @Test
    void pipe_thenReplay_bringsBackEveryRecordByteForByte() {
        createTopics("round");
        FailureTopics.produce(
                cluster,
                record("round-in", "a", "fine"),
                record("round-in", "b", "one x"),
                record("round-in", "c", "two x \n\u00fc"),
                new ProducerRecord<>("round-in", 2, null, null, "x without key".getBytes(UTF_8)));
        List<ConsumerRecord<byte[], byte[]>> before = FailureTopics.read(cluster, "round-in");

        String summary = WeirCommand.output(pipe("round", COMMAND, "--retry", "1", "--concurrency", "2"));

        assertThat(summary).contains("\"records_out\":1", "\"dead_lettered\":3", "\"drained\":true");
        assertThat(FailureTopics.deadLetters(cluster, "round-dead")).hasSize(3).allSatisfy(deadLetter -> {
            assertThat(deadLetter.header(DeadLetterHeaders.MESSAGE))
                    .isEqualTo("the command ended with exit status 3; it said: no x please");
            assertThat(deadLetter.header(DeadLetterHeaders.ATTEMPTS)).isEqualTo("2");
            assertThat(deadLetter.header(DeadLetterHeaders.GROUP)).isEqualTo("round");
        });

        String dry =
                WeirCommand.output(replay("round-dead", "--dry-run", "--filter", "key=b", "--allow-topic", "round-in"));
        assertThat(dry.lines().toList()).hasSize(2);
        assertThat(dry).contains("\"topic\":\"round-in\"", "\"letters_sent\":1", "\"filtered_out\":2");
        assertThat(FailureTopics.read(cluster, "round-in")).hasSize(4);

        assertThat(WeirCommand.output(replay("round-dead", "--allow-topic", "round-in")))
                .contains("\"letters_read\":3", "\"letters_sent\":3");

        List<ConsumerRecord<byte[], byte[]>> again = FailureTopics.read(cluster, "round-in");
        assertThat(again).hasSize(7);
        for (ConsumerRecord<byte[], byte[]> original : before) {
            boolean failed = FailureTopics.value(original).contains("x");
            assertThat(again.stream().filter(record -> isSame(record, original)).count())
                    .as("%s", original)
                    .isEqualTo(failed ? 2 : 1);
        }

        // The pipe must treat replayed records like the original ones.
        assertThat(WeirCommand.output(pipe("round", "each:cat"))).contains("\"records_out\":3", "\"dead_lettered\":0");
    }

    private static boolean isSame(ConsumerRecord<byte[], byte[]> one, ConsumerRecord<byte[], byte[]> other) {
        return one.partition() == other.partition()
                && one.timestamp() == other.timestamp()
                && Arrays.equals(one.key(), other.key())
                && Arrays.equals(one.value(), other.value())
                && one.headers().equals(other.headers());
    }

    @Test
    @Tag("long")
    void replay_withGroupAndMax_goesOnWhereItWas_andToAnotherTopic() {
        createTopics("part");
        cluster.createTopic("part-fixed", 1);
        for (int i = 0; i < 10; i++) {
            FailureTopics.produce(cluster, record("part-in", "k" + i, "x" + i));
        }
        WeirCommand.output(pipe("part", COMMAND));
        String[] args = {"--to", "part-fixed", "--group", "mend", "--max", "4"};
        assertThat(WeirCommand.output(replay("part-dead", args))).contains("\"letters_sent\":4");
        assertThat(WeirCommand.output(replay("part-dead", args))).contains("\"letters_sent\":4");
        assertThat(WeirCommand.output(replay("part-dead", args))).contains("\"letters_sent\":2");
        assertThat(WeirCommand.output(replay("part-dead", args))).contains("\"letters_sent\":0");
        assertThat(FailureTopics.read(cluster, "part-fixed"))
                .extracting(FailureTopics::value)
                .containsExactlyInAnyOrder("x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9");
    }

    @Test
    void replay_ofWhatIsNoLetter_saysSoAndFails() {
        cluster.createTopic("foreign", 1);
        FailureTopics.produce(cluster, record("foreign", "k", "v"));
        try (PipeProcess replay = PipeProcess.start(replay("foreign"))) {
            assertThat(replay.exitCode(Duration.ofSeconds(40))).isEqualTo(1);
            assertThat(replay.err())
                    .contains(
                            "foreign-0@0 is not a dead-letter record of a known format: it has none of the headers weir-dlq-topic")
                    .doesNotContain("\tat ");
            assertThat(replay.out()).contains("\"unsendable\":1");
        }
    }

    @Test
    void timeout_endsTheCommandOfOneRecord() {
        createTopics("hang");
        FailureTopics.produce(cluster, record("hang-in", "a", "sleep"), record("hang-in", "b", "go"));
        String command = "each:v=$(cat); [ $v = sleep ] && sleep 300; printf %s \"$v\"";
        assertThat(WeirCommand.output(pipe("hang", command, "--timeout", "1s")))
                .contains("\"records_out\":1", "\"dead_lettered\":1");
        assertThat(FailureTopics.deadLetters(cluster, "hang-dead"))
                .singleElement()
                .satisfies(deadLetter ->
                        assertThat(deadLetter.header(DeadLetterHeaders.REASON)).isEqualTo("TIMEOUT"));
    }

    /** Regression: the dry run printed a line for each record and read the whole topic. */
    @Test
    void dryRun_onATopicOfNoLetters_namesSome_countsAll_andReadsAtMostMax() {
        createTopics("wrong");
        Records.produce(cluster.bootstrapServers(), "wrong-in", 0, 3_000, 100);
        WeirCommand all = WeirCommand.run(replay("wrong-in", "--dry-run", "--connect-timeout", "30s"));
        assertThat(all.exitCode()).as(all.err()).isEqualTo(1);
        assertThat(all.out())
                .contains("\"letters_read\":3000", "\"unsendable\":3000", "\"error\":\"3,000 dead-letter records");
        assertThat(all.err().lines()).hasSizeLessThan(30);
        assertThat(all.err()).contains("... and 2,980 more that cannot be sent");
        WeirCommand some = WeirCommand.run(replay("wrong-in", "--dry-run", "--max", "5"));
        assertThat(some.exitCode()).as(some.err()).isEqualTo(1);
        assertThat(some.out()).contains("\"letters_read\":5,", "\"unsendable\":5,");
    }

    @Test
    void each_thatFails_namesTheRecord_andTheOptionsThatLetTheOthersPass() {
        createTopics("fails");
        FailureTopics.produce(cluster, record("fails-in", "b", "one x"));
        String[] line = Stream.of(pipe("fails", COMMAND))
                .filter(part -> !part.equals("--dead-letter") && !part.equals("fails-dead"))
                .toArray(String[]::new);
        WeirCommand pipe = WeirCommand.run(line);
        assertThat(pipe.exitCode()).as(pipe.err()).isEqualTo(1);
        assertThat(pipe.err())
                .containsPattern("record fails-in-\\d@0: the command ended with exit status 3; it said: no x please")
                .contains("--retry", "--dead-letter")
                .doesNotContain("\tat ");
        assertThat(pipe.out())
                .contains("\"error\":\"record fails-in-")
                .contains("\"next_run\":[{\"topic\":\"fails-in\"");
        assertThat(pipe.out().lines()).hasSize(1);
    }
}
