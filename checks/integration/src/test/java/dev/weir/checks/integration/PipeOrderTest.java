package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PipeOrderTest {

    private static final int DISTINCT = 20_000;

    @ParameterizedTest
    @ValueSource(strings = "client")
    @Timeout(120)
    void keyOrdering_with64Handlers_keepsTheOrderOfEachKeyWhileTheyAllWork(String fetch) {
        int count = 16_000;
        int keys = 500;
        try (KafkaCluster cluster = KafkaCluster.builder().start()) {
            cluster.createTopic("in", 6);
            cluster.createTopic("out", 6);
            Records.produce(cluster.bootstrapServers(), "in", 0, count, keys);

            String summary = WeirCommand.output(("pipe --bootstrap-server " + cluster.bootstrapServers()
                            + " --from in --to out --group g --until-end --json"
                            + " --concurrency 64 --work 20ms --ordering key --fetch " + fetch)
                    .split(" "));

            assertThat(PipeProcess.number(summary, "records_out")).isEqualTo(count);
            // The mean number of running handlers over the whole run, which exceeds the number of partitions.
            String work = summary.substring(summary.indexOf("{\"name\":\"work\""));
            assertThat(PipeProcess.number(work, "parallelism")).isEqualTo(64);
            assertThat(64 * PipeProcess.number(work, "busy_share")).isGreaterThan(32);
            Map<Long, Long> lastOfKey = new HashMap<>();
            var output = Records.readAll(cluster.bootstrapServers(), "out", IsolationLevel.READ_UNCOMMITTED);
            assertThat(output).hasSize(count);
            for (long number : Records.numbers(output)) {
                Long before = lastOfKey.put(number % keys, number);
                assertThat(before == null ? number % keys - keys : before).isEqualTo(number - keys);
            }
        }
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = "lean")
    @Timeout(120)
    void keyOrdering_onTheLeanPath_keepsTheOrderOfEachKeyWhileTheyAllWork(String fetch) {
        keyOrdering_with64Handlers_keepsTheOrderOfEachKeyWhileTheyAllWork(fetch);
    }

    // Regression: setting a dead-letter topic changed the order of a plain copy.
    @Test
    @Timeout(120)
    void copy_withADeadLetterTopic_keepsTheOrderOfThePartition() {
        try (KafkaCluster cluster = KafkaCluster.builder().start()) {
            inputOfDistinctKeys(cluster);

            copied(cluster, "--dead-letter dead");
        }
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(
            strings = {
                "--dead-letter dead --fetch lean --produce lean",
                "--dead-letter dead --concurrency 64 --ordering unordered",
                "--dead-letter dead --concurrency 4 --work-cpu 10us",
                "--timeout 30s --retry 2 --concurrency 4 --work-cpu 10us",
                "--dead-letter dead --via exec:cat"
            })
    @Timeout(120)
    void copy_withOptionsForRecordsThatFail_keepsTheOrderOfThePartition(String options) {
        try (KafkaCluster cluster = KafkaCluster.builder().start()) {
            inputOfDistinctKeys(cluster);

            copied(cluster, options);
        }
    }

    private static void inputOfDistinctKeys(KafkaCluster cluster) {
        for (String topic : List.of("in", "out", "dead")) {
            cluster.createTopic(topic, 1);
        }
        Records.produce(cluster.bootstrapServers(), "in", 0, DISTINCT, DISTINCT);
    }

    private static void copied(KafkaCluster cluster, String options) {
        String summary = WeirCommand.output(("pipe --bootstrap-server " + cluster.bootstrapServers()
                        + " --from in --to out --group g --until-end --json " + options)
                .split(" "));

        assertThat(PipeProcess.number(summary, "records_out")).isEqualTo(DISTINCT);
        var output = Records.readAll(cluster.bootstrapServers(), "out", IsolationLevel.READ_UNCOMMITTED);
        assertThat(Records.numbers(output))
                .isEqualTo(LongStream.range(0, DISTINCT).boxed().toList());
    }
}
