package dev.weir.checks.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Prometheus's own tester of rules. Stateless. */
final class Promtool {

    private static final String MISSING = "no promtool on the PATH: apt-get install prometheus";

    private Promtool() {}

    /** Checks that the tests in a file pass. Without the tool, the test is skipped; with {@code CI=true}, it fails. */
    static void assertHolds(Path test) throws IOException, InterruptedException {
        Path out = test.resolveSibling("out");
        Process process;
        try {
            process = new ProcessBuilder("promtool", "test", "rules", test.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
        } catch (IOException e) {
            assertThat(System.getenv("CI")).as(MISSING).isNotEqualTo("true");
            abort(MISSING);
            return;
        }
        assertThat(process.waitFor()).as(Files.readString(out)).isZero();
    }
}
