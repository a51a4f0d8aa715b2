package dev.weir.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.Phase;
import dev.weir.bench.result.Point;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Analyses runs with rates that are chosen one by one. */
class AnalysisTest {

    private static final long MILLI = 1_000_000;

    @TempDir
    Path temp;

    private static Run run(String point, String driver, int round, double rate, Map<String, Double> metrics) {
        return run(point, driver, round, rate, metrics, Set.of(), List.of());
    }

    private static Run run(
            String point,
            String driver,
            int round,
            double rate,
            Map<String, Double> metrics,
            Set<Flag> flags,
            List<Phase> phases) {
        Totals totals = new Totals(Math.round(1e6 * rate), 0, 1_000 * MILLI, 100, 100, 0, 0, 100, metrics);
        return new Run(
                point,
                driver,
                round,
                0,
                1,
                1,
                2,
                0,
                List.of(new Interval(0, 1_000, 1, 1, 1, 1, 0, 0, 1, 1, 1)),
                totals,
                Ledger.NONE,
                flags,
                null,
                List.of(),
                phases,
                List.of());
    }

    /** Returns a run per rate, in rounds from 0. */
    private static List<Run> runs(String point, String driver, double... rates) {
        List<Run> runs = new ArrayList<>();
        for (int round = 0; round < rates.length; round++) {
            runs.add(run(point, driver, round, rates[round], Map.of()));
        }
        return runs;
    }

    @SafeVarargs
    private static List<Run> all(List<Run>... some) {
        List<Run> all = new ArrayList<>();
        for (List<Run> each : some) {
            all.addAll(each);
        }
        return all;
    }

    private static Analysis analyse(Campaign campaign, List<Run> runs) {
        return Analysis.of(campaign, runs, run -> Map.of());
    }

    private static DriverResult driver(PointResult point, String name) {
        return point.drivers().stream()
                .filter(each -> each.driver().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Comparison rate(PointResult point, String name) {
        return Objects.requireNonNull(driver(point, name).comparisons().get(Metric.RATE));
    }

    /** The first of two p-values is far below the second, so it is doubled. The control's p-value does not count. */
    @Test
    void pValues_ofAllPointsAndDriversButTheControl_areAdjustedTogether() {
        Campaign campaign = SimulatedDriver.campaign(2, 3, "again", "plain", "again", "weir");
        List<Run> runs = all(
                runs("p0", "plain", 1, 1, 1),
                runs("p0", "again", 1.01, 1.02, 0.99),
                runs("p0", "weir", 2, 2.1, 1.9),
                runs("p1", "plain", 1, 1, 1),
                runs("p1", "again", 1.01, 1.02, 0.99),
                runs("p1", "weir", 1.1, 0.9, 1.02));
        List<PointResult> points = analyse(campaign, runs).points();
        Comparison clear = rate(points.get(0), "weir");
        Comparison unclear = rate(points.get(1), "weir");
        assertThat(clear.interval().p()).isLessThan(0.01);
        assertThat(unclear.interval().p()).isGreaterThan(0.5);
        assertThat(clear.adjustedP()).isCloseTo(2 * clear.interval().p(), within(1e-12));
        assertThat(unclear.adjustedP()).isEqualTo(unclear.interval().p());
        Comparison control = rate(points.get(0), "again");
        assertThat(control.adjustedP()).isEqualTo(control.interval().p());
        assertThat(points.get(0).drivers().getFirst().comparisons())
                .as("of the baseline")
                .isEmpty();
    }

    /** Two rounds give an interval, but their p-value does not count in the adjustment of the others. */
    @Test
    void twoRounds_haveAnInterval_andNoVerdict() {
        Campaign campaign = SimulatedDriver.campaign(1, 3, null, "plain", "weir", "lean");
        PointResult point = analyse(
                        campaign,
                        all(runs("p0", "plain", 1, 1, 1), runs("p0", "weir", 2, 2.1), runs("p0", "lean", 2, 2.1, 1.9)))
                .points()
                .getFirst();
        assertThat(rate(point, "weir").interval().isBounded()).isTrue();
        assertThat(rate(point, "weir").verdict()).isEqualTo(Verdict.NOT_MEASURED);
        assertThat(rate(point, "lean").verdict()).isEqualTo(Verdict.BETTER);
        assertThat(rate(point, "lean").adjustedP())
                .isEqualTo(rate(point, "lean").interval().p());
    }

    /** Four drivers are enough for a typical deviation. The baseline is not one of them, because it never deviates. */
    @Test
    void deviation_isAtLeastTheTypicalOneOfFourDrivers() {
        double[] baseline = {1, 1, 1};
        double[][] rates = {{2, 2.01, 2.02}, {2, 2.2, 2.4}, {2, 2.3, 2.6}, {2, 2.4, 3}};
        Campaign four = SimulatedDriver.campaign(1, 3, null, "plain", "a", "b", "c", "d");
        List<Run> runs = all(
                runs("p0", "plain", baseline),
                runs("p0", "a", rates[0]),
                runs("p0", "b", rates[1]),
                runs("p0", "c", rates[2]),
                runs("p0", "d", rates[3]));
        double typical =
                (RatioInterval.deviation(rates[1], baseline) + RatioInterval.deviation(rates[2], baseline)) / 2;
        RatioInterval steady =
                rate(analyse(four, runs).points().getFirst(), "a").interval();
        assertThat(steady.high())
                .isCloseTo(
                        RatioInterval.ofPairs(rates[0], baseline, 0.95, typical).high(), within(1e-9));

        Campaign three = SimulatedDriver.campaign(1, 3, null, "plain", "a", "b", "c");
        RatioInterval ofItsOwn =
                rate(analyse(three, runs).points().getFirst(), "a").interval();
        assertThat(ofItsOwn.high())
                .isCloseTo(RatioInterval.ofPairs(rates[0], baseline, 0.95).high(), within(1e-9));
    }

    @Test
    void runsOfOtherDriversAndLaterRounds_areIgnored() {
        Campaign campaign = SimulatedDriver.campaign(1, 2, null, "plain", "weir");
        List<Run> runs = all(runs("p0", "plain", 1, 1, 9), runs("p0", "weir", 2, 2, 9), runs("p0", "pekko", 3, 3));
        PointResult point = analyse(campaign, runs).points().getFirst();
        assertThat(point.drivers()).extracting(DriverResult::driver).containsExactly("plain", "weir");
        assertThat(driver(point, "weir").runs()).hasSize(2);
        assertThat(rate(point, "weir").interval().ratio()).isCloseTo(2, within(1e-9));
    }

    @Test
    void driverWithoutAQuotedRun_hasNoBounds() {
        Campaign campaign = SimulatedDriver.campaign(1, 2, null, "plain", "weir");
        Run failed = Run.failed("p0", "weir", 0, 0, 1, 1, 2, "it broke");
        DriverResult weir = driver(
                analyse(campaign, all(runs("p0", "plain", 1, 1), List.of(failed)))
                        .points()
                        .getFirst(),
                "weir");
        assertThat(weir.quoted()).isZero();
        assertThat(weir.bounds()).isEmpty();
        assertThat(weir.medians()).isEmpty();
    }

    @Test
    void otherMetrics_areMediansOfTheRunsThatHaveThem() {
        Campaign campaign = SimulatedDriver.campaign(1, 3, null, "plain");
        Map<String, Double> fetches = Map.of(Totals.FETCHES_PER_SECOND, 7.0);
        List<Run> runs = List.of(
                run("p0", "plain", 0, 1, fetches),
                run("p0", "plain", 1, 1, Map.of(Totals.FETCHES_PER_SECOND, 9.0, Totals.SENT_PER_BYTE, 1.5)),
                run("p0", "plain", 2, 1, Map.of(Totals.FETCHES_PER_SECOND, 30.0, Totals.RECORDS_PER_FETCH, 4.0)));
        DriverResult plain = driver(analyse(campaign, runs).points().getFirst(), "plain");
        assertThat(plain.metrics())
                .isEqualTo(Map.of(
                        Totals.FETCHES_PER_SECOND, 9.0, Totals.SENT_PER_BYTE, 1.5, Totals.RECORDS_PER_FETCH, 4.0));
        assertThat(plain.medians())
                .containsEntry(Metric.FETCHES, 9.0)
                .containsEntry(Metric.SENT, 1.5)
                .containsEntry(Metric.FETCHED, 4.0)
                .doesNotContainKey(Metric.P50);
        assertThat(Metric.SENT.of(runs.getFirst(), Map.of())).isNaN();
    }

    /** Returns 100 latencies: 89 of a tenth of a millisecond, and 11 of {@code millis}. */
    private static Histogram latencies(String tag, long millis) {
        Histogram histogram = new Histogram(3);
        histogram.setTag(tag);
        histogram.recordValueWithCount(MILLI / 10, 89);
        histogram.recordValueWithCount(millis * MILLI, 11);
        return histogram;
    }

    @Test
    void latencies_areMergedOverRuns_andTheWorstOfPartitionsAndConsumersIsNamed() {
        Campaign campaign = SimulatedDriver.campaign(1, 10, null, "plain");
        List<Run> runs = runs("p0", "plain", 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
        DriverResult plain = driver(
                Analysis.of(
                                campaign,
                                runs,
                                run -> LatencyTags.merge(List.of(
                                        latencies(LatencyTags.RESPONSE, 90),
                                        latencies(LatencyTags.responseOfPartition(0), 20),
                                        latencies(LatencyTags.responseOfPartition(1), 40),
                                        latencies(LatencyTags.responseOfPartition(2), 30),
                                        latencies(LatencyTags.responseOfConsumer(0), 60),
                                        latencies(LatencyTags.responseOfConsumer(1), 50))))
                        .points()
                        .getFirst(),
                "plain");
        assertThat(plain.latencies()).hasSize(6);
        assertThat(plain.latencies().get(LatencyTags.RESPONSE))
                .satisfies(each -> assertThat(each.getTotalCount()).isEqualTo(1_000));
        assertThat(plain.worstPartitionP99Millis()).isCloseTo(40, within(0.1));
        assertThat(plain.worstConsumerP99Millis()).isCloseTo(60, within(0.1));

        DriverResult unmeasured = driver(analyse(campaign, runs).points().getFirst(), "plain");
        assertThat(unmeasured.worstPartitionP99Millis()).isNaN();
        DriverResult tooFew = driver(
                Analysis.of(
                                campaign,
                                runs.subList(0, 1),
                                run -> LatencyTags.merge(List.of(latencies(LatencyTags.responseOfPartition(0), 20))))
                        .points()
                        .getFirst(),
                "plain");
        assertThat(tooFew.worstPartitionP99Millis())
                .as("of 100 records, only one is beyond the 99th percentile")
                .isNaN();
    }

    @Test
    void folder_isAnalysedWithItsLatencies_andRatiosAreOfAnyTwoDrivers() {
        Campaign campaign = SimulatedDriver.campaign(2, 3, null, "plain", "weir", "lean");
        ResultsFolder folder = ResultsFolder.create(temp.resolve("campaign"), campaign);
        for (int round = 0; round < 3; round++) {
            folder.append(
                    run("p0", "plain", round, 1, Map.of()), List.of(latenciesOfMedian(30), latenciesOfMedian(30)));
            folder.append(run("p0", "weir", round, 2, Map.of()), List.of(latenciesOfMedian(10)));
            folder.append(run("p0", "lean", round, 4, Map.of()), List.of(latenciesOfMedian(5)));
            folder.append(run("p1", "weir", round, 9, Map.of()), List.of(latenciesOfMedian(9)));
        }
        PointResult point = Analysis.of(folder).points().getFirst();
        assertThat(Objects.requireNonNull(driver(point, "plain").medians().get(Metric.P50)))
                .isCloseTo(30, within(0.1));
        Point p0 = campaign.points().getFirst();
        assertThat(Analysis.ratio(folder, p0, "lean", "weir", Metric.RATE).ratio())
                .isCloseTo(2, within(1e-9));
        assertThat(Analysis.ratio(folder, p0, "weir", "lean", Metric.P50).ratio())
                .isCloseTo(2, within(0.01));
        assertThat(Analysis.ratio(folder, campaign.points().get(1), "weir", "lean", Metric.RATE)
                        .rounds())
                .isZero();
    }

    private static Histogram latenciesOfMedian(long millis) {
        Histogram histogram = new Histogram(3);
        histogram.setTag(LatencyTags.RESPONSE);
        histogram.recordValueWithCount(millis * MILLI, 100);
        return histogram;
    }

    @Test
    void phasesOfChangedRuns_areFurtherPoints_afterTheCampaignsOwn() {
        Campaign campaign = SimulatedDriver.campaign(2, 3, null, "plain", "weir");
        List<Run> runs = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            runs.add(changed("plain", round, 1));
            runs.add(changed("weir", round, 3));
        }
        List<PointResult> points = analyse(campaign, runs).points();
        assertThat(points).extracting(each -> each.point().id()).containsExactly("p0", "p1", "p0.phase-1");
        assertThat(driver(points.get(0), "weir").quoted()).isZero();
        assertThat(rate(points.get(2), "weir").interval().ratio()).isCloseTo(3, within(1e-9));
    }

    private static Run changed(String driver, int round, long records) {
        Totals totals = new Totals(records, 0, 1_000 * MILLI, 5, 6, 0, -1, 9, Map.of());
        Phase phase = new Phase(
                0, 1_000, "start", 10, 0, 1, 0, records, records, 1, 2, 0, new Phase.Result(0, 1, totals, Set.of()));
        return run("p0", driver, round, 1, Map.of(), Set.of(Flag.CHANGED), List.of(phase));
    }

    @Test
    void metric_isFoundByItsLabel() {
        for (Metric metric : Metric.values()) {
            assertThat(Metric.of(metric.label())).isEqualTo(metric);
            assertThat(metric.label()).matches("[a-z0-9-]+");
            assertThat(metric.title()).isNotBlank();
            assertThat(metric.unit()).isNotBlank();
        }
        assertThat(Metric.BROKER_CPU.label()).isEqualTo("broker-cpu");
        assertThat(Metric.RATE.title() + " in " + Metric.RATE.unit()).isEqualTo("rate in records/s");
        assertThatThrownBy(() -> Metric.of("CPU")).hasMessageStartingWith("no metric CPU; there are rate, cpu,");
    }
}
