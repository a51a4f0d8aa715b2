package dev.weir.checks.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Prometheus's own tester of rules. Stateless. */
final class Promtool {

    private Promtool() {}

    /** The tests of a file hold; without the tool the caller's test is skipped. */
    static void assertHolds(Path test) throws IOException, InterruptedException {
        Path out = test.resolveSibling("out");
        Process process;
        try {
            process = new ProcessBuilder("promtool", "test", "rules", test.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
        } catch (IOException e) {
            abort("promtool is not there");
            return;
        }
        assertThat(process.waitFor()).as(Files.readString(out)).isZero();
    }
}
