package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests signals to the process group, such as Ctrl-C or {@code timeout(1)}. Regression: the signal ended the commands
 * of {@code each:} and {@code exec:}.
 */
class PipeGroupSignalTest {

    private static final int RECORDS = 300;
    private static final Duration SOON = Duration.ofSeconds(40);

    private static KafkaCluster cluster;

    @BeforeAll
    static void startCluster() {
        cluster = KafkaCluster.builder().start();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @ParameterizedTest
    @Timeout(120)
    @CsvSource({"each:sleep 0.1; cat, INT, true"})
    void signalToTheGroup_isDrained_andTheCommandsFinish(String via, String signal, boolean deadLetters) {
        String name = "g" + Integer.toHexString((via + signal + deadLetters).hashCode());
        try (PipeProcess pipe = start(name, via, deadLetters)) {
            Awaitility.await().atMost(SOON).until(() -> written(name + "-out") > 10 || !pipe.isAlive());

            pipe.signalGroup(signal);

            assertThat(pipe.exitCode(SOON)).as(pipe.err()).isZero();
            assertThat(pipe.out()).as(pipe.err()).contains("\"drained\":true", "\"dead_lettered\":0");
        }
        assertThat(written(name + "-dead")).as("dead-letter records").isZero();
        assertThat(committed(name)).isEqualTo(written(name + "-out"));
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "each:sleep 0.1; cat, INT, false",
        "each:sleep 0.1; cat, TERM, true",
        "exec:while read -r l; do sleep 0.005; echo \"$l\"; done, TERM, false",
        "exec:while read -r l; do sleep 0.005; echo \"$l\"; done, INT, true"
    })
    @Timeout(120)
    void signalToTheGroup_ofOtherCommands_isDrained_andTheCommandsFinish(
            String via, String signal, boolean deadLetters) {
        signalToTheGroup_isDrained_andTheCommandsFinish(via, signal, deadLetters);
    }

    /** The signal does not reach the commands, because they run in their own sessions. */
    @Test
    @Timeout(120)
    void secondSignal_endsTheCommandsToo() {
        try (PipeProcess pipe = start("twice", "each:sleep 1000", false)) {
            Awaitility.await().atMost(SOON).until(() -> !pipe.children().isEmpty() || !pipe.isAlive());
            var child = pipe.children().getFirst();
            pipe.signalGroup("INT");
            Awaitility.await().atMost(SOON).until(() -> pipe.err().contains("once more to stop at once"));

            pipe.signalGroup("INT");

            assertThat(pipe.exitCode(SOON)).as(pipe.err()).isEqualTo(130);
            Awaitility.await().atMost(SOON).until(() -> !child.isAlive());
        }
    }

    private static PipeProcess start(String name, String via, boolean deadLetters) {
        cluster.createTopic(name + "-in", 2);
        cluster.createTopic(name + "-out", 2);
        cluster.createTopic(name + "-dead", 1);
        Records.produce(cluster.bootstrapServers(), name + "-in", 0, RECORDS, 10);
        return PipeProcess.startInOwnGroup(
                "pipe",
                "--bootstrap-server=" + cluster.bootstrapServers(),
                "--from=" + name + "-in",
                "--to=" + name + "-out",
                "--group=" + name,
                "--via=" + via,
                "--concurrency=16",
                deadLetters ? "--dead-letter=" + name + "-dead" : "--drain-timeout=30s",
                "--json");
    }

    private static long written(String topic) {
        return cluster.endOffsets(topic).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    private static long committed(String group) {
        return cluster.committedOffsets(group).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }
}
