package dev.weir.bench.result;

/**
 * The effect of a fault on a run, or the effect of members that joined or left. Immutable. The counts and the largest
 * latency cover whole intervals of the run, usually seconds.
 *
 * @param order the order that caused the disturbance, for people
 * @param fromMillis when the disturbance began, in milliseconds since the plan began
 * @param toMillis when the disturbance was over, for example because members had joined or the network worked again
 * @param recoveryMillis the time from {@code toMillis} until the group met its target again and continued to meet it;
 *     NaN if it did not recover before the next order or the end
 * @param late the number of records with a latency above the target's limit, from the beginning until the recovery
 * @param longestMillis the largest latency in the same time
 * @param again the number of redeliveries in the same time; {@link Interval#UNKNOWN} if members run on other machines
 * @param lost the number of records that were sent before the recovery and never arrived
 */
public record Disturbance(
        String order,
        long fromMillis,
        long toMillis,
        double recoveryMillis,
        long late,
        double longestMillis,
        long again,
        long lost) {}
