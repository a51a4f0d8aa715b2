package dev.weir.bench.workload;

import dev.weir.driver.HandlerWork;
import dev.weir.driver.Scenario;
import dev.weir.driver.ShareOptions;
import java.util.Map;

/**
 * The limit of acquired records of a partition in a share group, and the throughput it allows. A finished record frees
 * the window only when all before it are finished. Functions only.
 */
public final class LockWindow {
    /** Figure: mean number of locks held in the partition with the most. */
    public static final String HELD = "broker: records locked, fullest partition";

    /** Figure: these locks in percent of the limit. */
    public static final String HELD_PERCENT = "lock window: held %";

    /** Figure: highest throughput per second that the windows of all partitions allow, if fetching took no time. */
    public static final String CEILING = "lock window: ceiling/s";

    /** The advice for a full window. */
    public static final String ADVICE =
            "fewer records a poll (client.max.poll.records, options.share.acquire: record_limit), or more locks"
                    + " (options.share.locks)";

    /** Smallest number of samples for the slowest handlers. */
    private static final int LOOKED_AT = 400_000;

    private LockWindow() {}

    /** The number of records of a partition may be held at a time. */
    public static int locks(WorkloadPoint point) {
        String ofGroup = point.shareGroup().get("share.partition.max.record.locks");
        String ofBrokers = point.broker().get("group.share.partition.max.record.locks");
        return ofGroup != null
                ? Integer.parseInt(ofGroup)
                : ofBrokers != null ? Integer.parseInt(ofBrokers) : ShareOptions.locks(Map.of());
    }

    /** The part of the limit that is held, from 0 to 1; NaN if unknown. */
    public static double heldShare(WorkloadPoint point, double held) {
        return held / locks(point);
    }

    /** The highest throughput per second that all windows allow; NaN if handlers do not block. */
    static double ceilingPerSecond(WorkloadPoint point) {
        double millis = Double.parseDouble(point.options().getOrDefault(HandlerWork.MILLIS, "0"));
        if (point.scenario() != Scenario.WORK || millis == 0) {
            return Double.NaN;
        }
        int locks = locks(point);
        return point.partitions() * (double) locks * 1e3 / (millis * slowest(HandlerWork.of(point.options()), locks));
    }

    /** The mean of the slowest among {@code locks} consecutive handlers, as a multiple of the mean handler. */
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

    /** Adds the known figures of the window if a share group holds records. */
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
