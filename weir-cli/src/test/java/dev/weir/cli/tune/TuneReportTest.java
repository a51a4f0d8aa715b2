package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.CommandHarness;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.metrics.Limiter.Kind;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TuneReportTest {
    private final CommandHarness harness = new CommandHarness();

    @Test
    void summary_ofFlawedOutputs_saysWhatIsWrongAndFails() {
        assertThat(report(false, 100, 200).summary("of 9 events 1 are lost", false))
                .isEqualTo(ExitCode.FAILED);
        assertThat(printed()).endsWith("FAILED: step 2: of 9 events 1 are lost.\n");

        assertThat(report(true, 100, 200).summary("of 9 events 1 are lost", false))
                .isEqualTo(ExitCode.FAILED);
        assertThat(printed())
                .endsWith("\"total_gain\":2.0,\"outputs_equal\":false,\"stopped\":false,"
                        + "\"error\":\"step 2: of 9 events 1 are lost\"}\n");
    }

    @Test
    void summary_ofAStopBeforeTwoStepsWereCompared_doesNotSayThatTheyAreEqual() {
        assertThat(report(true, 100).summary(null, true)).isEqualTo(ExitCode.DONE);
        assertThat(printed()).endsWith("\"outputs_equal\":null,\"stopped\":true}\n");
        assertThat(report(true).summary(null, true)).isEqualTo(ExitCode.DONE);
        assertThat(printed()).endsWith("\"outputs_equal\":null,\"stopped\":true}\n");

        assertThat(report(false, 100).summary(null, true)).isEqualTo(ExitCode.DONE);
        assertThat(printed()).endsWith("stopped: 1 step, 100 records/s; nothing to compare it with.\n");
        assertThat(report(false).summary(null, true)).isEqualTo(ExitCode.DONE);
        assertThat(printed()).endsWith("stopped: no step was measured.\n");
    }

    @Test
    void summary_ofEqualOutputs_saysWhatTheStepsBrought() {
        assertThat(report(false, 100, 150, 250).summary(null, false)).isEqualTo(ExitCode.DONE);
        assertThat(printed()).endsWith("OK: x 2.5 in 3 steps, from 100 to 250 records/s; all wrote the same bytes.\n");

        assertThat(report(true, 100, 150, 250).summary(null, false)).isEqualTo(ExitCode.DONE);
        assertThat(printed())
                .endsWith("{\"events\":9,\"steps\":3,\"total_gain\":2.5,\"outputs_equal\":true,\"stopped\":false}\n");
    }

    private String printed() {
        return harness.out().replace(System.lineSeparator(), "\n");
    }

    private TuneReport report(boolean json, double... rates) {
        TuneReport report = new TuneReport(harness.weir, 9, json);
        try (Version version = ComputingVersion.first()) {
            for (int step = 0; step < rates.length; step++) {
                report.step(
                        step + 1,
                        version,
                        new Measurement(rates[step], Limiters.of(Kind.GC, "gc", 1), 1, 1, Map.of(), "counters", 0));
            }
        }
        return report;
    }
}
