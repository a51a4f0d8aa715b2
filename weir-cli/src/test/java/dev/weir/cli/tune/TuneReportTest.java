package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.CommandHarness;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.metrics.Limiter.Kind;
import java.util.Map;
import java.util.Set;
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
                .endsWith("{\"events\":9,\"steps\":3,\"taken_back\":0,\"best_step\":3,\"total_gain\":2.5,"
                        + "\"outputs_equal\":true,\"stopped\":false}\n");
    }

    /** What was taken back is no gain and no loss of the whole: the version before it goes on. */
    @Test
    void step_thatIsTakenBack_isTold_andTheBestOneIsWhatCounts() {
        TuneReport report = report(false, 100, 200);
        report.step(outcome(3, 2, 178, 200, true));
        report.step(outcome(4, 2, 202, 200, true));

        assertThat(printed())
                .contains("step 3         178 records/s   expected x 1.00   measured x 0.89\n")
                .contains("\n  took it back: 0.89, measured in turns with step 2\n")
                .contains("\n  took it back: 1.01 is no gain, measured in turns with step 2\n");
        assertThat(report.summary(null, false)).isEqualTo(ExitCode.DONE);
        assertThat(printed())
                .endsWith("OK: x 2.0 in 4 steps, 2 of them taken back, from 100 to 200 records/s;"
                        + " all wrote the same bytes.\n");
    }

    @Test
    void step_thatIsTakenBack_inJson() {
        TuneReport report = report(true, 100, 200);
        report.step(outcome(3, 2, 178, 200, true));

        assertThat(printed())
                .contains("\"measured_gain\":0.89,\"compared_with\":2,\"in_turns\":true,\"verdict\":\"slower\","
                        + "\"taken_back\":true,")
                .contains("\"measured_gain\":2.0,\"compared_with\":1,\"in_turns\":false,\"verdict\":\"faster\","
                        + "\"taken_back\":false,")
                .contains("\"measured_gain\":1.0,\"compared_with\":null,\"in_turns\":false,\"verdict\":\"first\",");
        assertThat(report.summary(null, false)).isEqualTo(ExitCode.DONE);
        assertThat(printed()).contains("\"steps\":3,\"taken_back\":1,\"best_step\":2,\"total_gain\":2.0,");
    }

    @Test
    void step_ofCheaperCodeWithoutGain_saysThatItIsNone() {
        TuneReport report = new TuneReport(harness.weir, 9, false);
        Version json = new ComputingVersion("a change", "parse JSON", 1.01, Set.of(), Set.of(), Set.of());
        report.step(Outcome.of(4, json, measured(202), 3, 200, true));

        assertThat(printed())
                .contains("\n  no gain: 1.01, measured in turns with step 3; it stays, as its code alone is");
    }

    private String printed() {
        return harness.out().replace(System.lineSeparator(), "\n");
    }

    private TuneReport report(boolean json, double... rates) {
        TuneReport report = new TuneReport(harness.weir, 9, json);
        for (int step = 0; step < rates.length; step++) {
            report.step(
                    step == 0
                            ? Outcome.first(ComputingVersion.first(), measured(rates[0]))
                            : outcome(step + 1, step, rates[step], rates[step - 1], false));
        }
        return report;
    }

    private static Outcome outcome(int step, int comparedWith, double rate, double before, boolean inTurns) {
        return Outcome.of(step, ComputingVersion.first(), measured(rate), comparedWith, before, inTurns);
    }

    private static Measurement measured(double rate) {
        return new Measurement(rate, Limiters.of(Kind.GC, "gc", 1), 1, 1, Map.of(), "counters", 0);
    }
}
