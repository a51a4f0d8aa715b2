package dev.weir.bench.statistics;

import dev.weir.bench.result.Point;
import dev.weir.driver.Scenario;
import java.util.List;
import java.util.Map;

/**
 * All drivers at one point. Immutable, thread-safe.
 *
 * @param noise by metric, how far apart the baseline and itself came out, as a factor of at least 1; infinite where the
 *     control has fewer than two rounds, and missing in a campaign without a control
 */
public record PointResult(Point point, Map<Metric, Double> noise, List<DriverResult> drivers) {

    /**
     * The main metric for judging drivers: the rate, or the cost or lateness if the rate is planned.
     */
    public Metric judgedBy() {
        if (point.scenario().equals(Scenario.STEADY.label())) {
            return Metric.CPU;
        }
        boolean timed = drivers.stream().anyMatch(driver -> driver.medians().containsKey(Metric.P99));
        return timed && point.scenario().equals(Scenario.PRODUCE.label()) ? Metric.P99 : Metric.RATE;
    }
}
