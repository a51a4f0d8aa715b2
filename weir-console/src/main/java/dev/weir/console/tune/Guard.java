package dev.weir.console.tune;

import dev.weir.console.tune.TuneReading.Work;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks a pipeline while a setting is tried: failed records, the time of a stage per element, the age of the oldest
 * record, the heap. Confined to the tuning thread.
 */
final class Guard {

    /** Number of failures that may be chance, whatever the rate was before. */
    private static final long FEW_FAILURES = 3;

    /** Default limit of the age of records, as a multiple of their age before. */
    private static final int OLDER = 4;

    private static final Duration LEAST_OLDEST = Duration.ofSeconds(5);
    private static final double MOST_HEAP = 0.9;

    /**
     * Largest time of a stage per element, as a multiple of the time before any change. At this factor the called
     * service was already full with half as many calls; more of them only queue there until it refuses some.
     */
    private static final double SLOWER = 2;

    /** Smallest slowdown that counts as a queue. */
    private static final double LEAST_SLOWER_NANOS = 5e6;

    /** Factor that keeps the limit above element times that are slow even without a change. */
    private static final double BEYOND = 1.25;

    /**
     * Time for which records must be too old, or the heap too full, to count; a collection or a rebalance takes less.
     * Also the shortest observation of a change, because calls fail only after a timeout.
     */
    static final Duration LASTING = Duration.ofSeconds(2);

    private final @Nullable Duration maxLatency;

    private boolean knowsNormal;
    private boolean onTrial;

    /** True while the change on trial is in force, not yet taken back. */
    private boolean changed;

    /**
     * True if records were aging steadily before the change on trial, because windows were filling or there was a
     * backlog.
     */
    private boolean growsOlder;

    private Duration oldestBefore = Duration.ZERO;
    private long beganNanos;
    private double failedShare;
    private Duration mostOldest = LEAST_OLDEST;

    private long failedBefore;
    private long countBefore;
    private Map<String, Work> worksBefore = Map.of();

    /** The largest allowed time per element, by stage. */
    private final Map<String, Double> mostNanos = new HashMap<>();

    private String slowIn = "";
    private double slowNanos = Double.POSITIVE_INFINITY;
    private final Trouble tooSlow = new Trouble();
    private final Trouble tooOld = new Trouble();
    private final Trouble tooFull = new Trouble();

    /** Tracks how long a fault has lasted, by the clock of the readings. */
    private static final class Trouble {

        private boolean holds;
        private long sinceNanos;

        boolean isLong(boolean holdsNow, TuneReading now) {
            if (holdsNow && !holds) {
                sinceNanos = now.atNanos();
            }
            holds = holdsNow;
            return holds && now.atNanos() - sinceNanos >= LASTING.toNanos();
        }
    }

    /** Creates a guard with the largest age of a record, or null to derive it from measurement. */
    Guard(@Nullable Duration maxLatency) {
        this.maxLatency = maxLatency;
    }

    /** Learns the pipeline's normal behaviour before any change. */
    void learn(TuneReading start, TuneReading end, String counter) {
        long done = count(end, counter) - count(start, counter);
        knowsNormal = true;
        failedShare = done <= 0 ? 0 : Math.max(0, end.failed() - start.failed()) / (double) done;
        growsOlder = grows(start.oldest(), start.atNanos(), end);
        perElement(start.works(), end).forEach((stage, nanos) -> mostNanos.put(stage, mostAfter(nanos)));
        mostOldest =
                maxLatency != null ? maxLatency : max(LEAST_OLDEST, end.oldest().multipliedBy(OLDER));
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /** Sets whether a change is on trial. Without one, the age of records counts as normal. */
    void onTrial(boolean tried) {
        onTrial = tried;
        changed = tried;
    }

    /** Notes that the change on trial was reverted: slowness from now on has another cause. */
    void takenBack() {
        changed = false;
    }

    /**
     * Returns whether the stage last found slow is also slow since {@link #begin}, so that the change is not the cause.
     */
    boolean isSlowAnyway(TuneReading now) {
        return perElement(worksBefore, now).getOrDefault(slowIn, 0.0) >= slowNanos / BEYOND;
    }

    private static boolean grows(Duration before, long sinceNanos, TuneReading now) {
        return now.oldest().minus(before).toNanos() > (now.atNanos() - sinceNanos) / 2;
    }

    /** Restarts all counts. */
    void begin(TuneReading now, String counter) {
        oldestBefore = now.oldest();
        beganNanos = now.atNanos();
        failedBefore = now.failed();
        countBefore = count(now, counter);
        worksBefore = now.works();
        tooSlow.holds = false;
        tooOld.holds = false;
        tooFull.holds = false;
    }

    /** Checks one reading; returns the reason to stop in words, or null if all is well. */
    @Nullable
    String check(TuneReading now, String counter) {
        if (!knowsNormal) {
            return null;
        }
        long failed = now.failed() - failedBefore;
        double expected = 2 * failedShare * Math.max(0, count(now, counter) - countBefore);
        if (failed > expected + FEW_FAILURES) {
            return failed + " records or calls failed, " + Math.round(expected) + " at most were to be expected";
        }
        String slow = slowStage(now);
        if (tooSlow.isLong(slow != null, now)) {
            return slow;
        }
        if (maxLatency == null && !onTrial) {
            // Windows that are still filling, for instance after a start, make records older without any change.
            mostOldest = max(mostOldest, now.oldest().multipliedBy(OLDER));
            growsOlder = grows(oldestBefore, beganNanos, now);
        }
        Duration most = mostOldest;
        if (maxLatency == null && growsOlder) {
            // Aging that was steady before the change may continue.
            most = max(
                    mostOldest,
                    oldestBefore.plusNanos(now.atNanos() - beganNanos).plus(LASTING));
        }
        if (tooOld.isLong(now.oldest().compareTo(most) > 0, now)) {
            return "the oldest record is " + now.oldest().toMillis() + " ms old, over " + most.toMillis() + " ms";
        }
        if (tooFull.isLong(now.heapShare() > MOST_HEAP, now)) {
            return "the heap is " + Math.round(now.heapShare() * 100) + " % full after a collection";
        }
        return null;
    }

    /** Returns whether the last reading showed a fault that may be temporary. */
    boolean isInDoubt() {
        return tooSlow.holds || tooOld.holds || tooFull.holds;
    }

    /**
     * Describes a stage that takes too long per element, or returns null. Without a change on trial nothing is too
     * long.
     */
    private @Nullable String slowStage(TuneReading now) {
        String slow = null;
        slowNanos = changed ? Double.POSITIVE_INFINITY : slowNanos;
        for (Map.Entry<String, Double> stage : perElement(worksBefore, now).entrySet()) {
            double nanos = stage.getValue();
            Double most = mostNanos.get(stage.getKey());
            if (!changed) {
                mostNanos.put(stage.getKey(), most == null ? mostAfter(nanos) : Math.max(most, nanos * BEYOND));
            } else if (most != null && nanos > most) {
                slowIn = stage.getKey();
                slowNanos = nanos;
                slow = "an element takes " + millis(nanos) + " ms in " + stage.getKey() + ", over " + millis(most)
                        + " ms: what it calls has no room for more";
            }
        }
        return slow;
    }

    private static double mostAfter(double nanos) {
        return Math.max(nanos * SLOWER, nanos + LEAST_SLOWER_NANOS);
    }

    private static String millis(double nanos) {
        return String.format(Locale.ROOT, "%.1f", nanos / 1e6);
    }

    /** The time per element since {@code before}, for stages that have finished enough elements. */
    private static Map<String, Double> perElement(Map<String, Work> before, TuneReading now) {
        Map<String, Double> nanos = new HashMap<>();
        now.works().forEach((stage, work) -> {
            Work earlier = before.get(stage);
            double each = earlier == null ? Double.NaN : work.nanosPerElement(earlier);
            if (!Double.isNaN(each)) {
                nanos.put(stage, each);
            }
        });
        return nanos;
    }

    private static long count(TuneReading reading, String counter) {
        return reading.counts().getOrDefault(counter, 0L);
    }
}
