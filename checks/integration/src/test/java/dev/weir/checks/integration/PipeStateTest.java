package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests what {@code weir pipe --state} shows about a stuck pipe. */
class PipeStateTest {

    private static final Duration SOON = Duration.ofSeconds(40);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    @TempDir
    private Path folder;

    private PipeProcess start(Path state, String... more) {
        List<String> args = List.of(
                "pipe",
                "--bootstrap-server=" + KAFKA.bootstrapServers(),
                "--from=in",
                "--to=out",
                "--group=stuck",
                "--state=" + state);
        return PipeProcess.start(Stream.concat(args.stream(), Stream.of(more)).toArray(String[]::new));
    }

    private static String awaitText(Path file, PipeProcess pipe, String... parts) {
        Awaitility.await()
                .atMost(SOON)
                .untilAsserted(() -> assertThat(text(file)).as(pipe::err).contains(parts));
        return text(file);
    }

    private static String text(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @Timeout(120)
    void stuckHandler_andMemberWithoutPartitions_areNamedInTheirFiles() throws Exception {
        KAFKA.cluster().createTopic("in", 1);
        KAFKA.cluster().createTopic("out", 1);
        Records.produce(KAFKA.bootstrapServers(), "in", 0, 40_000, 1_000);
        Path stuck = folder.resolve("stuck.json");
        Path idle = folder.resolve("idle.json");
        String script = "i=0; while read -r l; do [ $i = 50 ] && sleep 28; i=$((i+1)); echo \"$l\"; done";
        try (PipeProcess pipe = start(stuck, "--via=exec:" + script)) {
            String state = awaitText(stuck, pipe, "\"oldest_unfinished_offset\" : 50", "\"paused\" : [ \"WINDOW\" ]");
            assertThat(state)
                    .containsPattern("in-0: window full, offset 50 unfinished for \\d+\\.\\d s")
                    .contains("\"topic\" : \"in\"", "\"partition\" : 0", "\"live\" : true", "\"ready\" : true");
            awaitText(
                    stuck,
                    pipe,
                    "\"oldest_unfinished_stage\" : \"in flight, at work in exec\"",
                    "\"oldest_unfinished_key_hash\" : \"");
            double age = PipeProcess.number(state.replace(" ", ""), "oldest_unfinished_age_ms");
            Awaitility.await()
                    .atMost(SOON)
                    .until(() -> PipeProcess.number(text(stuck).replace(" ", ""), "oldest_unfinished_age_ms")
                            >= age + 2_000);
            try (PipeProcess second = start(idle)) {
                awaitText(
                        idle, second, "no partition is assigned: other members have them all", "\"partitions\" : [ ]");
                second.signal("TERM");
                assertThat(second.exitCode(SOON)).as(second.err()).isZero();
                assertThat(text(idle)).contains("\"state\" : \"closed\"", "\"live\" : false");
            }
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).as("nothing else is left").containsExactlyInAnyOrder(stuck, idle);
        }
    }

    @Test
    void stateFile_thatCannotBeWritten_isRefused() {
        try (PipeProcess pipe = start(folder.resolve("absent/state.json"))) {
            assertThat(pipe.exitCode(Duration.ofSeconds(30))).isEqualTo(2);
            assertThat(pipe.err()).contains("--state must be a file", "no such file or folder");
        }
    }
}
