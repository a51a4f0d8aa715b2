package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.BenchException;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.driver.Pass;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests planned loads with varying rates, for copying groups and failing handlers, but no speeds. */
@Timeout(300)
class BenchPlannedLoadTest extends BenchTestBase {

    private static final String LOAD = """
            name: NAME
            drivers: [DRIVER]
            baseline: DRIVER
            topic: {partitions: 4, valueBytes: 50, recordsPerSecond: 200, arrivals: poisson, load: '0s:1 2s~2'}
            explore: {members: 2}
            method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 250, maxWarmUpSeconds: 1,
              measureSeconds: 3}
            """;

    private static final String COPY = LOAD + """
            scenario: copy
            client: {linger.ms: 5}
            options: {guarantee: GUARANTEE, commit.interval.millis: 100, in.flight.bytes: 1000000}
            """;

    private static final String FAILING = LOAD + """
            scenario: work
            options: {ordering: none, concurrency: 8, work.millis: 1, work.failures: 0.1, work.retryMillis: 10}
            """;

    private static Run only(ResultsFolder results) {
        Run run = results.runs().getFirst();
        assertThat(run.failure()).isNull();
        assertThat(run.ledger().lost()).as("%s", run.ledger()).isZero();
        assertThat(run.ledger().duplicates()).as("%s", run.ledger()).isZero();
        assertThat(run.ledger().expected()).isGreaterThan(400);
        assertThat(run.flags()).doesNotContain(Flag.GUARANTEE_BROKEN);
        return run;
    }

    /** Checks that latencies start when a record is due. Different clocks would give negative latencies, or hours. */
    private static Histogram latencies(ResultsFolder results, Run run) {
        Histogram all = Objects.requireNonNull(
                LatencyTags.merge(results.latencyIntervals(run.key())).get(LatencyTags.RESPONSE));
        assertThat(all.getTotalCount()).isGreaterThan(400);
        assertThat(run.totals().recordsPerSecond()).isBetween(200.0, 450.0);
        assertThat(all.getMinValue() / 1e6).isPositive();
        assertThat(all.getMaxValue() / 1e6).isLessThan(30_000);
        return all;
    }

    private static void requireCopied(String driver, String guarantee, String ordering) throws Exception {
        requireCopied(COPY, 2, driver, guarantee, ordering);
    }

    private static void requireCopied(String yaml, int members, String driver, String guarantee, String ordering)
            throws Exception {
        String name = driver + "-" + guarantee;
        ResultsFolder results = bench.run(
                yaml.replace("NAME", name).replace("DRIVER", driver).replace("GUARANTEE", guarantee + ordering));
        Run run = only(results);
        assertThat(run.flags()).doesNotContain(Flag.UNEVEN);
        Map<String, Double> metrics = run.totals().metrics();
        assertThat(metrics).containsKeys("reader, % of a core", "load: idlest process %", Pass.SENDER_NICENESS);
        assertThat(metrics.get("group: consumers")).isGreaterThanOrEqualTo(members);
        Histogram latencies = latencies(results, run);
        if (guarantee.equals("exactly-once")) {
            assertThat(latencies.getMean() / 1e6)
                    .as("half of an interval of commits")
                    .isGreaterThan(40);
        }
    }

    @Test
    @Tag("long")
    void group_copiesByPlan_andLatencyIsThatOfAReaderOfTheOutput() throws Exception {
        requireCopied(COPY.replace("members: 2}", "members: 1}"), 1, "weir", "exactly-once", "");
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "plain, exactly-once",
        "pekko, exactly-once",
        "kafka-streams, exactly-once",
        "kafka-streams, at-least-once",
        "plain-two-workers, at-least-once",
        "weir-lean, at-least-once",
        "weir-views-copy, at-least-once",
        "pekko, at-least-once",
        "reactor, at-least-once"
    })
    void furtherGroup_copiesByPlan_andLatencyIsThatOfAReaderOfTheOutput(String driver, String guarantee)
            throws Exception {
        requireCopied(driver, guarantee, "");
    }

    @Test
    @Tag("long")
    void parallelConsumer_copiesByPlan_inNoOrder() throws Exception {
        requireCopied("parallel-consumer", "at-least-once", ", ordering: none");
    }

    @Test
    void driverThatJoinsNoGroup_isRefused() {
        assertThatThrownBy(() -> bench.run(COPY.replace("NAME", "groupless")
                        .replace("DRIVER", "lean-copy")
                        .replace("GUARANTEE", "at-least-once")))
                .isInstanceOf(BenchException.class)
                .hasMessageStartingWith("driver lean-copy joins no group");
    }

    /** Readers of committed records wait for the timeout of the killed process's transaction. */
    @Test
    @Tag("long")
    void copierThatIsKilled_losesNothing_andDoublesNothing() throws Exception {
        ResultsFolder results = bench.run(COPY.replace("NAME", "killed")
                        .replace("DRIVER", "weir")
                        .replace("GUARANTEE", "exactly-once")
                        .replace("measureSeconds: 3", "measureSeconds: 12")
                        .replace(
                                "{linger.ms: 5}",
                                "{linger.ms: 5, session.timeout.ms: 6000, transaction.timeout.ms: 5000}")
                + "timeline: [{at: 3s, kill: 1}]\n");
        Run run = only(results);
        assertThat(run.disturbances()).hasSize(1);
        assertThat(run.disturbances().getFirst().order()).isEqualTo("kill 1");
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"weir", "plain", "parallel-consumer"})
    void handlersThatFail_areCalledAgain_underAPlannedLoad(String driver) throws Exception {
        requireRepeated(driver);
    }

    /** Checks that the randomly chosen calls failed, and no others. */
    private static void requireRepeated(String driver) throws Exception {
        ResultsFolder results =
                bench.run(FAILING.replace("NAME", "failing-" + driver).replace("DRIVER", driver));
        Run run = only(results);
        double share = (double) run.ledger().retried() / run.ledger().expected();
        assertThat(share).as("0.1 / 0.9 of the records, of %s", run.ledger()).isBetween(0.05, 0.2);
        Histogram latencies = latencies(results, run);
        assertThat(latencies.getValueAtPercentile(99) / 1e6)
                .as("a tenth waits for its next call")
                .isGreaterThan(10);
    }
}
