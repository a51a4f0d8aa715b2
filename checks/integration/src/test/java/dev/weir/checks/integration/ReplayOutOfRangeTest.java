package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.Main;
import dev.weir.testkit.KafkaCluster;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests {@code weir replay --group} with a committed offset outside the log of the dead-letter topic. */
class ReplayOutOfRangeTest {

    private static KafkaCluster cluster;

    @TempDir
    private Path folder;

    @BeforeAll
    static void startCluster() {
        cluster = KafkaCluster.builder().start();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    /** Creates a dead-letter topic, and deletes its first records. */
    private static TopicPartition deadLetters(String name, int records, int deleted) throws Exception {
        cluster.createTopic(name, 1);
        cluster.createTopic(name + "-to", 1);
        var id = new TopicPartition(name, 0);
        produce(name, records);
        if (deleted > 0) {
            cluster.admin()
                    .deleteRecords(Map.of(id, RecordsToDelete.beforeOffset(deleted)))
                    .all()
                    .get();
        }
        return id;
    }

    private static void produce(String topic, int records) {
        for (int i = 0; i < records; i++) {
            var deadLetter = new ProducerRecord<>(topic, 0, "k".getBytes(UTF_8), ("v" + i).getBytes(UTF_8));
            deadLetter.headers().add("__connect.errors.topic", "gone".getBytes(UTF_8));
            FailureTopics.produce(cluster, deadLetter);
        }
    }

    private static void commit(TopicPartition id, OffsetAndMetadata commit) throws Exception {
        cluster.admin()
                .alterConsumerGroupOffsets(id.topic(), Map.of(id, commit))
                .all()
                .get();
    }

    private WeirCommand replay(String topic, String policy, String... more) throws Exception {
        Path config = Files.writeString(folder.resolve("policy.properties"), policy);
        List<String> line = new ArrayList<>(List.of(
                "replay",
                "--bootstrap-server",
                cluster.bootstrapServers(),
                "--dead-letter",
                topic,
                "--to",
                topic + "-to",
                "--group",
                topic,
                "--client-config",
                config.toString(),
                "--json"));
        line.addAll(List.of(more));
        return WeirCommand.run(line.toArray(String[]::new));
    }

    /**
     * Regression: if the log did not contain the committed offset, each run failed without saying how to continue. It
     * must fail with the offset, the range and the setting to change.
     */
    @ParameterizedTest
    @CsvSource({
        "5, 4, 2, ''",
        "3, 0, 9, ''",
        "0, 0, 1, ''",
        // Records were examined up to offset 9, past the log. The committed offset is within the log.
        "3, 0, 1, weir-replay:8:0",
    })
    void commitOutsideTheLog_byDefault_failsWithThePlaceAndTheRange(
            int records, int deleted, long committed, String metadata) throws Exception {
        TopicPartition id = deadLetters("fail-" + records + "-" + committed, records, deleted);
        commit(id, new OffsetAndMetadata(committed, metadata));
        WeirCommand run = replay(id.topic(), "");
        long wanted = metadata.isEmpty() ? committed : 9;
        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.err())
                .contains(id + "@" + wanted + " is out of range, the partition has " + deleted + " to " + records)
                .contains("weir.out.of.range")
                .doesNotContain("\tat ");
        assertThat(run.out()).contains("\"letters_read\":0", "\"error\":\"" + id + "@" + wanted);
        assertThat(cluster.committedOffsets(id.topic())).containsEntry(id, committed);
    }

    @ParameterizedTest
    @CsvSource({
        "EARLIEST, 5, 4, 2, '', 1",
        "NEAREST, 5, 4, 2, '', 1",
        "LATEST, 5, 4, 2, '', 0",
        "EARLIEST, 3, 0, 9, '', 3",
        "NEAREST, 3, 0, 9, '', 0",
        "EARLIEST, 3, 0, 1, weir-replay:8:0, 3",
        // The records at 5 and 6 are done. The records at 2 and 7 were left to a later run.
        "NEAREST, 9, 5, 2, 'weir-replay:6:0,5', 2",
    })
    void commitOutsideTheLog_underAPolicy_continuesWhereItSays_andCommitsThatPosition(
            String policy, int records, int deleted, long committed, String metadata, int sent) throws Exception {
        TopicPartition id = deadLetters(policy + "-" + records + "-" + committed, records, deleted);
        commit(id, new OffsetAndMetadata(committed, metadata));
        WeirCommand dry = replay(id.topic(), "weir.out.of.range=" + policy, "--dry-run");
        assertThat(dry.out()).contains("\"letters_sent\":" + sent);
        assertThat(cluster.committedOffsets(id.topic())).containsEntry(id, committed);

        WeirCommand run = replay(id.topic(), "weir.out.of.range=" + policy);
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("\"letters_sent\":" + sent);
        assertThat(run.err()).contains("is out of range").contains("as the policy " + policy + " says");
        assertThat(FailureTopics.read(cluster, id.topic() + "-to")).hasSize(sent);
        assertThat(cluster.committedOffsets(id.topic())).containsEntry(id, (long) records);
    }

    /** Regression: a run skipped the first records of a recreated topic. */
    @ParameterizedTest
    @CsvSource({"FAIL, 0", "EARLIEST, 7", "NEAREST, 7", "LATEST, 0"})
    void recreatedTopic_thatIsLongerThanTheCommit_isNoticedAndThePolicyApplies(String policy, int sent)
            throws Exception {
        TopicPartition id = deadLetters("recreated-" + policy, 3, 0);
        assertThat(replay(id.topic(), "").out()).contains("\"letters_sent\":3");
        OffsetAndMetadata committed = cluster.admin()
                .listConsumerGroupOffsets(id.topic())
                .partitionsToOffsetAndMetadata()
                .get()
                .get(id);
        cluster.deleteTopic(id.topic());
        cluster.createTopic(id.topic(), 1);
        produce(id.topic(), 7);
        commit(id, committed); // the broker may have deleted the commit with the topic

        WeirCommand run = replay(id.topic(), "weir.out.of.range=" + policy);
        assertThat(run.out()).contains("\"letters_sent\":" + sent);
        if (policy.equals("FAIL")) {
            assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
            assertThat(run.err())
                    .contains(id + "@3 is a place in a topic that is gone")
                    .contains("weir.out.of.range")
                    .doesNotContain("\tat ");
            assertThat(cluster.committedOffsets(id.topic())).containsEntry(id, 3L);
        } else {
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.err()).contains("the topic was recreated").contains("as the policy " + policy + " says");
            assertThat(cluster.committedOffsets(id.topic())).containsEntry(id, 7L);
        }
        WeirCommand next = replay(id.topic(), "weir.out.of.range=" + policy);
        assertThat(next.out()).contains("\"letters_sent\":0");
        assertThat(next.exitCode()).as(next.err()).isEqualTo(policy.equals("FAIL") ? 1 : 0);
    }

    @Test
    void commitAtTheEndOfALogThatRetentionEmptied_isInRange() throws Exception {
        TopicPartition id = deadLetters("emptied", 3, 3);
        commit(id, new OffsetAndMetadata(3));
        WeirCommand run = replay(id.topic(), "");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("\"letters_read\":0");
    }

    /** Retention deletes records during the run. */
    @ParameterizedTest
    @CsvSource({"FAIL, 1", "NEAREST, 0"})
    void recordsDeletedDuringTheRun_areOutOfRange(String policy, int exitCode) throws Exception {
        TopicPartition id = deadLetters("overtaken-" + policy, 30, 0);
        // Fetches one record at a time, so few records are in memory when the others are deleted.
        Path config = Files.writeString(
                folder.resolve("small.properties"),
                "weir.out.of.range=" + policy + "\nmax.poll.records=1\nmax.partition.fetch.bytes=1\n");
        var err = new ByteArrayOutputStream();
        var out = new DeletingOutput(id, 29);
        int code = Main.run(
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8),
                "replay",
                "--bootstrap-server",
                cluster.bootstrapServers(),
                "--dead-letter",
                id.topic(),
                "--to",
                id.topic() + "-to",
                "--client-config",
                config.toString(),
                "--dry-run",
                "--json");
        assertThat(code).as(err.toString(UTF_8)).isEqualTo(exitCode);
        assertThat(err.toString(UTF_8))
                .contains(" is out of range, the partition has 29 to 30")
                .contains(id + "@");
        assertThat(out.toString(UTF_8).lines().filter(line -> line.contains("\"format\":\"connect\"")))
                .hasSizeBetween(1, 10);
    }

    /** Deletes records when the command prints its first one. The command's thread waits meanwhile. */
    private static final class DeletingOutput extends ByteArrayOutputStream {

        private final TopicPartition id;
        private final long before;
        private boolean deleted;

        DeletingOutput(TopicPartition id, long before) {
            this.id = id;
            this.before = before;
        }

        @Override
        public synchronized void write(byte[] bytes, int from, int length) {
            super.write(bytes, from, length);
            if (!deleted) {
                deleted = true;
                cluster.admin()
                        .deleteRecords(Map.of(id, RecordsToDelete.beforeOffset(before)))
                        .all()
                        .toCompletionStage()
                        .toCompletableFuture()
                        .join();
            }
        }
    }
}
