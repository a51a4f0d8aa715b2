package dev.weir.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Environment;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.Point;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
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
}
