package dev.weir.bench.result;

import dev.weir.bench.live.TimelineEntry;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One driver once at one point, in a fresh process. Immutable, thread-safe. Its latencies lie beside it in the folder,
 * as a histogram log.
 *
 * @param point {@link Point#id()}
 * @param driver {@link Driver#name()}
 * @param round from 0; runs of one round are compared with each other
 * @param order place in the campaign's order of execution, from 0
 * @param seed of this run's data and arrivals; the same for all runs of a round
 * @param warmUpIntervals how many of {@code intervals}, from the first, are not measured
 * @param intervals the whole run, warm-up included
 * @param totals of what was measured, without warm-up
 * @param flags what makes the figures doubtful; {@link Flag#isVoiding()} says which of them void the run
 * @param failure why there are no figures, for people; null for a run that ended well
 * @param timeline orders given while it ran; a run with any has {@link Flag#CHANGED}
 * @param phases what it did between orders; none where there were none
 * @param disturbances what it had to recover from, in the order of their times; none where there were none
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

    /** Creates a run without changes. */
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
        // Sorted, so that the same run is always the same line.
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

    /** Older runs lack the field. */
    private static <T> List<T> listOf(@Nullable List<T> some) {
        return some == null ? List.of() : List.copyOf(some);
    }

    /** A run without figures. */
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

    /** The key of this run; a later one with the same key replaces it. */
    public Key key() {
        return new Key(point, driver, round);
    }

    /** Returns whether its figures may be quoted: it ended well, lost nothing, and no flag voids it. */
    public boolean isValid() {
        return failure == null && totals.elapsedNanos() > 0 && flags.stream().noneMatch(Flag::isVoiding);
    }

    /** Point, driver and round. */
    public record Key(String point, String driver, int round) {

        /** A base name for the run's other files, without extension. */
        public String fileName() {
            return point + "_" + Names.toFileName(driver) + "_" + round;
        }
    }
}
