package dev.weir.bench.result;

import dev.weir.bench.live.TimelineEntry;
import dev.weir.command.terminal.Secrets;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One run of one driver at one point, in a fresh process. Immutable, thread-safe. The run's latencies are stored in a
 * separate histogram log in the results folder.
 *
 * @param point {@link Point#id()}
 * @param driver {@link Driver#name()}
 * @param round number of the round, from 0; runs of the same round are compared with each other
 * @param order position in the campaign's order of execution, from 0
 * @param seed the seed of this run's data and arrival times; the same for all runs of a round
 * @param warmUpIntervals the number of {@code intervals} at the beginning that belong to the warm-up and are not
 *     measured
 * @param intervals the intervals of the whole run, including the warm-up
 * @param totals the totals of the measured part, without the warm-up
 * @param flags the reasons to doubt the figures; a flag with {@link Flag#isVoiding()} makes the run invalid
 * @param failure a human-readable reason why there are no figures; null for a successful run
 * @param timeline the changes made during the run; if there are any, the run has {@link Flag#CHANGED}
 * @param phases the phases between these changes; empty if there were none
 * @param disturbances the disturbances from which the run had to recover, in order of time; empty if there were none
 */
public record Run(
        String point,
        String driver,
        int round,
        int order,
        long seed,
        long startedAtMillis,
        long stoppedAtMillis,
        int warmUpIntervals,
        List<Interval> intervals,
        Totals totals,
        Ledger ledger,
        Set<Flag> flags,
        @Nullable String failure,
        List<TimelineEntry> timeline,
        List<Phase> phases,
        List<Disturbance> disturbances) {

    /** Creates a run that was not changed while it was measured. */
    public Run(
            String point,
            String driver,
            int round,
            int order,
            long seed,
            long startedAtMillis,
            long stoppedAtMillis,
            int warmUpIntervals,
            List<Interval> intervals,
            Totals totals,
            Ledger ledger,
            Set<Flag> flags,
            @Nullable String failure) {
        this(
                point,
                driver,
                round,
                order,
                seed,
                startedAtMillis,
                stoppedAtMillis,
                warmUpIntervals,
                intervals,
                totals,
                ledger,
                flags,
                failure,
                List.of(),
                List.of(),
                List.of());
    }

    public Run {
        Names.requireFileName("point", point);
        intervals = List.copyOf(intervals);
        // Sort the flags, so that equal runs have equal lines of JSON.
        flags = Collections.unmodifiableSet(new TreeSet<>(flags));
        if (round < 0) {
            throw new IllegalArgumentException("round must be at least 0: round=" + round);
        }
        if (warmUpIntervals < 0 || warmUpIntervals > intervals.size()) {
            throw new IllegalArgumentException("warmUpIntervals out of range: warmUpIntervals=" + warmUpIntervals
                    + " of " + intervals.size() + " intervals");
        }
        failure = failure == null ? null : Secrets.redact(failure);
        timeline = listOf(timeline);
        phases = listOf(phases);
        disturbances = listOf(disturbances);
    }

    /** Replaces null with an empty list, because older runs were stored without these lists. */
    private static <T> List<T> listOf(@Nullable List<T> some) {
        return some == null ? List.of() : List.copyOf(some);
    }

    /** Creates a failed run, which has no figures. */
    public static Run failed(
            String point,
            String driver,
            int round,
            int order,
            long seed,
            long startedAtMillis,
            long stoppedAtMillis,
            String why) {
        return new Run(
                point,
                driver,
                round,
                order,
                seed,
                startedAtMillis,
                stoppedAtMillis,
                0,
                List.of(),
                Totals.NONE,
                Ledger.NONE,
                Set.of(),
                why);
    }

    /** The key of this run. A later run with the same key replaces this run. */
    public Key key() {
        return new Key(point, driver, round);
    }

    /**
     * Returns whether the run's figures may be quoted: the run succeeded, measured something, and has no flag that
     * makes it invalid.
     */
    public boolean isValid() {
        return failure == null && totals.elapsedNanos() > 0 && flags.stream().noneMatch(Flag::isVoiding);
    }

    /** The key of a run: point, driver and round. */
    public record Key(String point, String driver, int round) {

        /** Returns the name, without extension, used for files that belong to this run, such as its log. */
        public String fileName() {
            return point + "_" + Names.toFileName(driver) + "_" + round;
        }
    }
}
