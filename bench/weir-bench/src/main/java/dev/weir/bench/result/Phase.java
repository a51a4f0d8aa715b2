package dev.weir.bench.result;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A part of a run between two changes that were made to the run. Immutable. Unknown numbers are NaN. The figures cover
 * the nearest whole seconds, so a very short phase may have no figures.
 *
 * @param fromMillis start of the phase, in milliseconds since the plan began
 * @param begunBy a human-readable description of the change with which the phase started
 * @param producerRate the number of records that are due per second
 * @param workMillis how long a handler blocks
 * @param consumers the number of consumers in the group
 * @param sent the number of records that the generator sent during the phase
 * @param records the number of records handled during the phase
 * @param recordsPerSecond the rate of handled records
 * @param p50Millis the median latency from the planned send time to the end of the handler
 * @param lagRecords the number of records that had been sent but not handled at the end of the phase
 * @param result the figures of the phase in the same form as a run's figures; null if the phase contains no whole
 *     second or started with a command that changed nothing
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
        long lagRecords,
        @Nullable Result result) {

    /** Creates a phase without a result. */
    public Phase(
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
            long lagRecords) {
        this(
                fromMillis,
                toMillis,
                begunBy,
                producerRate,
                workMillis,
                consumers,
                sent,
                records,
                recordsPerSecond,
                p50Millis,
                p99Millis,
                lagRecords,
                null);
    }

    /** Returns this phase with the given result. */
    public Phase with(@Nullable Result ofIt) {
        return new Phase(
                fromMillis,
                toMillis,
                begunBy,
                producerRate,
                workMillis,
                consumers,
                sent,
                records,
                recordsPerSecond,
                p50Millis,
                p99Millis,
                lagRecords,
                ofIt);
    }

    /**
     * The figures of a phase, in the same form as a run's figures.
     *
     * @param fromInterval the index of the run's first interval that belongs to the phase
     * @param toInterval the index after the last included interval
     * @param flags the reasons to doubt these figures
     */
    public record Result(int fromInterval, int toInterval, Totals totals, Set<Flag> flags) {

        public Result {
            flags = Collections.unmodifiableSet(new TreeSet<>(flags));
        }
    }
}
