package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.BenchException;
import dev.weir.bench.explore.Kind;
import dev.weir.bench.explore.Verdict;
import dev.weir.bench.report.ExploredReport;
import dev.weir.bench.result.Explored;
import dev.weir.bench.result.ResultsFolder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests {@code weir bench explore} with real processes, on a system whose limit is known. */
class BenchExploreTest extends BenchTestBase {

    /**
     * Two members, each with one handler that takes 50 ms, handle 40 records per second. They need little processor
     * time.
     */
    private static final String WORKLOAD = """
            name: NAME
            scenario: work
            drivers: [DRIVER]
            baseline: DRIVER
            topic: {partitions: 4, valueBytes: 50}
            options: {ordering: none, concurrency: 1, work.millis: 50}
            target: p50<=1500ms
            explore: {members: 2, startRate: 20, warmUpSeconds: 2, stepSeconds: 8, holdSeconds: 12, pauseSeconds: 3,
              recoverySeconds: 12, maxSeconds: 2400}
            method: {heapMegabytes: 64, intervalMillis: 250}
            """;

    private static final double CEILING = 40;

    @Test
    @Tag("long")
    @Timeout(3000)
    void handlersOfAFixedTime_haveTheirLimitFound_andRecoverFromEveryPerturbation() throws Exception {
        Explored found = bench.explore(WORKLOAD.replace("NAME", "fixed").replace("DRIVER", "weir"));
        assertThat(found.finding().verdict()).as("%s", found).isEqualTo(Verdict.FOUND);
        assertThat(found.finding().low()).isBetween(CEILING / 2, CEILING * 1.05);
        assertThat(found.finding().high()).isBetween(found.finding().low(), CEILING * 1.5);
        assertThat(found.finding().perturbations())
                .extracting(trial -> trial.attempt().kind())
                .contains(Kind.COLD_START, Kind.RESTART, Kind.PAUSE);
        assertThat(found.ceiling()).isBetween(CEILING / 2, CEILING);
        ResultsFolder results = ResultsFolder.open(folder.resolve("fixed"));
        assertThat(results.isComplete()).isTrue();
        assertThat(ExploredReport.text(results)).contains("FOUND", "cold-start", "restart", "pause");
        assertThat(ExploredReport.lines(results))
                .contains("\"verdict\":\"FOUND\"", "\"kind\":\"pause\",\"recovered\":true", "\"limiter\":");
    }

    @Test
    @Timeout(300)
    void driverWithoutTheScenario_isRefused_beforeAnythingIsTried() {
        assertThatThrownBy(
                        () -> bench.explore(WORKLOAD.replace("NAME", "refused").replace("DRIVER", "bare")))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("driver bare: it does not offer work");
    }
}
