package dev.weir.bench.result;

/**
 * The effect on a run of a fault, or of members joining or leaving. Immutable. Counts and the largest latency are taken
 * from whole intervals of the run, which are usually one second long.
 *
 * @param order a human-readable description of the change or fault that caused the disturbance
 * @param fromMillis when the disturbance began, in milliseconds since the plan began
 * @param toMillis when the disturbance was over, for example because members had joined or the network worked again
 * @param recoveryMillis the time from {@code toMillis} until the group met its target again and continued to meet it;
 *     NaN if it did not recover before the next change or before the run ended
 * @param late the number of records with a latency above the target's limit, from the beginning of the disturbance
 *     until the recovery
 * @param longestMillis the largest latency from the beginning of the disturbance until the recovery
 * @param again the number of redeliveries from the beginning of the disturbance until the recovery;
 *     {@link Interval#UNKNOWN} if members run on other machines
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
