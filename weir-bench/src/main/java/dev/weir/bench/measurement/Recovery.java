package dev.weir.bench.measurement;

import dev.weir.bench.workload.LatencyTarget;
import java.util.List;

/** Tells from the seconds of a run when a group has recovered from a disturbance. Immutable. */
record Recovery(LatencyTarget target) {
    /** In a row. Fewer may be the time in which a member is not missed yet. */
    static final int GOOD_SECONDS = 3;

    /** A partition to which fewer records were sent in a second may have none by chance. */
    static final int LEAST_SENT = 5;

    /**
     * A second of a run.
     *
     * @param sent by the generator
     * @param lag sent and not come, at its end
     * @param silent partitions to which {@link #LEAST_SENT} were sent or more, and of which none came
     * @param percentileMillis of the target, of what came; not a number if nothing did
     */
    record Second(long sent, long lag, int silent, double percentileMillis) {}

    /**
     * Whether the group did what it should: what came kept to the target, nothing waits for longer than its limit, and no
     * partition that was sent to is silent.
     */
    boolean isGood(Second second, double slotMillis) {
        // As many as may be under way within the limit, and a few of a rate at which that is none.
        double underWay = LEAST_SENT + second.sent() * Math.min(1, target.limitMillis() / slotMillis);
        return second.silent() == 0 && second.lag() <= underWay && !(second.percentileMillis() > target.limitMillis());
    }

    /**
     * The first second from which on it was good for {@link #GOOD_SECONDS}.
     *
     * @param from the second in which the disturbance was over
     * @param to when the next order came; what follows says nothing
     * @return -1 if there is none
     */
    int recovered(List<Second> seconds, double slotMillis, int from, int to) {
        int good = 0;
        for (int i = from; i < Math.min(to, seconds.size()); i++) {
            good = isGood(seconds.get(i), slotMillis) ? good + 1 : 0;
            if (good == GOOD_SECONDS) {
                return i - GOOD_SECONDS + 1;
            }
        }
        return -1;
    }
}
