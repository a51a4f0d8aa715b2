package dev.weir.bench.workload;

import dev.weir.driver.HandlerWork;
import dev.weir.driver.Scenario;
import dev.weir.driver.ShareOptions;
import java.util.Map;

/**
 * The lock window: the limit on acquired records per partition of a share group, and the throughput that it allows. A
 * record frees its place in the window when it and all records before it are finished. Stateless.
 */
public final class LockWindow {
    /** Figure: mean number of locks held in the partition that has the most of them. */
    public static final String HELD = "broker: records locked, fullest partition";

    /** Figure: {@link #HELD} as a percentage of the limit. */
    public static final String HELD_PERCENT = "lock window: held %";

    /**
     * Figure: highest throughput in records per second that the windows of all partitions would allow if fetching took
     * no time.
     */
    public static final String CEILING = "lock window: ceiling/s";

    /** The advice given when the window is full. */
    public static final String ADVICE =
            "fewer records a poll (client.max.poll.records, options.share.acquire: record_limit), or more locks"
                    + " (options.share.locks)";

    /** Smallest number of handler calls that are sampled to estimate the slowest ones. */
    private static final int LOOKED_AT = 400_000;

    private LockWindow() {}

    /** The maximum number of records of a partition that may be acquired at the same time. */
    public static int locks(WorkloadPoint point) {
        String ofGroup = point.shareGroup().get("share.partition.max.record.locks");
        String ofBrokers = point.broker().get("group.share.partition.max.record.locks");
        return ofGroup != null
                ? Integer.parseInt(ofGroup)
                : ofBrokers != null ? Integer.parseInt(ofBrokers) : ShareOptions.locks(Map.of());
    }

    /** The fraction of the limit that is in use, from 0 to 1; NaN if {@code held} is NaN. */
    public static double heldShare(WorkloadPoint point, double held) {
        return held / locks(point);
    }

    /**
     * The highest throughput in records per second that the windows of all partitions allow; NaN if handlers do not
     * block.
     */
    static double ceilingPerSecond(WorkloadPoint point) {
        double millis = Double.parseDouble(point.options().getOrDefault(HandlerWork.MILLIS, "0"));
        if (point.scenario() != Scenario.WORK || millis == 0) {
            return Double.NaN;
        }
        int locks = locks(point);
        return point.partitions() * (double) locks * 1e3 / (millis * slowest(HandlerWork.of(point.options()), locks));
    }

    /** The expected time of the slowest of {@code locks} consecutive handler calls, as a multiple of the mean. */
    private static double slowest(HandlerWork work, int locks) {
        int windows = Math.ceilDiv(LOOKED_AT, locks);
        double sum = 0;
        long number = 1;
        for (int window = 0; window < windows; window++) {
            double most = 0;
            for (int i = 0; i < locks; i++) {
                most = Math.max(most, work.factorOf(number++));
            }
            sum += most;
        }
        return sum / windows;
    }

    /** Adds the known figures of the lock window, if the members have acquired records of a share group. */
    public static void put(WorkloadPoint point, Map<String, Double> metrics) {
        double held = metrics.getOrDefault(HELD, 0.0);
        if (!(held > 0)) {
            return;
        }
        metrics.put(HELD_PERCENT, 100 * heldShare(point, held));
        double ceiling = ceilingPerSecond(point);
        if (!Double.isNaN(ceiling)) {
            metrics.put(CEILING, ceiling);
        }
    }
}
