package dev.weir.bench.result;

/**
 * The effect on a run of a fault, or of members that joined or left. Immutable. Times are of whole seconds of the plan.
 *
 * @param order that did it, for people
 * @param fromMillis when it began, since the plan began
 * @param toMillis when it was over: members had joined, the network was back
 * @param recoveryMillis from there until the group met its target again and kept to it; NaN if it did not before the
 *     next order or the end
 * @param late records that came later than the target's limit, from its begin until then
 * @param longestMillis largest latency in that time
 * @param again number of redeliveries in that time; {@link Interval#UNKNOWN} where members are elsewhere
 * @param lost records that never came, and were sent before it was recovered from
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
