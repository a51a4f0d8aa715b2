package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code weir pipe --share}. */
@Timeout(180)
class SharePipeTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static String[] args(String topic, String... more) {
        String[] common = {
            "pipe",
            "--bootstrap-server",
            KAFKA.bootstrapServers(),
            "--from",
            topic,
            "--to",
            topic + "-out",
            "--group",
            topic
        };
        String[] all = java.util.Arrays.copyOf(common, common.length + more.length);
        System.arraycopy(more, 0, all, common.length, more.length);
        return all;
    }

    private static void topic(String name, int records) {
        KAFKA.cluster().createTopic(name, 3);
        KAFKA.cluster().createTopic(name + "-out", 3);
        Records.produce(KAFKA.bootstrapServers(), name, 0, records);
    }

    @Test
    void untilEnd_writesEachRecordOnce_andSumsUp() {
        topic("piped", 2_000);
        String out = WeirCommand.output(args(
                "piped",
                "--share",
                "--share-from",
                "earliest",
                "--until-end",
                "--json",
                "--work",
                "2ms",
                "--concurrency",
                "32"));
        assertThat(out)
                .contains("\"share\":{\"accepted\":2000,")
                .contains("\"failed_acknowledgements\":0")
                .contains("\"workers\":32")
                .contains("\"lanes\":1,")
                .contains("\"handler_mean_ms\":")
                .contains("\"limiter\":{\"kind\":\"")
                .contains("\"drained\":true");
        // Regression: no stage had a busy_share if the limiter was the share group member.
        assertThat(out.split("\"busy_share\":", -1)).hasSameSizeAs(out.split("\"parallelism\":", -1));
        assertThat(Records.readAll(KAFKA.bootstrapServers(), "piped-out", IsolationLevel.READ_UNCOMMITTED))
                .hasSize(2_000);
    }

    @Test
    void adaptiveConcurrency_andEachCommand_workOverKafkasClient() {
        topic("adapted", 60);
        String out = WeirCommand.output(args(
                "adapted",
                "--share",
                "--share-from",
                "earliest",
                "--until-end",
                "--json",
                "--fetch",
                "client",
                "--via",
                "each:cat",
                "--concurrency",
                "adaptive"));
        assertThat(out)
                .contains("\"share\":{\"accepted\":60,")
                .contains("\"acquire_mode\":\"record_limit\"")
                .contains("\"drained\":true");
    }

    @Test
    void newGroupWithoutAStart_isRefused_withoutAStackTrace() {
        topic("startless", 1);
        WeirCommand pipe = WeirCommand.run(args("startless", "--share", "--until-end"));
        assertThat(pipe.exitCode()).isEqualTo(1);
        assertThat(pipe.err()).contains("share group startless has not begun").doesNotContain("\tat ");
    }

    @Test
    void contradictions_areRefused() {
        assertRefused("--share does not go with --ordering partition", "--share", "--ordering", "partition");
        assertRefused("--share does not go with --guarantee at-most-once", "--share", "--guarantee", "at-most-once");
        assertRefused("--share-member goes with --share", "--share-member", "pod-0");
        assertRefused(
                "--share-member goes with --fetch lean", "--share", "--share-member", "pod-0", "--fetch", "client");
        assertRefused("--share-from goes with --share", "--share-from", "latest");
    }

    @Test
    void settingOfConsumerGroups_inTheClientConfig_isRefusedByName(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("client.properties"), "weir.commit.interval=500ms\n");
        assertRefused("weir.commit.interval does not go with --share", "--share", "--client-config", file.toString());
    }

    private static void assertRefused(String message, String... more) {
        WeirCommand pipe = WeirCommand.run(args("none", more));
        assertThat(pipe.exitCode()).isEqualTo(2);
        assertThat(pipe.err()).contains(message);
    }
}
