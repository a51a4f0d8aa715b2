package dev.weir.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.CommandHarness;
import dev.weir.command.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchExploreCommandTest {

    @TempDir
    private Path temp;

    private final CommandHarness harness = new CommandHarness();

    private String workload(String scenario) throws IOException {
        return Files.writeString(
                        temp.resolve("w.yaml"), "name: w\nscenario: " + scenario + "\ndrivers: [plain]\ntopic: {}\n")
                .toString();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            work    | --target=p99<100ms   | target must be a percentile and a limit, such as p99<=100ms
            work    | --max-seconds=0      | --max-seconds must be at least 1
            work    | --drivers=plan       | did you mean plain?
            consume | --target=p99<=100ms  | scenario must be work, at-least-once or at-most-once: scenario=consume
            """)
    void mistake_isUsage_andNamesTheWayOut(String scenario, String option, String message) throws IOException {
        assertThat(harness.run("bench", "explore", workload(scenario), option)).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains(message);
    }

    @Test
    void help_namesTheOptions() {
        assertThat(harness.run("bench", "explore", "--help")).isEqualTo(ExitCode.DONE);
        assertThat(harness.out()).contains("--target", "--max-seconds", "--quick", "--json", "--drivers", "--seed");
    }
}
