package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.figures.PolledSizes;
import dev.weir.bench.report.Reports;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Checks that each run reports the records per poll, the pauses of its process, and its memory. */
@Timeout(180)
class BenchPollsTest extends BenchTestBase {

    @Test
    @Tag("long")
    void run_hasTheDistributionOfItsPolls_itsPauses_andItsMemory() throws Exception {
        ResultsFolder results = bench.run("""
                name: polls
                scenario: at-least-once
                drivers: [plain, weir]
                baseline: plain
                topic: {partitions: 2, records: 20000, valueBytes: 50}
                client: {max.poll.records: 7}
                method: {rounds: 1, control: false, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2,
                  measureSeconds: 1.5, intervalMillis: 100}
                """);
        assertThat(results.runs()).hasSize(2).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            Map<String, Double> figures = run.totals().metrics();
            assertThat(figures).containsEntry(PolledSizes.MAX, 7.0).containsEntry(PolledSizes.P50, 7.0);
            assertThat(figures).containsKeys(PolledSizes.P90, PolledSizes.P99);
            assertThat(figures.get("pause: process, longest ms")).isPositive();
            assertThat(figures).containsKeys("pause: collector, longest ms", "pause: to a safepoint, longest ms");
            assertThat(figures.get("driver: non-heap memory MB")).isPositive();
            assertThat(series(run))
                    .contains(PolledSizes.P50, "pause: process, longest ms", "driver: non-heap memory MB");
            assertThat(run.intervals())
                    .allSatisfy(interval -> assertThat(interval.heapBytes()).isPositive());
            // Only drivers that call poll themselves see empty polls.
            assertThat(figures.containsKey(PolledSizes.EMPTY))
                    .isEqualTo(run.driver().equals("plain"));
        });
        assertThat(Reports.text(results)).contains("records/poll p50", "empty polls %", "longest pause ms");
        assertThat(Reports.lines(results)).contains("\"polls: records max\":7.0", "\"pause: collector, longest ms\":");
    }

    private static Set<String> series(Run run) {
        Set<String> names = new TreeSet<>();
        run.intervals().forEach(interval -> names.addAll(interval.figures().keySet()));
        return names;
    }
}
