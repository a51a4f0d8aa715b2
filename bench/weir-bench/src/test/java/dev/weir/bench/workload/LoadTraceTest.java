package dev.weir.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.weir.driver.LoadShape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadTraceTest {

    @TempDir
    private Path folder;

    private static LoadTrace trace(String lines) {
        return LoadTrace.parse("day.txt", List.of(lines.split("/", -1)));
    }

    @Test
    void arrivals_comeAtTheirTimes_andAgain() {
        LoadTrace trace = trace("# seconds/10/10.5/10.5/13");
        double rate = Math.round(trace.meanRate());
        LoadShape shape = LoadShape.parse(trace.shape(rate));
        double[] due = {0, 0.5, 0.500_001, 3, 4, 4.5, 4.500_001, 7, 8};
        for (int i = 0; i < due.length; i++) {
            assertThat(shape.when(i / rate)).as("record %s", i).isCloseTo(due[i], within(2e-6));
        }
    }

    @Test
    void rates_holdUntilTheNextLine_theLastAsLongAsTheOneBefore() {
        LoadTrace trace = trace("0 100/10 300//30, 0");
        assertThat(trace.meanRate()).isCloseTo((1_000 + 6_000) / 50.0, within(1e-9));
        LoadShape shape = LoadShape.parse(trace.shape(140));
        assertThat(140 * shape.area(10)).isCloseTo(1_000, within(1e-6));
        assertThat(140 * shape.area(30)).isCloseTo(7_000, within(1e-6));
        assertThat(140 * shape.area(50)).isCloseTo(7_000, within(1e-6));
        assertThat(140 * shape.area(60)).isCloseTo(8_000, within(1e-6));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0 1/5 2/4 1    | day.txt:3: times of a trace are in their order: 4 1
            3/2            | day.txt:2: times of a trace are in their order: 2
            0 1/5          | day.txt:2: a trace has as many numbers in each line: 5
            0 1 2/1 2 3    | day.txt:1: a trace has a time, or a time and a rate in each line: 0 1 2
            0 1/1 -3       | day.txt:2: must be a number of seconds or of records a second: -3
            time,rate/0,1  | day.txt:1: must be a number of seconds or of records a second: time
            7              | day.txt: a trace has two lines or more
            0 0/5 0        | day.txt: a trace must have some records
            """)
    void fileThatIsNone_isRefused_withItsLine(String lines, String message) {
        assertThatThrownBy(() -> trace(lines.strip()))
                .isInstanceOf(WorkloadException.class)
                .hasMessage(message);
    }

    @Test
    void trace_isTheRateAndItsShape_orIsScaledToARate() throws IOException {
        Path file = folder.resolve("day.txt");
        Files.writeString(file, "0 100\n10 300\n20 0\n");
        String yaml = "name: w\nscenario: steady\ndrivers: [plain]\ntopic: {trace: '" + file + "'RATE}\n"
                + "method: {maxWarmUpSeconds: 10, measureSeconds: 10}\n";
        WorkloadPoint own = point(yaml.replace("RATE", ""));
        assertThat(own.recordsPerSecond()).isEqualTo(133);
        assertThat(own.measuredPerSecond()).isCloseTo(300, within(1e-6));
        assertThat(own.traceDigest()).hasSize(12);
        WorkloadPoint scaled = point(yaml.replace("RATE", ", recordsPerSecond: 400"));
        assertThat(scaled.measuredPerSecond()).isCloseTo(900, within(1e-6));
        assertThatThrownBy(() -> point(yaml.replace("RATE", ", load: '0s:1 5s:2'")))
                .hasMessageContaining("topic.load and topic.trace both set how the load changes: leave one out");
        assertThatThrownBy(() -> point(yaml.replace("RATE", "").replace("steady", "consume")))
                .isInstanceOf(WorkloadException.class);
    }

    private static WorkloadPoint point(String yaml) {
        return Workload.parse("w.yaml", yaml, false).points().getFirst();
    }
}
