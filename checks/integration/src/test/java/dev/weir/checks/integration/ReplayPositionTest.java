package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code weir replay} with a group whose committed offset is not in the dead-letter topic. Regression: after the end of
 * the topic, the run sent nothing and succeeded, and a later run skipped records. Before its beginning, each run failed
 * and named no way to continue.
 */
@Timeout(120)
class ReplayPositionTest {

    private static final int RECORDS = 10;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    @TempDir
    private Path folder;

    private WeirCommand replay(String name, String policy) throws Exception {
        Path config = folder.resolve("client.properties");
        Files.writeString(config, policy.isEmpty() ? "" : "weir.out.of.range=" + policy);
        return WeirCommand.run(
                "replay",
                "--bootstrap-server",
                KAFKA.bootstrapServers(),
                "--client-config",
                config.toString(),
                "--dead-letter",
                name + "-dead",
                "--to",
                name,
                "--group",
                name,
                "--json");
    }

    private static void write(String name, int from) {
        for (int n = from; n < from + RECORDS; n++) {
            var deadLetter = new ProducerRecord<byte[], byte[]>(name + "-dead", 0, null, ("" + n).getBytes(UTF_8));
            Map.of(
                            DeadLetterHeaders.TOPIC,
                            "orders",
                            DeadLetterHeaders.PARTITION,
                            "0",
                            DeadLetterHeaders.OFFSET,
                            "" + n)
                    .forEach((header, text) -> deadLetter.headers().add(header, text.getBytes(UTF_8)));
            FailureTopics.produce(KAFKA.cluster(), deadLetter);
        }
    }

    private static TopicPartition prepare(String name, int committed) throws Exception {
        KAFKA.cluster().createTopic(name, 1);
        TopicPartition id = new TopicPartition(name + "-dead", 0);
        KAFKA.cluster().createTopic(id.topic(), 1);
        write(name, 0);
        KAFKA.cluster()
                .admin()
                .deleteRecords(Map.of(id, RecordsToDelete.beforeOffset(5)))
                .all()
                .get();
        KAFKA.cluster()
                .admin()
                .alterConsumerGroupOffsets(name, Map.of(id, new OffsetAndMetadata(committed)))
                .all()
                .get();
        return id;
    }

    @ParameterizedTest
    @CsvSource({"15", "2"})
    void commitOutsideTheTopic_byDefault_failsWithThePlaceAndTheRange(int committed) throws Exception {
        String name = "fail-" + committed;
        TopicPartition id = prepare(name, committed);

        WeirCommand run = replay(name, "");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains(id + "@" + committed + " is out of range", "5 to 10", "weir.out.of.range");
        assertThat(FailureTopics.read(KAFKA.cluster(), name)).isEmpty();
        assertThat(KAFKA.cluster().committedOffsets(name)).containsEntry(id, (long) committed);
    }

    @ParameterizedTest
    @CsvSource({"15, earliest, 5", "15, nearest, 10", "15, latest, 10", "2, nearest, 5", "2, latest, 10"})
    void commitOutsideTheTopic_underAPolicy_goesOnWhereItSays_alsoInTheNextRun(int committed, String policy, int from)
            throws Exception {
        String name = policy + "-" + committed;
        prepare(name, committed);

        WeirCommand first = replay(name, policy);
        write(name, RECORDS);
        WeirCommand second = replay(name, policy);

        assertThat(first.exitCode()).as(first.err()).isZero();
        assertThat(first.err()).contains("continuing at " + from);
        assertThat(second.exitCode()).as(second.err()).isZero();
        assertThat(second.err()).doesNotContain("continuing at");
        assertThat(FailureTopics.read(KAFKA.cluster(), name))
                .extracting(record -> Integer.parseInt(FailureTopics.value(record)))
                .containsExactlyElementsOf(
                        IntStream.range(from, 2 * RECORDS).boxed().toList());
    }
}
