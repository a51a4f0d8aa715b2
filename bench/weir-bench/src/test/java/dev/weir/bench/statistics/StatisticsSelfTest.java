package dev.weir.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Run;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks that the statistics find a known truth in thousands of simulated campaigns. All seeds are fixed. */
class StatisticsSelfTest {

    private static final int CAMPAIGNS = 1_000;
    private static final double TRUTH = 1.25;

    /**
     * Counts the campaigns whose interval contains the true value. For 1,000 draws, 0.95 +- 0.021 is three standard
     * deviations.
     */
    @ParameterizedTest
    @CsvSource({"NORMAL,3", "NORMAL,5", "NORMAL,10", "SKEWED,5", "SKEWED,10"})
    void interval_overManyCampaigns_coversAsStated(SimulatedDriver.Luck luck, int rounds) {
        assertThat(coverage(luck, rounds, false)).isBetween(0.929, 0.971);
    }

    /** Disturbed runs widen the interval without shifting it, so it covers the true value at least as often. */
    @ParameterizedTest
    @CsvSource({"3", "5", "10"})
    void interval_withDisturbedRuns_coversAtLeastAsStated(int rounds) {
        assertThat(coverage(SimulatedDriver.Luck.OUTLIERS, rounds, false)).isGreaterThan(0.929);
    }

    /**
     * Each campaign has eight drivers and three rounds. Each restart of the brokers affects the drivers differently.
     * Hardly any of 2,400 pairs of intervals may be disjoint.
     */
    @Test
    void intervals_ofTwoCampaignsInARow_overlap() {
        double apart = shareApart(8);
        double apartByOwnSpreadAlone = shareApart(1);
        assertThat(apart).isLessThan(0.003);
        assertThat(apartByOwnSpreadAlone).isGreaterThan(4 * apart);
    }

    /** Returns the fraction of disjoint pairs of intervals, for campaigns with this number of drivers. */
    private static double shareApart(int drivers) {
        String[] names = new String[drivers + 1];
        Map<String, Double> serviceNanos = new HashMap<>();
        Arrays.setAll(names, i -> i == 0 ? "plain" : "d" + i);
        int apart = 0;
        int pairs = 0;
        for (int seed = 0; pairs < 2_400; seed++) {
            Random brokers = new Random(seed);
            List<PointResult> both = new ArrayList<>();
            for (int campaign = 0; campaign < 2; campaign++) {
                for (String name : names) {
                    serviceNanos.put(name, 200 * Math.exp(0.02 * brokers.nextGaussian()));
                }
                Campaign three = SimulatedDriver.campaign(1, 3, null, names);
                List<Run> runs = new SimulatedDriver(2L * seed + campaign, SimulatedDriver.Luck.NORMAL, 0.05, 0.03)
                        .interleaved(three, serviceNanos);
                both.add(Analysis.of(three, runs, run -> Map.of()).points().getFirst());
            }
            for (int i = 1; i < names.length; i++) {
                RatioInterval first = comparison(both.get(0), names[i]).interval();
                RatioInterval second = comparison(both.get(1), names[i]).interval();
                apart += first.low() > second.high() || second.low() > first.high() ? 1 : 0;
                pairs++;
            }
        }
        return apart / (double) pairs;
    }

    /** Uses runs that were not interleaved, to prove that the self-test detects a wrong method. */
    @Test
    void interval_ofSequentialRunsOnADriftingMachine_doesNotCover() {
        assertThat(coverage(SimulatedDriver.Luck.NORMAL, 5, true)).isLessThan(0.8);
    }

    @Test
    void differences_betweenTheSame_areFoundAtTheStatedRateOnly() {
        Campaign campaign = SimulatedDriver.campaign(1, 5, null, "plain", "same");
        int claimed = 0;
        for (int seed = 0; seed < CAMPAIGNS; seed++) {
            List<Run> runs = new SimulatedDriver(seed, SimulatedDriver.Luck.NORMAL, 0.05, 0.02)
                    .interleaved(campaign, Map.of("plain", 200.0, "same", 200.0));
            claimed += claims(Analysis.of(campaign, runs, run -> Map.of()));
        }
        assertThat(claimed / (double) CAMPAIGNS).isBetween(0.029, 0.071);
    }

    /**
     * Each of 40 points could show a false difference with a chance of 5 %. The correction and the A/A run must prevent
     * this.
     */
    @Test
    void differences_betweenTheSameAtFortyPoints_areHardlyEverClaimed() {
        Campaign campaign = SimulatedDriver.campaign(40, 5, "control", "plain", "control", "same");
        int withClaims = 0;
        for (int seed = 0; seed < 200; seed++) {
            List<Run> runs = new SimulatedDriver(seed, SimulatedDriver.Luck.NORMAL, 0.05, 0.02)
                    .interleaved(campaign, Map.of("plain", 200.0, "control", 200.0, "same", 200.0));
            if (claims(Analysis.of(campaign, runs, run -> Map.of())) > 0) {
                withClaims++;
            }
        }
        assertThat(withClaims / 200.0).isLessThan(0.08);
    }

    @Test
    void differences_thatAreThere_areFound() {
        Campaign campaign = SimulatedDriver.campaign(10, 5, "control", "plain", "control", "faster", "slower");
        int found = 0;
        int wrong = 0;
        for (int seed = 0; seed < 50; seed++) {
            List<Run> runs = new SimulatedDriver(seed, SimulatedDriver.Luck.NORMAL, 0.05, 0.02)
                    .interleaved(campaign, Map.of("plain", 200.0, "control", 200.0, "faster", 160.0, "slower", 250.0));
            for (PointResult point :
                    Analysis.of(campaign, runs, run -> Map.of()).points()) {
                found += verdict(point, "faster") == Verdict.BETTER ? 1 : 0;
                found += verdict(point, "slower") == Verdict.WORSE ? 1 : 0;
                wrong += verdict(point, "faster") == Verdict.WORSE ? 1 : 0;
                wrong += verdict(point, "slower") == Verdict.BETTER ? 1 : 0;
            }
        }
        assertThat(found).as("of 1,000 differences of 25 %%").isGreaterThan(970);
        assertThat(wrong).isZero();
    }

    private static double coverage(SimulatedDriver.Luck luck, int rounds, boolean sequential) {
        Campaign campaign = SimulatedDriver.campaign(1, rounds, null, "plain", "other");
        Map<String, Double> serviceNanos = Map.of("plain", 200.0 * TRUTH, "other", 200.0);
        int covered = 0;
        for (int seed = 0; seed < CAMPAIGNS; seed++) {
            SimulatedDriver machine = new SimulatedDriver(seed, luck, 0.05, 0.02);
            List<Run> runs = sequential
                    ? machine.oneAfterTheOther(campaign, serviceNanos)
                    : machine.interleaved(campaign, serviceNanos);
            Analysis analysis = Analysis.of(campaign, runs, run -> Map.of());
            if (comparison(analysis.points().getFirst(), "other").interval().contains(TRUTH)) {
                covered++;
            }
        }
        return covered / (double) CAMPAIGNS;
    }

    private static int claims(Analysis analysis) {
        return (int) analysis.points().stream()
                .map(point -> verdict(point, "same"))
                .filter(verdict -> verdict == Verdict.BETTER || verdict == Verdict.WORSE)
                .count();
    }

    private static Verdict verdict(PointResult point, String driver) {
        return comparison(point, driver).verdict();
    }

    private static Comparison comparison(PointResult point, String driver) {
        return Objects.requireNonNull(point.drivers().stream()
                .filter(result -> result.driver().equals(driver))
                .findFirst()
                .orElseThrow()
                .comparisons()
                .get(Metric.RATE));
    }
}
