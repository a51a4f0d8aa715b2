package dev.weir.bench.result;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

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
 * @param result its figures, as if it were a run of its own; null if it had no whole second, or was begun by an order
 *     that changed nothing
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

    /** A phase without a result. */
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

    /** This phase with a result. */
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
     * Figures of a phase, in the form of a run's.
     *
     * @param fromInterval the first of the run's intervals that belongs to it
     * @param toInterval past the last one, which may lie behind the phase: orders that change nothing end no result
     * @param flags what makes these figures doubtful
     */
    public record Result(int fromInterval, int toInterval, Totals totals, Set<Flag> flags) {

        public Result {
            flags = Collections.unmodifiableSet(new TreeSet<>(flags));
        }
    }
}
