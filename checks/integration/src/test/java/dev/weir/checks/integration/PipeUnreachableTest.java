package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests pipes whose only broker dies, for both fetch paths and protocols. Regression: the pipes showed 0/s forever and
 * {@code --state} reported progress.
 */
class PipeUnreachableTest {

    private static final Duration SOON = Duration.ofSeconds(90);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().forked().heapMegabytes(256));

    @TempDir
    private Path folder;

    private PipeProcess start(String name, String fetch, String protocol) throws IOException {
        KAFKA.cluster().createTopic(name + "-in", 2);
        KAFKA.cluster().createTopic(name + "-out", 2);
        Records.produce(KAFKA.bootstrapServers(), name + "-in", 0, 60_000, 1_000);
        Path config = Files.writeString(folder.resolve(name + ".properties"), "group.protocol=" + protocol + "\n");
        return PipeProcess.start(
                "pipe",
                "--bootstrap-server=" + KAFKA.bootstrapServers(),
                "--from=" + name + "-in",
                "--to=" + name + "-out",
                "--group=" + name,
                "--work=50ms",
                "--connect-timeout=60s",
                "--fetch=" + fetch,
                "--client-config=" + config,
                "--drain-timeout=1s",
                "--state=" + state(name));
    }

    private Path state(String name) {
        return folder.resolve(name + ".json");
    }

    private String text(String name) {
        try {
            return Files.exists(state(name)) ? Files.readString(state(name)) : "";
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void awaitState(String name, PipeProcess pipe, String part, boolean there) {
        Awaitility.await()
                .atMost(SOON)
                .untilAsserted(() -> assertThat(text(name).contains(part))
                        .as("%s in %s; %s", part, text(name), pipe.err())
                        .isEqualTo(there));
    }

    @Test
    @Tag("long")
    @Timeout(300)
    void brokerThatIsGone_isToldEverywhere_andAStopSaysWhereTheNextRunBegins() throws Exception {
        try (PipeProcess classic = start("classic", "client", "classic");
                PipeProcess lean = start("lean", "lean", "consumer")) {
            awaitState("classic", classic, "\"since_commit_ms\"", true);
            awaitState("lean", lean, "\"since_commit_ms\"", true);
            assertThat(text("classic")).doesNotContain("no_answer_since");

            KAFKA.cluster().broker(1).kill();

            for (String name : new String[] {"classic", "lean"}) {
                PipeProcess pipe = name.equals("lean") ? lean : classic;
                awaitState(name, pipe, "\"no_answer_since\"", true);
                assertThat(text(name)).contains("\"progressing\" : false", "\"why\" : [ \"no broker answers since 20");
                Awaitility.await()
                        .atMost(SOON)
                        .until(() -> pipe.err().lines().anyMatch(line -> line.startsWith("no broker answers since ")));
            }

            KAFKA.cluster().broker(1).start();
            awaitState("classic", classic, "\"no_answer_since\"", false);
            awaitState("lean", lean, "\"no_answer_since\"", false);

            KAFKA.cluster().broker(1).kill();
            awaitState("classic", classic, "\"no_answer_since\"", true);
            classic.signal("INT");
            assertThat(classic.exitCode(SOON)).as(classic.err()).isEqualTo(1);
            assertThat(classic.err())
                    .containsPattern("not drained: no broker answers since 20\\S+; the next run begins at classic-in-0")
                    .contains("classic-in-1")
                    .doesNotContain("are still being closed");
        }
    }
}
