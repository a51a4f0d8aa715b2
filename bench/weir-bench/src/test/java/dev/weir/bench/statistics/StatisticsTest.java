package dev.weir.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.Point;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import dev.weir.driver.Pass;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatisticsTest {

    /** Values from printed tables. */
    @ParameterizedTest
    @CsvSource({
        "1,0.95,12.706",
        "2,0.95,4.303",
        "4,0.95,2.776",
        "9,0.95,2.262",
        "4,0.99,4.604",
        "30,0.95,2.042",
        "1000,0.95,1.962"
    })
    void studentT_quantile_isThatOfTheTables(int degrees, double confidence, double expected) {
        assertThat(StudentT.twoSidedQuantile(confidence, degrees)).isCloseTo(expected, within(0.0006));
    }

    /** By hand: logarithms of 2, 2.2 and 1.8; mean 0.69179, standard deviation 0.10034, t(2) = 4.3027. */
    @Test
    void ofPairs_threeRounds_isTheIntervalByHand() {
        RatioInterval interval = RatioInterval.ofPairs(new double[] {20, 22, 18}, new double[] {10, 10, 10}, 0.95);
        assertThat(interval.ratio()).isCloseTo(1.9933, within(0.0005));
        assertThat(interval.medianRatio()).isCloseTo(2, within(1e-9));
        assertThat(interval.low()).isCloseTo(1.5536, within(0.001));
        assertThat(interval.high()).isCloseTo(2.5575, within(0.001));
        assertThat(interval.p()).isBetween(0.006, 0.008);
    }

    @Test
    void ofPairs_brokenPairs_areLeftOut() {
        double[] driver = {20, Double.NaN, 22, 0, 18};
        double[] baseline = {10, 10, 10, 10, 10};
        assertThat(RatioInterval.ofPairs(driver, baseline, 0.95))
                .isEqualTo(RatioInterval.ofPairs(new double[] {20, 22, 18}, new double[] {10, 10, 10}, 0.95));
        RatioInterval one = RatioInterval.ofPairs(new double[] {20}, new double[] {10}, 0.95);
        assertThat(one.isBounded()).isFalse();
        assertThat(one.contains(1)).isTrue();
        assertThatThrownBy(() -> RatioInterval.ofPairs(driver, new double[1], 0.95))
                .hasMessageContaining("driver=5");
    }

    /** The paper by Benjamini and Hochberg rejects 4 of 15 hypotheses at a level of 5 %. */
    @Test
    void falseDiscovery_examplesOfThePaper_claimsFour() {
        double[] adjusted = FalseDiscovery.adjust(
                0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
                0.7590, 1.0);
        assertThat(Arrays.stream(adjusted).filter(p -> p <= 0.05)).hasSize(4);
    }

    @Test
    void verdict_withinTheNoise_claimsNothing() {
        RatioInterval small = RatioInterval.ofPairs(new double[] {1.02, 1.021, 1.022}, new double[] {1, 1, 1}, 0.95);
        assertThat(Verdict.of(small, 1.01, small.p(), 0.01, true)).isEqualTo(Verdict.BETTER);
        assertThat(Verdict.of(small, 1.01, small.p(), 0.01, false)).isEqualTo(Verdict.WORSE);
        assertThat(Verdict.of(small, 1.03, small.p(), 0.01, true)).isEqualTo(Verdict.UNCLEAR);
        assertThat(Verdict.of(small, 1.03, small.p(), 0.05, true)).isEqualTo(Verdict.SAME);
        assertThat(Verdict.of(small, Double.NaN, 0.2, 0.01, true)).isEqualTo(Verdict.UNCLEAR);
        assertThat(Verdict.UNCLEAR.words(small)).isEqualTo("no difference shown");
        assertThat(Verdict.BETTER.words(small)).isEqualTo("better, +2 %");
        RatioInterval tiny = RatioInterval.ofPairs(new double[] {0.997, 0.998, 0.997}, new double[] {1, 1, 1}, 0.95);
        assertThat(Verdict.BETTER.words(tiny)).isEqualTo("better, -0.3 %");
        RatioInterval two = RatioInterval.ofPairs(new double[] {9, 9}, new double[] {1, 1}, 0.95);
        assertThat(Verdict.of(two, 1, 0, 0.05, true)).isEqualTo(Verdict.NOT_MEASURED);
    }

    @Test
    void verdict_atItsBounds_saysNoMoreThanIsShown() {
        RatioInterval above = new RatioInterval(1.2, 1.2, 1.1, 1.3, 3, 0.95, 0.01);
        assertThat(Verdict.of(above, Double.NaN, 1 - 0.95, 0.05, true)).isEqualTo(Verdict.BETTER);
        assertThat(Verdict.of(above, Double.NaN, Math.nextUp(1 - 0.95), 0.05, true))
                .isEqualTo(Verdict.UNCLEAR);
        assertThat(Verdict.of(above, 1.2, 0.01, 0.05, true))
                .as("as much as the noise")
                .isEqualTo(Verdict.UNCLEAR);
        RatioInterval below = new RatioInterval(0.5, 0.5, 0.4, 0.6, 3, 0.95, 0.01);
        assertThat(Verdict.of(below, 1.9, 0.01, 0.05, true)).isEqualTo(Verdict.WORSE);
        assertThat(Verdict.of(below, 2, 0.01, 0.05, true)).isEqualTo(Verdict.UNCLEAR);

        for (double[] ends : new double[][] {{1, 1.3}, {0.7, 1}}) {
            RatioInterval touching = new RatioInterval(1.1, 1.1, ends[0], ends[1], 3, 0.95, 0.01);
            assertThat(touching.contains(ends[0]) && touching.contains(ends[1])).isTrue();
            assertThat(Verdict.of(touching, Double.NaN, 0.01, 0.05, true)).isEqualTo(Verdict.UNCLEAR);
        }
        RatioInterval within = new RatioInterval(1, 1, 1 / 1.25, 1.25, 3, 0.95, 0.9);
        assertThat(Verdict.of(within, Double.NaN, 0.9, 0.25, true)).isEqualTo(Verdict.SAME);
        assertThat(Verdict.of(within, Double.NaN, 0.9, 0.2499, true)).isEqualTo(Verdict.UNCLEAR);
    }

    /** A percentage below 1 has a decimal. From 2 on, a factor is easier to read. */
    @ParameterizedTest
    @CsvSource({
        "1.0094, '+0.9 %'",
        "0.991, '-0.9 %'",
        "1.01, '+1 %'",
        "1.5, '+50 %'",
        "0.75, '-25 %'",
        "1.99, '+99 %'",
        "1.995, '2.0 times'",
        "0.502, '-50 %'",
        "0.4, '2.5 times'",
        "3.14, '3.1 times'"
    })
    void words_areAPercentageOrAFactor(double ratio, String words) {
        RatioInterval interval = new RatioInterval(ratio, ratio, ratio, ratio, 3, 0.95, 0);
        assertThat(Verdict.BETTER.words(interval)).isEqualTo("better, " + words);
        assertThat(Verdict.WORSE.words(interval)).isEqualTo("worse, " + words);
    }

    @Test
    void words_ofAHalfAndADouble_areTheSameFactor() {
        for (double ratio : new double[] {1.995, 1 / 1.995}) {
            RatioInterval interval = new RatioInterval(ratio, ratio, ratio, ratio, 3, 0.95, 0);
            assertThat(Verdict.BETTER.words(interval)).isEqualTo("better, 2.0 times");
        }
    }

    @Test
    void ofPairs_roundsThatAreAllEqual_areCertain() {
        double[] two = {2, 2};
        double[] one = {1, 1};
        RatioInterval twice = RatioInterval.ofPairs(two, one, 0.95);
        assertThat(twice.p()).isZero();
        assertThat(twice.low()).isEqualTo(twice.high()).isEqualTo(twice.ratio());
        assertThat(RatioInterval.ofPairs(two, two, 0.95).p()).isEqualTo(1);
        for (double confidence : new double[] {0, 1, -0.5, 1.5, Double.NaN}) {
            assertThatThrownBy(() -> RatioInterval.ofPairs(two, one, confidence))
                    .hasMessage("confidence must be between 0 and 1: confidence=" + confidence);
        }
    }

    /**
     * The driver failed in one of five rounds, and the generator was the bottleneck in another. Three rounds remain.
     */
    @Test
    void analysis_runsThatMayNotBeQuoted_areCountedAndLeftOut() {
        Campaign campaign = SimulatedDriver.campaign(1, 5, null, "plain", "weir");
        List<Run> runs = new ArrayList<>(new SimulatedDriver(1, SimulatedDriver.Luck.NORMAL, 0.05, 0.02)
                .interleaved(campaign, Map.of("plain", 200.0, "weir", 100.0)));
        runs.replaceAll(run -> {
            if (run.driver().equals("plain")) {
                return run;
            }
            return switch (run.round()) {
                case 1 -> Run.failed(run.point(), run.driver(), 1, run.order(), 0, 0, 1, "it broke");
                case 3 -> flagged(run, Flag.GENERATOR_BOUND);
                default -> run;
            };
        });
        DriverResult weir = Analysis.of(campaign, runs, run -> Map.of())
                .points()
                .getFirst()
                .drivers()
                .get(1);
        assertThat(weir.runs()).hasSize(5);
        assertThat(weir.quoted()).isEqualTo(3);
        assertThat(weir.flags()).containsEntry(Flag.GENERATOR_BOUND, 1);
        Comparison rate = Objects.requireNonNull(weir.comparisons().get(Metric.RATE));
        assertThat(rate.interval().rounds()).isEqualTo(3);
        assertThat(rate.words()).startsWith("better, 2.0 times");
        assertThat(weir.medians()).containsEntry(Metric.ALLOCATED, 500.0).doesNotContainKey(Metric.P99);
    }

    @Test
    void analysis_whoseControlHasNoFigures_claimsNothing() {
        Campaign campaign = SimulatedDriver.campaign(1, 5, "control", "plain", "control", "weir");
        List<Run> runs = new SimulatedDriver(1, SimulatedDriver.Luck.NORMAL, 0.05, 0.02)
                .interleaved(campaign, Map.of("plain", 200.0, "control", 200.0, "weir", 100.0));
        assertThat(verdictOfWeir(campaign, runs)).isEqualTo(Verdict.BETTER);
        List<Run> without =
                runs.stream().filter(run -> !run.driver().equals("control")).toList();
        assertThat(verdictOfWeir(campaign, without)).isEqualTo(Verdict.UNCLEAR);
    }

    private static Verdict verdictOfWeir(Campaign campaign, List<Run> runs) {
        PointResult point =
                Analysis.of(campaign, runs, run -> Map.of()).points().getFirst();
        return Objects.requireNonNull(point.drivers().get(2).comparisons().get(Metric.RATE))
                .verdict();
    }

    @Test
    void bottleneck_byProcessorTime_isFound() {
        assertThat(bottleneck(totals(0.3, 0.95), 4)).containsExactly(Flag.BROKER_BOUND);
        assertThat(bottleneck(totals(1.0, 0.95), 2)).containsExactly(Flag.MACHINE_SATURATED);
        assertThat(bottleneck(totals(1.0, 0.5), 2)).isEmpty();
        assertThat(bottleneck(totals(0.65, 0.5), 2))
                .as("it may wait for a handler")
                .isEmpty();
        assertThat(bottleneck(Totals.NONE, 2)).isEmpty();
    }

    @Test
    void bottleneck_ofThreeBrokersThatUseACoreTogether_isNone() {
        assertThat(LimitingParty.ofProcessorTime(totals(0.3, 0.95), 4, 3, true, false))
                .isEmpty();
    }

    @Test
    void brokerThatHoldsBack_voidsTheBaselineOnly() {
        assertThat(LimitingParty.ofProcessorTime(totals(0.3, 0.95), 4, 1, false, true))
                .allMatch(Flag::isVoiding);
        assertThat(LimitingParty.ofProcessorTime(totals(0.3, 0.95), 4, 1, false, false))
                .noneMatch(Flag::isVoiding);
    }

    /** The driver sends its next request only after the response, so the broker works only while the driver waits. */
    @Test
    void driverThatDoesNotAlwaysAsk_isNotExcusedByBrokersThatWorkWhileItWaits() {
        Totals stopAndWait = totals(0.5, 0.55);
        assertThat(LimitingParty.ofProcessorTime(stopAndWait, 4, 1, true, false, true))
                .containsExactly(Flag.BROKER_BOUND);
        assertThat(LimitingParty.ofProcessorTime(stopAndWait, 4, 1, true, false, false))
                .isEmpty();
        assertThat(LimitingParty.asksAlways(stopAndWait)).as("not known").isFalse();
        assertThat(LimitingParty.asksAlways(told(Pass.FETCH_UNDER_WAY, 50))).isFalse();
        assertThat(LimitingParty.asksAlways(told(Pass.FETCH_UNDER_WAY, 99))).isTrue();
        assertThat(LimitingParty.asksAlways(told(Pass.FETCHES_OF_CLIENT, 0.4))).isFalse();
        assertThat(LimitingParty.asksAlways(told(Pass.FETCHES_OF_CLIENT, 1.3))).isTrue();
    }

    /** Tests figures exactly at each bound, and figures slightly beyond most of them. */
    @Test
    void limitingParty_isFoundFromItsBoundsOn() {
        assertThat(bottleneck(totals(1.0, 0.9), 2)).containsExactly(Flag.MACHINE_SATURATED);
        assertThat(bottleneck(totals(1.0, 0.899), 2)).isEmpty();
        assertThat(bottleneck(totals(0.499, 0.9), 4)).containsExactly(Flag.BROKER_BOUND);
        assertThat(bottleneck(totals(0.5, 0.9), 4)).isEmpty();
        assertThat(bottleneck(totals(0.499, 0.899), 4)).isEmpty();
        assertThat(bottleneck(new Totals(1, 1, 0, 5, 0, 0, 0, 5, Map.of()), 4))
                .as("of a run without a length")
                .isEmpty();

        assertThat(streaming(0.75, 0.25, 4)).contains(Flag.BROKER_BOUND);
        assertThat(streaming(0.75, 0.249, 4)).isEmpty();
        assertThat(streaming(1.8, 0.2, 2)).contains(Flag.BROKER_BOUND);
        assertThat(streaming(1.8, 0.199, 2)).doesNotContain(Flag.BROKER_BOUND);

        assertThat(LimitingParty.asksAlways(told(Pass.FETCH_UNDER_WAY, 90))).isTrue();
        assertThat(LimitingParty.asksAlways(told(Pass.FETCHES_OF_CLIENT, 0.9))).isTrue();
        assertThat(LimitingParty.sendsLittle(told(LimitingParty.BATCH_KILOBYTES, 4)))
                .isFalse();
    }

    private static Set<Flag> streaming(double driverCores, double brokerCores, int cores) {
        return LimitingParty.ofProcessorTime(totals(driverCores, brokerCores), cores, 1, true, false);
    }

    @Test
    void generator_mayBeLateForOnePercentOfTheRecords() {
        Histogram lateness = new Histogram(3);
        assertThat(LimitingParty.isGeneratorBound(lateness, 5)).isFalse();
        lateness.recordValueWithCount(5, 99);
        lateness.recordValue(6);
        assertThat(LimitingParty.isGeneratorBound(lateness, 5)).isFalse();
        lateness.recordValue(6);
        assertThat(LimitingParty.isGeneratorBound(lateness, 5)).isTrue();
        assertThat(LimitingParty.isGeneratorBound(lateness, 5, 0.5)).isFalse();
    }

    /** A window of a few records keeps brokers busy with small requests. */
    @Test
    void driverThatSendsLittleAtATime_isKnownByItsBatches() {
        assertThat(LimitingParty.sendsLittle(told(LimitingParty.BATCH_KILOBYTES, 0.3)))
                .isTrue();
        assertThat(LimitingParty.sendsLittle(told(LimitingParty.BATCH_KILOBYTES, 120)))
                .isFalse();
        assertThat(LimitingParty.sendsLittle(totals(0.5, 0.55))).as("not known").isFalse();
    }

    private static Totals told(String name, double figure) {
        return new Totals(1, 1, 1_000_000, 1, 0, 0, 0, 1, Map.of(name, figure));
    }

    /** Measured on two cores for a bare socket, a lean consumer, a client, and a library with two threads. */
    @ParameterizedTest
    @CsvSource({
        "0.63,0.55,2,true",
        "0.75,0.60,2,true",
        "0.85,0.45,2,false",
        "0.95,0.30,2,false",
        "1.45,0.20,2,false",
        "0.50,0.20,2,false", // neither was busy
        "1.52,0.42,2,true", // all cores busy, a fifth of them with the broker
        "1.85,0.12,2,false", // all cores busy, nearly all of them with the driver
        "1.52,0.42,4,false",
    })
    void driverThatStreams_isHeldBackByBrokersThatWorkWhileItWaits(
            double driver, double broker, int cores, boolean heldBack) {
        assertThat(LimitingParty.ofProcessorTime(totals(driver, broker), cores, 1, true, false)
                        .contains(Flag.BROKER_BOUND))
                .isEqualTo(heldBack);
        assertThat(LimitingParty.ofProcessorTime(totals(driver, broker), cores, 1, true, true)
                        .contains(Flag.BASELINE_BROKER_BOUND))
                .isEqualTo(heldBack);
    }

    /** The brokers held the driver back in two of four rounds, so the median of all rounds is only a bound. */
    @Test
    void analysis_ofADriverThatBrokersHeldBack_givesABoundOfItsRate_andItsCosts() {
        DriverResult slower = heldBack(250.0, 2);
        assertThat(slower.quoted()).isEqualTo(4);
        assertThat(slower.isBound(Metric.RATE)).isTrue();
        assertThat(slower.isBound(Metric.CPU)).isFalse();
        Comparison rate = Objects.requireNonNull(slower.comparisons().get(Metric.RATE));
        assertThat(rate.isBound()).isTrue();
        assertThat(rate.verdict()).as("it may be faster").isEqualTo(Verdict.UNCLEAR);
        assertThat(rate.words()).isEqualTo("a bound, not judged");
        assertThat(Objects.requireNonNull(slower.comparisons().get(Metric.CPU)).verdict())
                .isEqualTo(Verdict.WORSE);

        Comparison faster =
                Objects.requireNonNull(heldBack(100.0, 4).comparisons().get(Metric.RATE));
        assertThat(faster.words()).isEqualTo("better, at least 2.0 times");

        assertThat(heldBack(250.0, 1).isBound(Metric.RATE)).isFalse();
        assertThat(heldBack(250.0, 0).isBound(Metric.RATE)).isFalse();
    }

    @Test
    void judgedBy_isWhatDiffers() {
        assertThat(point("steady", Map.of()).judgedBy()).isEqualTo(Metric.CPU);
        assertThat(point("produce", Map.of(Metric.RATE, 5.0)).judgedBy()).isEqualTo(Metric.RATE);
        assertThat(point("produce", Map.of(Metric.RATE, 5.0, Metric.P99, 9.0)).judgedBy())
                .as("at a planned rate all rates are the same")
                .isEqualTo(Metric.P99);
    }

    private static PointResult point(String scenario, Map<Metric, Double> medians) {
        DriverResult driver = new DriverResult(
                "plain",
                List.of(),
                0,
                Set.of(),
                medians,
                Map.of(),
                Map.of(),
                Map.of(),
                Ledger.NONE,
                Map.of(),
                Double.NaN,
                Double.NaN);
        return new PointResult(new Point("p", scenario, Map.of()), Map.of(), List.of(driver));
    }

    private static Run flagged(Run run, Flag flag) {
        return flagged(run, Set.of(flag));
    }

    static Run flagged(Run run, Set<Flag> flags) {
        return new Run(
                run.point(),
                run.driver(),
                run.round(),
                run.order(),
                run.seed(),
                run.startedAtMillis(),
                run.stoppedAtMillis(),
                run.warmUpIntervals(),
                run.intervals(),
                run.totals(),
                run.ledger(),
                flags,
                null);
    }

    private static DriverResult heldBack(double serviceNanos, int rounds) {
        Campaign campaign = SimulatedDriver.campaign(1, 4, null, "plain", "lean");
        List<Run> runs = new ArrayList<>(new SimulatedDriver(1, SimulatedDriver.Luck.NORMAL, 0.01, 0.005)
                .interleaved(campaign, Map.of("plain", 200.0, "lean", serviceNanos)));
        runs.replaceAll(
                run -> run.driver().equals("lean") && run.round() < rounds ? flagged(run, Flag.BROKER_BOUND) : run);
        return Analysis.of(campaign, runs, run -> Map.of())
                .points()
                .getFirst()
                .drivers()
                .get(1);
    }

    private static Set<Flag> bottleneck(Totals totals, int cores) {
        return LimitingParty.ofProcessorTime(totals, cores, 1, false, false);
    }

    private static Totals totals(double driverCores, double brokerCores) {
        return new Totals(1, 1, 1_000_000, (long) (driverCores * 1e6), 0, 0, 0, (long) (brokerCores * 1e6), Map.of());
    }
}
