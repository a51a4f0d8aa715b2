package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.Broker;
import dev.weir.testkit.KafkaCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code weir replay} while the broker for one of the records is down. */
@Tag("long")
@Timeout(240)
class ReplayBrokerLossTest {

    private static WeirCommand replay(KafkaCluster cluster, Path config) {
        return WeirCommand.run(
                "replay",
                "--bootstrap-server",
                cluster.bootstrapServers(),
                "--dead-letter",
                "part-dead",
                "--json",
                "--connect-timeout",
                "60s",
                "--allow-topic",
                "works,stuck",
                "--group",
                "again",
                "--client-config",
                config.toString());
    }

    private static ProducerRecord<byte[], byte[]> deadLetter(String topic, String value) {
        var deadLetter = new ProducerRecord<>("part-dead", 0, "k".getBytes(UTF_8), value.getBytes(UTF_8));
        deadLetter
                .headers()
                .add("__connect.errors.topic", topic.getBytes(UTF_8))
                .add("__connect.errors.partition", "0".getBytes(UTF_8));
        return deadLetter;
    }

    /** Regression: the summary reported 0 sent records, and later runs sent records again. */
    @Test
    void recordThatNoBrokerTakes_endsTheRun_theSummaryCountsTheOthers_andNoRunSendsThemAgain(@TempDir Path folder)
            throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().brokers(3).start()) {
            Broker lost = cluster.brokers().getLast();
            cluster.createTopic("part-dead", 1);
            cluster.createTopic("works", 1);
            cluster.createTopic("stuck", Map.of(0, List.of(lost.id())));
            FailureTopics.produce(
                    cluster, deadLetter("works", "1"), deadLetter("stuck", "2"), deadLetter("works", "3"));
            Path config = Files.writeString(
                    folder.resolve("impatient.properties"),
                    "delivery.timeout.ms=10000\nrequest.timeout.ms=5000\nlinger.ms=0\n");
            lost.stop();
            for (int i = 0; i < 2; i++) {
                WeirCommand run = replay(cluster, config);
                assertThat(run.exitCode()).isEqualTo(1);
                assertThat(run.out())
                        .contains("\"letters_sent\":" + (i == 0 ? 2 : 0))
                        .contains("\"error\":\"cannot send dead-letter record part-dead-0@1 of stuck-0@? to stuck: ");
            }
            lost.start();
            ConsumerLedger.await(
                    "the record is sent",
                    Duration.ofMinutes(1),
                    () -> replay(cluster, config).exitCode() == 0);
            assertThat(FailureTopics.read(cluster, "works"))
                    .extracting(FailureTopics::value)
                    .containsExactly("1", "3");
            assertThat(FailureTopics.read(cluster, "stuck")).hasSize(1);
            assertThat(cluster.committedOffsets("again"))
                    .containsExactly(Map.entry(new TopicPartition("part-dead", 0), 3L));
        }
    }
}
