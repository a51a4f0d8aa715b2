package dev.weir.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.cli.pipeline.FusedFinding;
import dev.weir.command.terminal.ExitCode;
import dev.weir.examples.asimov.OutputLedger;
import dev.weir.metrics.Limiter;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
        assertThat(summary(FLAWLESS).exitCode()).isEqualTo(ExitCode.DONE);
    }

    /** Regression: figures had a decimal comma under a German locale, but not the sentence below them. */
    @Test
    void figures_areTheSameUnderEachLocale() {
        List<String> lines = new DemoReport(summary(FLAWLESS), StandardCharsets.UTF_8).lines();
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
        try {
            assertThat(new DemoReport(summary(FLAWLESS), StandardCharsets.UTF_8).lines())
                    .isEqualTo(lines);
            assertThat(DemoPlan.of(null, null, null, 42)).asString().startsWith("300,000 events");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void bars_showTheAccountOfTheFinding() {
        Limiter finding = FusedFinding.of(0.5, 0, 0.25, 0.25).limiter();
        assertThat(new DemoReport(summary(FLAWLESS, finding), StandardCharsets.UTF_8).lines())
                .anySatisfy(line -> assertThat(line).contains("parse", "100 %", "50 %", "██████████▒▒▒▒▒░░░░░"))
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    }

    /** Regression: the table gave 13 % for a stage, and the sentence below it 33 %. */
    @ParameterizedTest
    @ValueSource(doubles = {0.52, 0.66, 0.7, 0.93})
    void table_json_andSentence_haveTheSameShares(double share) throws IOException {
        DemoSummary summary = summary(FLAWLESS, FusedFinding.of(share).limiter());
        long percent = Math.round(100 * share);
        List<String> lines = new DemoReport(summary, StandardCharsets.UTF_8).lines();
        assertThat(String.join(" ", lines).replaceAll(" +", " "))
                .contains("stage-cpu: parse has " + percent + " % of the time of its thread")
                .contains(" parse x1 " + percent + " % " + percent + " % 0 % 0 %");
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartObject();
            summary.writeTo(json);
            json.writeEndObject();
        }
        assertThat(text.toString()).contains("{\"name\":\"parse\",\"threads\":1,\"busy_share\":" + share + ",");
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
        Limiter finding = FusedFinding.of(0.5, 0, 0.25, 0.25).limiter();
        List<String> lines = new DemoReport(summary(FLAWLESS, finding), StandardCharsets.US_ASCII).lines();
        assertThat(String.join("", lines)).isASCII().contains("##########=====.....");
    }

    private static DemoSummary summary(OutputLedger.Summary books) {
        return summary(books, LIMITER);
    }

    private static DemoSummary summary(OutputLedger.Summary books, Limiter limiter) {
        Histogram latency = new Histogram(3);
        latency.recordValue(86_400_000);
        return new DemoSummary(DemoPlan.of(null, null, null, 1), books, latency, 86_400_000, limiter, List.of());
    }
}
