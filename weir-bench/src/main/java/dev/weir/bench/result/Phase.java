package dev.weir.bench.result;

/**
 * A part of a run between two changes. Immutable. What is not known is not a number.
 *
 * @param fromMillis since the plan began
 * @param begunBy the order that began it, for people
 * @param producerRate records that are due in a second
 * @param workMillis how long a handler blocks
 * @param consumers of the group
 * @param sent by the generator meanwhile
 * @param records that were handled meanwhile
 * @param p50Millis from the planned time to the end of the handler
 * @param lagRecords sent and not handled, at its end
 */
public record Phase(
        long fromMillis,
        long toMillis,
        String begunBy,
        double producerRate,
        double workMillis,
        int consumers,
        long sent,
        long records,
        double p50Millis,
        double p99Millis,
        long lagRecords) {

    /** How many were handled in a second. */
    public double recordsPerSecond() {
        return 1e3 * records / Math.max(1, toMillis - fromMillis);
    }
}
