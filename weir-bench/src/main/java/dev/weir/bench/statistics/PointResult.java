package dev.weir.bench.statistics;

import dev.weir.bench.result.Point;
import dev.weir.driver.Scenario;
import java.util.List;
import java.util.Map;

/**
 * The results of all drivers at one point. Immutable, thread-safe.
 *
 * @param noise the noise by metric, as the largest factor, at least 1, in the interval of the control's ratio to the
 *     baseline (A/A); infinite if the control has fewer than two rounds, and missing if the campaign has no control
 */
public record PointResult(Point point, Map<Metric, Double> noise, List<DriverResult> drivers) {

    /**
     * The main metric for judging drivers: the CPU cost in the scenario steady, the p99 latency in the scenario produce
     * if it was measured, and the rate otherwise.
     */
    public Metric judgedBy() {
        if (point.scenario().equals(Scenario.STEADY.label())) {
            return Metric.CPU;
        }
        boolean timed = drivers.stream().anyMatch(driver -> driver.medians().containsKey(Metric.P99));
        return timed && point.scenario().equals(Scenario.PRODUCE.label()) ? Metric.P99 : Metric.RATE;
    }
}
