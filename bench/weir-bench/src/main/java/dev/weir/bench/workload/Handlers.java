package dev.weir.bench.workload;

import dev.weir.driver.HandlerWork;
import dev.weir.driver.PassOptions;
import dev.weir.driver.Scenario;

/** Computes how many handlers of a point may block at the same time, and their maximum throughput. Stateless. */
public final class Handlers {
    private Handlers() {}

    /**
     * The maximum number of handlers in {@code members} processes together that may block at the same time; 0 if
     * handlers do not block.
     */
    public static int ofGroup(WorkloadPoint point, int members) {
        if (point.scenario() != Scenario.WORK || millis(point) == 0) {
            return 0;
        }
        int all = members * ofProcess(point);
        return switch (point.ordering()) {
            case PARTITION -> Math.min(all, point.partitions());
            case KEY -> Math.min(all, point.keys());
            case NONE -> all;
        };
    }

    private static int ofProcess(WorkloadPoint point) {
        int atATime = point.integer("options." + PassOptions.CONCURRENCY);
        int downstream = point.integer("options." + HandlerWork.DOWNSTREAM);
        if (downstream > 0) {
            atATime = Math.min(atATime, downstream);
        }
        return switch (point.ordering()) {
            case PARTITION -> Math.min(atATime, point.partitions());
            case KEY -> Math.min(atATime, point.keys());
            case NONE -> atATime;
        };
    }

    /**
     * The maximum throughput of one process in records per second, with all permitted handlers always blocking; NaN if
     * handlers do not block.
     */
    public static double ceilingPerSecond(WorkloadPoint point) {
        return ceilingPerSecond(point, millis(point));
    }

    /** The maximum throughput of one process, for this measured mean blocking time of handlers. */
    public static double ceilingPerSecond(WorkloadPoint point, double millis) {
        return point.scenario() != Scenario.WORK || millis == 0
                ? Double.NaN
                : ofProcess(point) * 1e3 / millis / point.callsPerRecord();
    }

    private static double millis(WorkloadPoint point) {
        return Double.parseDouble(point.text("options." + HandlerWork.MILLIS));
    }
}
