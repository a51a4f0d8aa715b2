package dev.weir.bench.trial;

import dev.weir.bench.figures.LiveFigures;
import dev.weir.bench.figures.Measured;
import dev.weir.bench.measurement.LiveMeasurement;
import dev.weir.bench.measurement.LiveResult;
import dev.weir.bench.measurement.Measurement;
import dev.weir.bench.measurement.TrialMembers;
import dev.weir.bench.workload.WorkloadException;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.HandlerOrder;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.Report;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * A simulation of one run, measured like a real run. A run at a planned rate uses a {@link SimulatedGroup}, and any
 * other run uses {@link SimulatedPasses}. Each instance is used for a single run.
 */
public final class SimulatedRun {
    private final WorkloadPoint point;
    private final String driver;
    private final long seed;

    /**
     * Creates the simulation of the named driver.
     *
     * @throws WorkloadException if the point cannot be simulated
     */
    public SimulatedRun(WorkloadPoint point, String driver, long seed) {
        requireModel(point);
        this.point = point;
        this.driver = driver;
        this.seed = seed;
    }

    /** Refuses a point that cannot be simulated. */
    public static void requireModel(WorkloadPoint point) {
        if (point.groups() > 1) {
            throw new WorkloadException(
                    "--simulate has a model of one group: leave groups out: groups=" + point.groups());
        }
        if (point.ordering() == HandlerOrder.KEY) {
            throw new WorkloadException("--simulate has no model of keys: set options.ordering to partition or none");
        }
    }

    private final class Planned implements TrialMembers.Listener {
        private final LiveFigures figures = new LiveFigures(point.partitions(), point.intervalMillis(), 0);
        private final SimulatedGroup group =
                new SimulatedGroup(point, driver, point.recordsPerSecond(), seed, false, this);

        @Override
        public void ofMember(
                int member, long startNanos, long endNanos, Report.Interval interval, List<Histogram> timings) {
            figures.ofMember(member, startNanos, endNanos, interval, timings);
        }

        @Override
        public void ofGenerator(long startNanos, long endNanos, Report.Interval interval, List<Histogram> late) {
            figures.ofGenerator(startNanos, endNanos, interval.records(), late);
            figures.ofGroup(startNanos, endNanos, group.came(), 0);
        }

        Measured run() {
            double warmUpMillis = 1e3 * point.seconds("maxWarmUpSeconds");
            double endMillis = warmUpMillis + 1e3 * point.seconds("measureSeconds");
            figures.begin(0, warmUpMillis);
            group.advance((long) (endMillis * 1e6));
            figures.end();
            group.sendNoMore();
            long patience = group.nowNanos() + LiveMeasurement.DRAIN_PATIENCE_NANOS;
            while (group.came() < group.sent() && group.nowNanos() < patience) {
                group.advance(group.nowNanos() + TimeUnit.SECONDS.toNanos(1));
            }
            Map<String, List<Double>> told = new TreeMap<>();
            told.put("group: consumers", List.of((double) group.processes()));
            long missing = group.sent() - group.came();
            return new LiveResult(
                            point,
                            figures,
                            List.of(figures),
                            told,
                            Map.of(),
                            LiveResult.MANY_MACHINES,
                            group.handlers())
                    .measured(
                            endMillis,
                            List.of(new LedgerFigures(group.came(), missing, 0, 0, 0, group.retried(), 0)),
                            missing == 0,
                            List.of(),
                            List.of(),
                            List.of());
        }
    }

    /** Executes the run. */
    public Measured run() {
        if (point.isPlanned()) {
            return new Planned().run();
        }
        try {
            return new Measurement(new SimulatedPasses(point, driver, seed), point, false).run("");
        } catch (InterruptedException e) { // A simulation never waits.
            throw new IllegalStateException(e);
        }
    }
}
