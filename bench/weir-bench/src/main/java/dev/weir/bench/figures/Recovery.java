package dev.weir.bench.figures;

import dev.weir.bench.workload.LatencyTarget;
import java.util.List;

/** Determines when a group has recovered from a disturbance, from the figures of every second. Immutable. */
record Recovery(LatencyTarget target) {
    /** Number of consecutive good seconds of a recovery. */
    static final int GOOD_SECONDS = 3;

    /**
     * Smallest number of records sent to a silent partition. With fewer records, a partition may receive none by
     * chance.
     */
    static final int LEAST_SENT = 5;

    /**
     * A second of a run.
     *
     * @param sent number of records that the generator sent
     * @param lag number of records that were sent but not received by the end of the second
     * @param silent number of partitions from which nothing arrived in the seconds around this one, although at least
     *     {@link #LEAST_SENT} records were sent to them
     * @param percentileMillis latency at the target's percentile; NaN if nothing arrived
     */
    record Second(long sent, long lag, int silent, double percentileMillis) {}

    /**
     * Returns whether the group behaved normally in a second: latencies met the target, no record waited longer than
     * the target's limit, and no partition was silent.
     */
    boolean isGood(List<Second> seconds, int index, double slotMillis) {
        Second second = seconds.get(index);
        // The number of records that may be in flight if no record waits longer than the limit.
        double underWay = LEAST_SENT;
        double left = target.limitMillis() / slotMillis;
        for (int i = index; i >= 0 && left > 0; i--, left--) {
            underWay += seconds.get(i).sent() * Math.min(1, left);
        }
        return second.silent() == 0 && second.lag() <= underWay && !(second.percentileMillis() > target.limitMillis());
    }

    /**
     * Returns the first of {@link #GOOD_SECONDS} consecutive seconds in which the group behaved normally.
     *
     * @param from the second in which the disturbance ended
     * @param to the second of the next change to the run; later seconds do not count
     * @return -1 if there is none
     */
    int recovered(List<Second> seconds, double slotMillis, int from, int to) {
        int good = 0;
        for (int i = from; i < Math.min(to, seconds.size()); i++) {
            good = isGood(seconds, i, slotMillis) ? good + 1 : 0;
            if (good == GOOD_SECONDS) {
                return i - GOOD_SECONDS + 1;
            }
        }
        return -1;
    }
}
