package dev.weir.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Environment;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.Point;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Compares the rate of weir in two campaigns with the same noise. */
class DifferenceTest {
    private static final String CONTROL = "plain-again";

    /** Returns a campaign in which weir reaches {@code ratio} times the rate of plain, or at least that rate. */
    private static Analysis analysis(Map<String, String> settings, double ratio, boolean isBound) {
        Point point = new Point("p", "consume", Map.of());
        Campaign campaign = new Campaign(
                "id",
                "name",
                "",
                "plain",
                CONTROL,
                5,
                1,
                Stream.of("plain", CONTROL, "weir")
                        .map(driver -> new Driver(driver, "1", Map.of()))
                        .toList(),
                List.of(point),
                new Environment("", "", "some", 2, 1, Map.of(), settings, "commit", 1));
        return new Analysis(
                campaign,
                List.of(new PointResult(
                        point, Map.of(), List.of(driver(CONTROL, 1, false), driver("weir", ratio, isBound)))));
    }

    private static DriverResult driver(String name, double ratio, boolean isBound) {
        RatioInterval interval = new RatioInterval(ratio, ratio, 0.95 * ratio, 1.05 * ratio, 5, 0.95, 0.001);
        return new DriverResult(
                name,
                List.of(),
                5,
                isBound ? Set.of(Metric.RATE) : Set.of(),
                Map.of(),
                Map.of(Metric.RATE, new Comparison(interval, 0.001, Verdict.BETTER, isBound)),
                Map.of(),
                Map.of(),
                Ledger.NONE,
                Map.of(),
                Double.NaN,
                Double.NaN);
    }

    private static Difference between(double before, boolean isBoundBefore, double after, boolean isBoundAfter) {
        return Difference.between(analysis(Map.of(), before, isBoundBefore), analysis(Map.of(), after, isBoundAfter))
                .getFirst();
    }

    @Test
    void ratiosFarApart_areADifference_andOverlappingOnesAreNone() {
        assertThat(between(1.5, false, 2.0, false).kind()).isEqualTo(Difference.Kind.HIGHER);
        assertThat(between(2.0, false, 1.5, false).kind()).isEqualTo(Difference.Kind.LOWER);
        assertThat(between(2.0, false, 2.1, false).kind()).isEqualTo(Difference.Kind.NO_DIFFERENCE);
    }

    /** If brokers limited a driver, its ratio is only a lower bound. */
    @Test
    void lowerBound_isComparedOnlyWithARatioBelowIt() {
        assertThat(between(2.0, true, 1.5, false).kind()).isEqualTo(Difference.Kind.LOWER);
        assertThat(between(1.5, false, 2.0, true).kind()).isEqualTo(Difference.Kind.HIGHER);
        assertThat(Stream.of(
                        between(1.5, true, 2.0, false),
                        between(2.0, false, 1.5, true),
                        between(1.5, true, 2.0, true),
                        between(2.0, true, 2.1, false),
                        between(2.0, false, 2.1, true)))
                .allSatisfy(difference -> {
                    assertThat(difference.kind()).isEqualTo(Difference.Kind.NOT_COMPARABLE);
                    assertThat(difference.why()).isEqualTo("brokers limited the driver: its ratio is only a bound");
                });
    }

    @Test
    void campaignsOfOtherClusters_otherWorkersOrAModel_areNotCompared() {
        Map<String, String> reasons = Map.of(
                Campaign.CLUSTER_ID, "the clusters differ",
                Campaign.WORKERS, "the machines differ",
                Campaign.SIMULATED, "one of the campaigns was simulated");
        reasons.forEach((setting, why) -> {
            Analysis here = analysis(Map.of(), 1.5, false);
            Analysis elsewhere = analysis(Map.of(setting, "elsewhere"), 2.0, false);
            assertThat(Stream.of(Difference.between(here, elsewhere), Difference.between(elsewhere, here)))
                    .as(setting)
                    .allSatisfy(all -> {
                        assertThat(all.getFirst().kind()).isEqualTo(Difference.Kind.NOT_COMPARABLE);
                        assertThat(all.getFirst().why()).isEqualTo(why);
                    });
            assertThat(Difference.between(elsewhere, elsewhere).getFirst().kind())
                    .isEqualTo(Difference.Kind.NO_DIFFERENCE);
        });
    }

    // ---- Intervals and campaigns that are chosen one by one --------------------------------------------------------

    private static RatioInterval interval(double low, double high) {
        return new RatioInterval((low + high) / 2, (low + high) / 2, low, high, 5, 0.95, 0.001);
    }

    private static DriverResult driver(String name, RatioInterval interval, boolean isBound, Flag... flags) {
        DriverResult driver = driver(name, 1, isBound);
        List<Run> runs =
                List.of(new Run("p", name, 2, 0, 1, 1, 2, 0, List.of(), Totals.NONE, Ledger.NONE, Set.of(flags), null));
        return new DriverResult(
                name,
                runs,
                5,
                driver.bounds(),
                Map.of(),
                Map.of(Metric.RATE, new Comparison(interval, 0.001, Verdict.BETTER, isBound)),
                Map.of(),
                Map.of(),
                Ledger.NONE,
                Map.of(),
                Double.NaN,
                Double.NaN);
    }

    private static Analysis of(String workload, String processor, int cores, DriverResult... drivers) {
        Analysis some = analysis(Map.of(), 1, false);
        Campaign at = some.campaign();
        Campaign campaign = new Campaign(
                at.id(),
                at.name(),
                workload,
                at.baseline(),
                CONTROL,
                at.rounds(),
                at.seed(),
                at.drivers(),
                at.points(),
                new Environment("", "", processor, cores, 1, Map.of(), Map.of(), "commit", 1));
        return new Analysis(campaign, List.of(new PointResult(at.points().getFirst(), Map.of(), List.of(drivers))));
    }

    private static Analysis of(DriverResult... drivers) {
        return of("", "some", 2, drivers);
    }

    private static Difference weir(
            double low, double high, boolean isBound, double lowAfter, double highAfter, boolean isBoundAfter) {
        return Difference.between(
                        of(driver(CONTROL, interval(0.9, 1.1), false), driver("weir", interval(low, high), isBound)),
                        of(
                                driver(CONTROL, interval(0.9, 1.1), false),
                                driver("weir", interval(lowAfter, highAfter), isBoundAfter)))
                .getFirst();
    }

    @Test
    void intervalsThatTouch_overlap() {
        assertThat(weir(1, 1.5, false, 1.5, 2, false).kind()).isEqualTo(Difference.Kind.NO_DIFFERENCE);
        assertThat(weir(1.5, 2, false, 1, 1.5, false).kind()).isEqualTo(Difference.Kind.NO_DIFFERENCE);
        assertThat(weir(1, Math.nextDown(1.5), false, 1.5, 2, false).kind()).isEqualTo(Difference.Kind.HIGHER);
        assertThat(weir(1.5, 2, false, 1, Math.nextDown(1.5), false).kind()).isEqualTo(Difference.Kind.LOWER);
        assertThat(weir(1.5, 2, true, 1, 1.5, false).kind()).isEqualTo(Difference.Kind.NOT_COMPARABLE);
        assertThat(weir(1, 1.5, false, 1.5, 2, true).kind()).isEqualTo(Difference.Kind.NOT_COMPARABLE);
        assertThat(weir(1.5, 2, true, 1, Math.nextDown(1.5), false).kind()).isEqualTo(Difference.Kind.LOWER);
        assertThat(weir(1, Math.nextDown(1.5), false, 1.5, 2, true).kind()).isEqualTo(Difference.Kind.HIGHER);
    }

    private static String why(RatioInterval noiseBefore, RatioInterval noiseAfter) {
        Difference difference = Difference.between(
                        of(driver(CONTROL, noiseBefore, false), driver("weir", interval(1, 1.1), false)),
                        of(driver(CONTROL, noiseAfter, false), driver("weir", interval(2, 2.1), false)))
                .getFirst();
        assertThat(difference.kind() == Difference.Kind.HIGHER)
                .isEqualTo(difference.why().isEmpty());
        return difference.why();
    }

    @Test
    void campaignsWithOtherNoise_areNotCompared() {
        RatioInterval one = RatioInterval.ofPairs(new double[] {1}, new double[] {1}, 0.95);
        String apart = "the noise of the two campaigns (A/A) does not overlap";
        assertThat(why(interval(0.9, 1.1), interval(1.1, 1.3))).isEmpty();
        assertThat(why(interval(1.1, 1.3), interval(0.9, 1.1))).isEmpty();
        assertThat(why(interval(0.9, 1.1), interval(1.2, 1.3))).isEqualTo(apart);
        assertThat(why(interval(1.2, 1.3), interval(0.9, 1.1))).isEqualTo(apart);
        assertThat(why(one, interval(0.9, 1.1))).isEqualTo(apart);
        assertThat(why(interval(0.9, 1.1), one)).isEqualTo(apart);
        Analysis without = of(driver("weir", interval(1, 1.1), false));
        Analysis with = of(driver(CONTROL, interval(0.9, 1.1), false), driver("weir", interval(1, 1.1), false));
        assertThat(Stream.of(Difference.between(with, without), Difference.between(without, with)))
                .allSatisfy(all -> assertThat(all.getFirst().why()).startsWith("no A/A in both campaigns"));
    }

    @Test
    void oneRound_isNoDifference() {
        RatioInterval one = RatioInterval.ofPairs(new double[] {3}, new double[] {1}, 0.95);
        DriverResult control = driver(CONTROL, interval(0.9, 1.1), false);
        Analysis once = of(control, driver("weir", one, false));
        Analysis often = of(control, driver("weir", interval(1, 1.1), false));
        assertThat(Stream.of(Difference.between(once, often), Difference.between(often, once)))
                .allSatisfy(all -> {
                    assertThat(all).hasSize(1);
                    assertThat(all.getFirst().kind()).isEqualTo(Difference.Kind.NOT_COMPARABLE);
                    assertThat(all.getFirst().why()).isEqualTo("one round has no interval");
                });
    }

    @Test
    void campaignsOfOtherWorkloadsOrMachines_areNotCompared() {
        DriverResult[] drivers = {driver(CONTROL, interval(0.9, 1.1), false), driver("weir", interval(1, 1.1), false)};
        Analysis here = of("load", "some", 2, drivers);
        Map.of(
                        of("other", "some", 2, drivers), "the workload files differ",
                        of("load", "other", 2, drivers), "the machines differ",
                        of("load", "some", 4, drivers), "the machines differ")
                .forEach((there, why) -> assertThat(
                                Difference.between(here, there).getFirst().why())
                        .isEqualTo(why));
    }

    /** The control only shows the noise. */
    @Test
    void differences_areOfTheDriversAndMetricsInBoth() {
        Analysis both = of(
                driver(CONTROL, interval(0.9, 1.1), false),
                driver("weir", interval(1, 1.1), false),
                driver("lean", interval(2, 2.1), false));
        assertThat(Difference.between(
                        both, of(both.points().getFirst().drivers().getFirst(), driver("lean", 2, false))))
                .extracting(Difference::driver)
                .containsExactly("lean");
        assertThatThrownBy(() -> Difference.between(both, of(driver("pekko", 1, false))))
                .hasMessage("no point and driver is in both campaigns");
    }

    @Test
    void changedRuns_areNotCompared_inEitherCampaign() {
        Analysis changed = of(driver("weir", interval(1, 2), false, Flag.CHANGED));
        Analysis unchanged = of(driver("weir", interval(1, 2), false, Flag.UNEVEN));
        for (ThrowingCallable between : List.<ThrowingCallable>of(
                () -> Difference.between(changed, unchanged), () -> Difference.between(unchanged, changed))) {
            assertThatThrownBy(between)
                    .hasMessage("runs of id were changed while they ran, so nothing is compared with them: p_weir_2");
        }
        assertThat(Difference.between(unchanged, unchanged)).hasSize(1);
    }
}
