package dev.weir.bench.campaign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.explore.Trial;
import dev.weir.bench.explore.Verdict;
import dev.weir.bench.report.ExploredReport;
import dev.weir.bench.report.Reports;
import dev.weir.bench.result.Explored;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import dev.weir.bench.trial.SimulatedRun;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadException;
import dev.weir.metrics.Limiter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the whole harness with a model of brokers and groups. Equal seeds give equal figures. */
class SimulatedCampaignTest {

    @TempDir
    private Path folder;

    private final List<String> notes = new ArrayList<>();

    private static final String GROUPS = """
            name: simulated
            scenario: work
            drivers: [kafka-share, weir-share]
            baseline: kafka-share
            topic: {partitions: 6, recordsPerSecond: RATE, arrivals: poisson}
            options: {ordering: none, concurrency: 15, work.millis: 5}
            target: p75<=100ms
            explore: {members: 4, startRate: 3000, maxRate: 24000, maxSeconds: 9000, warmUpSeconds: 5, stepSeconds: 6,
              holdSeconds: 10, pauseSeconds: 3, recoverySeconds: 9}
            method: {rounds: 3, intervalMillis: 500, maxWarmUpSeconds: 2, measureSeconds: 5}
            """;

    private CampaignRunner.Settings settings(String name, long seed) {
        return new CampaignRunner.Settings(
                Path.of(System.getProperty("weir.root")), folder, folder.resolve(name), seed, false);
    }

    private ResultsFolder run(String name, String yaml, long seed) {
        CampaignListener listener = new CampaignListener() {
            @Override
            public void note(String line) {
                notes.add(line);
            }

            @Override
            public void status(String doing, int runsDone, int runs, @Nullable Duration remaining) {}

            @Override
            public void finished(Run run, int runsDone, int runs) {}
        };
        return new SimulatedCampaign(Workload.parse("w.yaml", yaml, false), settings(name, seed), listener).run();
    }

    private static String lines(ResultsFolder results) {
        return Reports.lines(results)
                .lines()
                .filter(line -> !line.contains("\"type\":\"summary\""))
                .collect(Collectors.joining("\n"));
    }

    @Test
    void sameSeed_givesTheSameFigures_andAnotherOneOthers() {
        String yaml = GROUPS.replace("RATE", "3000");
        ResultsFolder results = run("one", yaml, 7);
        assertThat(results.runs()).hasSize(9).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.flags()).doesNotContain(Flag.GUARANTEE_BROKEN, Flag.UNEVEN, Flag.GENERATOR_BOUND);
            assertThat(run.totals().recordsPerSecond()).isBetween(2_900.0, 3_100.0);
        });
        assertThat(lines(run("again", yaml, 7))).isEqualTo(lines(results));
        assertThat(lines(run("other", yaml, 8))).isNotEqualTo(lines(results));
        assertThat(Reports.lines(results)).contains("\"simulated\":true");
    }

    private static final String ONE = """
            name: simulated
            drivers: [weir]
            baseline: weir
            topic: {partitions: 6, recordsPerSecond: 300, arrivals: poisson, load: '0s:1 5s~2'}
            method: {rounds: 1, control: false, intervalMillis: 500, maxWarmUpSeconds: 2, measureSeconds: 20}
            """;

    private double meanMillis(ResultsFolder results) {
        Run run = results.runs().getFirst();
        assertThat(run.failure()).isNull();
        assertThat(run.flags()).doesNotContain(Flag.GUARANTEE_BROKEN, Flag.UNEVEN, Flag.GENERATOR_BOUND);
        return Objects.requireNonNull(LatencyTags.merge(results.latencyIntervals(run.key()))
                                .get(LatencyTags.RESPONSE))
                        .getMean()
                / 1e6;
    }

    /** With a commit every 200 ms, records arrive 100 ms late on average. */
    @Test
    void copiesByPlan_haveTheLatencyOfTheirOutput() {
        String copy = ONE + "scenario: copy\noptions: {commit.interval.millis: 200, guarantee: ";
        double atLeastOnce = meanMillis(run("at-least-once", copy + "at-least-once}\n", 7));
        assertThat(atLeastOnce).isBetween(3.0, 6.0);
        assertThat(meanMillis(run("exactly-once", copy + "exactly-once}\n", 7)))
                .isBetween(atLeastOnce + 90, atLeastOnce + 110);
    }

    /** Regression: in the model, every interval had a record, even if each handler call took five intervals. */
    @Test
    void handlersSlowerThanAnInterval_areNoFasterThanTheirCeiling() {
        String slow = """
                name: simulated
                scenario: work
                drivers: [weir]
                baseline: weir
                options: {concurrency: 1, work.millis: 1000}
                method: {rounds: 1, control: false, intervalMillis: 200, maxWarmUpSeconds: 2, measureSeconds: 40}
                """;
        Run run = run("slow", slow, 7).runs().getFirst();
        assertThat(run.failure()).isNull();
        assertThat(run.totals().metrics().get(Totals.EFFICIENCY)).isBetween(90.0, 103.0);
    }

    @Test
    void handlersThatFail_areCalledAgain_andTheirRecordsComeLater() {
        String work = ONE + "scenario: work\noptions: {ordering: none, concurrency: 50, work.millis: 5,"
                + " work.retryMillis: 100, work.failures: ";
        double without = meanMillis(run("without", work + "0}\n", 7));
        ResultsFolder failing = run("failing", work + "0.5}\n", 7);
        assertThat(meanMillis(failing))
                .as("a call of 5 ms and a wait more for each record, by the mean")
                .isBetween(without + 95, without + 115);
        Run run = failing.runs().getFirst();
        assertThat((double) run.ledger().retried() / run.ledger().expected()).isBetween(0.95, 1.05);
        assertThat(run.totals().metrics().get(Totals.HANDLER_MILLIS)).isBetween(5.0, 5.2);
        assertThat(run.totals().metrics().get(Totals.CEILING))
                .as("100 handlers of two processes, two calls for a record")
                .isBetween(9_600.0, 10_100.0);
    }

    /** Points between corners with the same verdict must be left out. */
    @Test
    void adaptiveDesign_runsWhereTheVerdictChanges() {
        String yaml = GROUPS.replace("RATE", "3000")
                        .replace("[kafka-share, weir-share]", "[weir-share]")
                        .replace("baseline: kafka-share", "baseline: weir-share")
                + "design: adaptive\nvary:\n"
                + "  - topic.recordsPerSecond: [1000, 3000, 5000, 7000, 9000, 11000, 13000, 15000, 17000]\n";
        ResultsFolder results = run("adaptive", yaml.replace("rounds: 3", "rounds: 1, control: false"), 7);
        Set<String> points = results.runs().stream().map(Run::point).collect(Collectors.toSet());
        assertThat(points).hasSizeLessThan(7).contains("work-recordsPerSecond-11000", "work-recordsPerSecond-13000");
        assertThat(notes).anyMatch(note -> note.contains("points were not run"));
        assertThat(Reports.lines(results)).contains("\"complete\":true");
    }

    @Test
    void search_findsTheCollapseOfGreedyGroups_andNearlyTheCeilingOfFairOnes() throws InterruptedException {
        Workload workload =
                Workload.parse("w.yaml", GROUPS.replace("RATE", "3000"), false).alone(List.of());
        List<Explored> found = ExploreRunner.simulated(workload, settings("explored", 7), null, 0, listener())
                .run();
        Explored greedy = found.get(0);
        assertThat(greedy.finding().verdict()).isIn(Verdict.UNSTABLE_AT, Verdict.FOUND);
        assertThat(greedy.finding().low()).isLessThan(8_000);
        assertThat(greedy.limiter())
                .as("%s", greedy)
                .isNotNull()
                .extracting(Limiter::kind)
                .isEqualTo(Limiter.Kind.SHARE_WINDOW);
        Explored fair = found.get(1);
        assertThat(fair.finding().verdict()).isEqualTo(Verdict.FOUND);
        assertThat(fair.finding().high() / fair.finding().low()).isLessThan(1 / 0.9);
        assertThat(fair.finding().high() / fair.ceiling()).isGreaterThan(0.95);
    }

    @Test
    @Tag("long")
    void search_withTheSameSeed_findsTheSame() throws InterruptedException {
        Workload workload =
                Workload.parse("w.yaml", GROUPS.replace("RATE", "3000"), false).alone(List.of());
        List<Explored> found = ExploreRunner.simulated(workload, settings("once", 7), null, 0, listener())
                .run();
        List<Explored> again = ExploreRunner.simulated(workload, settings("again", 7), null, 0, listener())
                .run();
        assertThat(ExploredReport.lines(again)).isEqualTo(ExploredReport.lines(found));
    }

    private static ExploreListener listener() {
        return new ExploreListener() {
            @Override
            public void note(String line) {}

            @Override
            public void status(String doing, double seconds) {}

            @Override
            public void tried(String driver, String point, int number, Trial trial) {}

            @Override
            public void finished(Explored explored) {}
        };
    }

    @Test
    void pointWithoutAModel_isRefused() {
        String keyed = GROUPS.replace("RATE", "3000")
                .replace("ordering: none", "ordering: key")
                .replace("recordsPerSecond", "keys: 100, recordsPerSecond");
        assertThatThrownBy(() -> run("refused", keyed, 7))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining("--simulate has no model of keys");
    }

    /**
     * Runs each scenario that has no planned rate. The model's rate must lie between {@code least} and {@code most}.
     */
    @ParameterizedTest
    @CsvSource({
        "consume, '', 1300000, 2600000",
        "at-least-once, '', 1300000, 2600000",
        "at-most-once, '', 9600, 10300",
        "at-most-once, 'commit.ahead.records: 1000', 1100000, 2300000",
        "flow-control, '', 37000, 63000",
        "pipeline, '', 12500, 21000",
        "produce, '', 370000, 650000",
        "produce, 'transaction.records: 100', 200000, 400000",
        "copy, '', 370000, 650000",
        "copy, 'guarantee: exactly-once', 370000, 650000",
        "work, 'ordering: none, concurrency: 15, work.millis: 5', 2700, 3000",
        "consume, 'sink.records.per.second: 20000', 19000, 21000",
    })
    void unplannedScenarios_areMeasuredAsPasses_thatAreSteadyAfterAWarmUp(
            String scenario, String options, double least, double most) {
        String yaml = "name: w\nscenario: " + scenario + "\ndrivers: [weir, plain]\nbaseline: plain\n"
                + "topic: {partitions: 6, records: 1000000}\noptions: {" + options + "}\n"
                + "method: {rounds: 3, minWarmUpSeconds: 3, maxWarmUpSeconds: 30, measureSeconds: 10}\n";
        ResultsFolder results = run("passes", yaml, 7);
        assertThat(results.runs()).hasSize(9).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.flags()).isEmpty();
            assertThat(run.warmUpIntervals()).isPositive();
            assertThat(run.totals().recordsPerSecond()).isBetween(least, most);
            assertThat(run.ledger().lost()).isZero();
            assertThat(run.ledger().delivered())
                    .isGreaterThanOrEqualTo(run.totals().records());
        });
        assertThat(lines(run("again", yaml, 7))).isEqualTo(lines(results));
    }

    /**
     * In the model, a reader receives a record one fetch after the append. A sender gets its acknowledgement at the
     * append.
     */
    @ParameterizedTest
    @CsvSource({"steady, 2.0, 2.6", "produce, 1.0, 1.3", "at-least-once, 2.0, 2.7"})
    void plannedScenarios_keepTheirRate_withTheLatencyOfTheModel(String scenario, double least, double most) {
        ResultsFolder results = run("planned", ONE + "scenario: " + scenario + "\n", 7);
        assertThat(meanMillis(results)).isBetween(least, most);
        Run run = results.runs().getFirst();
        assertThat(run.totals().recordsPerSecond()).isBetween(480.0, 620.0);
        assertThat(run.ledger().lost()).isZero();
    }

    @Test
    void shippedWorkloads_haveAModel_butThoseOfKeysAndSeveralGroups() throws IOException {
        Path workloads = Path.of(System.getProperty("weir.root"), "bench", "workloads");
        List<String> without = new ArrayList<>();
        try (Stream<Path> files = Files.list(workloads)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".yaml"))
                    .sorted()
                    .toList()) {
                Workload workload = Workload.parse(file.toString(), Files.readString(file), true);
                try {
                    workload.points().forEach(SimulatedRun::requireModel);
                } catch (WorkloadException e) {
                    without.add(String.valueOf(file.getFileName()));
                }
            }
        }
        assertThat(without).containsExactly("keyed-work.yaml");
    }
}
