package dev.weir.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.examples.asimov.OutputLedger;
import dev.weir.metrics.Limiter;
import dev.weir.stream.StageSnapshot;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class DemoReportTest {

    private static final OutputLedger.Summary FLAWLESS =
            new OutputLedger.Summary(100_000_000, 99_000_000, 1_000_000, 0, 0, 0, 0, 0);

    private static final Limiter LIMITER = Limiter.of(
            Limiter.Kind.MACHINE_CPU,
            "machine-cpu",
            "the machine's 128 processors are 100 % busy, and the stages want 1,024 of them all of the time",
            "give it more processors or another instance, or make decompress cheaper: it is 100 % of the work",
            2);

    @Test
    void flawless_saysSoFirst_andFitsEightyColumns() {
        List<String> lines = new DemoReport(summary(FLAWLESS), StandardCharsets.UTF_8).lines();
        assertThat(lines).first().asString().startsWith("OK:");
        assertThat(lines).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        assertThat(lines)
                .anySatisfy(line -> assertThat(line).contains("decompress", "100 %", "50 %", "██████████▒▒▒▒▒░░░░░"));
        assertThat(summary(FLAWLESS).exitCode()).isEqualTo(ExitCode.DONE);
    }

    @Test
    void faults_areNamedAndCountedInTheFirstLine() {
        OutputLedger.Summary faulty = new OutputLedger.Summary(5000, 4000, 0, 1234, 2, 3, 4, 0);
        List<String> lines = new DemoReport(summary(faulty), StandardCharsets.UTF_8).lines();
        assertThat(lines)
                .first()
                .isEqualTo("FAILED: 1,234 lost, 2 duplicated, 3 out of order,"
                        + " 4 in the wrong topic or under the wrong key.");
        assertThat(summary(faulty).exitCode()).isEqualTo(ExitCode.FAILED);
    }

    @Test
    void anyFault_failsTheRun() {
        for (int fault = 0; fault < 5; fault++) {
            long[] counts = new long[5];
            counts[fault] = 1;
            OutputLedger.Summary books =
                    new OutputLedger.Summary(9, 9, 0, counts[0], counts[1], counts[2], counts[3], counts[4]);
            assertThat(summary(books).exitCode()).as("%s", books).isEqualTo(ExitCode.FAILED);
        }
    }

    @Test
    void nothingGenerated_isOneLine() {
        OutputLedger.Summary nothing = new OutputLedger.Summary(0, 0, 0, 0, 0, 0, 0, 0);
        assertThat(new DemoReport(summary(nothing), StandardCharsets.UTF_8).lines())
                .containsExactly("OK: stopped before the first event.");
    }

    @Test
    void bars_whereBlocksCannotBeShown_areAscii() {
        List<String> lines = new DemoReport(summary(FLAWLESS), StandardCharsets.US_ASCII).lines();
        assertThat(String.join("", lines)).isASCII().contains("##########=====.....");
    }

    private static DemoSummary summary(OutputLedger.Summary books) {
        Histogram latency = new Histogram(3);
        latency.recordValue(86_400_000);
        StageSnapshot stage = StageSnapshot.of("decompress", 2, 1, 1, 100, 50, 50, 0, 100);
        return new DemoSummary(
                DemoPlan.of(null, null, null, 1), books, latency, 86_400_000, LIMITER, List.of(stage), List.of());
    }
}
