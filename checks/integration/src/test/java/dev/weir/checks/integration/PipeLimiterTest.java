package dev.weir.checks.integration;

import static dev.weir.checks.integration.FailureTopics.record;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the limiter in the summary of a {@code weir pipe} that has ended or was stopped. */
@Timeout(180)
class PipeLimiterTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static String[] pipe(String name, String... more) {
        KAFKA.cluster().createTopic(name + "-in", 2);
        KAFKA.cluster().createTopic(name + "-out", 2);
        KAFKA.cluster().createTopic(name + "-dead", 1);
        return Stream.concat(
                        Stream.of(
                                "pipe",
                                "--bootstrap-server",
                                KAFKA.bootstrapServers(),
                                "--from",
                                name + "-in",
                                "--to",
                                name + "-out",
                                "--group",
                                name,
                                "--dead-letter",
                                name + "-dead"),
                        Arrays.stream(more))
                .toArray(String[]::new);
    }

    /** Regression: the summary said that the pipeline kept up and there was nothing to do. */
    @Test
    void pipeThatIsStoppedWithAHandlerThatHangs_namesIt() {
        String command = "each:v=$(cat); [ $v = hang ] && exec sleep 600; printf %s \"$v\"";
        String[] line = pipe("hangs", "--via", command, "--drain-timeout", "4s", "--json");
        for (int i = 0; i < 8; i++) {
            FailureTopics.produce(KAFKA.cluster(), record("hangs-in", "k" + i, "v" + i));
        }
        FailureTopics.produce(KAFKA.cluster(), record("hangs-in", "k", "hang"));
        try (PipeProcess pipe = PipeProcess.start(line)) {
            ConsumerLedger.await("the others are through", Duration.ofMinutes(1), () -> {
                assertThat(pipe.isAlive()).as(pipe.err()).isTrue();
                return FailureTopics.read(KAFKA.cluster(), "hangs-out").size() == 8;
            });
            pipe.signal("TERM");
            assertThat(pipe.exitCode(Duration.ofMinutes(1))).isEqualTo(1);
            assertThat(pipe.out())
                    .contains("\"drained\":false", "\"limiter\":{\"kind\":\"stage-wait\",\"name\":\"handle\"")
                    .doesNotContain("nothing to do", "keeps up");
        }
    }

    /** Regression: the advice named 120 records inside a stage, and stages that the user had not defined. */
    @Test
    void pipeThatIsThrough_saysNothingOfRecordsThatAreStillInAStage() {
        String[] line = pipe("through", "--work", "1500ms", "--timeout", "30s", "--concurrency", "200", "--until-end");
        Records.produce(KAFKA.bootstrapServers(), "through-in", 0, 300, 300);
        WeirCommand pipe = WeirCommand.run(line);
        assertThat(pipe.exitCode()).as(pipe.err()).isZero();
        assertThat(pipe.err())
                .contains("300 records in, 300 out", "consume", "handle", "produce")
                .doesNotContain("records are in", "none has left it", "divertTo", "again", "failed ", "done ");
    }
}
