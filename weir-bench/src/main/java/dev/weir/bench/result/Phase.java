package dev.weir.bench.result;

/**
 * A part of a run between two changes. Immutable. What is not known is not a number. Its figures are of the whole
 * seconds that are nearest, so one that was shorter may have none.
 *
 * @param fromMillis since the plan began
 * @param begunBy the order that began it, for people
 * @param producerRate records that are due in a second
 * @param workMillis how long a handler blocks
 * @param consumers of the group
 * @param sent by the generator meanwhile
 * @param records that were handled meanwhile
 * @param recordsPerSecond that were handled
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
        double recordsPerSecond,
        double p50Millis,
        double p99Millis,
        long lagRecords) {}
