package dev.weir.console.tune;

import dev.weir.console.tune.TuneReading.Work;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks a pipeline's health during a trial: failures, time per element in each stage, age of the oldest record, and
 * heap. Confined to the tuning thread.
 */
final class Guard {

    /** This many failures beyond the expected number may be chance. */
    private static final long FEW_FAILURES = 3;

    /** Default maximum age of the oldest record, as a multiple of its age before any change. */
    private static final int OLDER = 4;

    private static final Duration LEAST_OLDEST = Duration.ofSeconds(5);
    private static final double MOST_HEAP = 0.9;

    /** Maximum time per element in a stage, as a multiple of the time before any change. */
    private static final double SLOWER = 2;

    /** Smallest increase of the time per element that counts as queueing, in nanoseconds. */
    private static final double LEAST_SLOWER_NANOS = 5e6;

    /** The limit for a stage's time per element is at least this many times the longest time without a change. */
    private static final double BEYOND = 1.25;

    /**
     * A slow stage, an old record or a full heap is a fault after this time. Each change is observed for at least this
     * time.
     */
    static final Duration LASTING = Duration.ofSeconds(2);

    private final @Nullable Duration maxLatency;

    private boolean knowsNormal;
    private boolean onTrial;

    /** True until the change on trial is reverted. */
    private boolean changed;

    /** True if the oldest record's age was rising before the change, for example because of a backlog. */
    private boolean growsOlder;

    private Duration oldestBefore = Duration.ZERO;
    private long beganNanos;
    private double failedShare;
    private Duration mostOldest = LEAST_OLDEST;

    private long failedBefore;
    private long countBefore;
    private Map<String, Work> worksBefore = Map.of();

    /** Maximum time per element in nanoseconds, by stage. */
    private final Map<String, Double> mostNanos = new HashMap<>();

    private String slowIn = "";
    private double slowNanos = Double.POSITIVE_INFINITY;
    private final Trouble tooSlow = new Trouble();
    private final Trouble tooOld = new Trouble();
    private final Trouble tooFull = new Trouble();

    /** Tracks how long a fault lasts, by the clock of the readings. */
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

    /**
     * Creates a guard.
     *
     * @param maxLatency the maximum age of a record; null to derive it from measurements
     */
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

    /** Sets whether a change is on trial. Without a trial, any age of records below the user's maximum is normal. */
    void onTrial(boolean tried) {
        onTrial = tried;
        changed = tried;
    }

    /** Reports that the change was reverted. */
    void takenBack() {
        changed = false;
    }

    /** Returns whether the stage that was last found slow is still slow. */
    boolean isSlowAnyway(TuneReading now) {
        return perElement(worksBefore, now).getOrDefault(slowIn, 0.0) >= slowNanos / BEYOND;
    }

    private static boolean grows(Duration before, long sinceNanos, TuneReading now) {
        return now.oldest().minus(before).toNanos() > (now.atNanos() - sinceNanos) / 2;
    }

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

    /** Checks a reading. Returns why to stop, as text; null to continue. */
    @Nullable
    String check(TuneReading now, String counter) {
        if (!knowsNormal) {
            return null;
        }
        long failed = now.failed() - failedBefore;
        double expected = 2 * failedShare * Math.max(0, count(now, counter) - countBefore);
        if (failed > expected + FEW_FAILURES) {
            return failed + " records or calls failed, " + Math.round(expected) + " at most were expected";
        }
        String slow = slowStage(now);
        if (tooSlow.isLong(slow != null, now)) {
            return slow;
        }
        if (maxLatency == null && !onTrial) {
            // No change is on trial, so this age is normal. For example, the pipeline fills up after its start.
            mostOldest = max(mostOldest, now.oldest().multipliedBy(OLDER));
            growsOlder = grows(oldestBefore, beganNanos, now);
        }
        Duration most = mostOldest;
        if (maxLatency == null && growsOlder) {
            // The age was rising before the change, so the limit rises too.
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

    /** Returns whether the last reading showed a fault that may pass. */
    boolean isInDoubt() {
        return tooSlow.holds || tooOld.holds || tooFull.holds;
    }

    /** Describes a stage that takes too long per element; null if there is none or no change is in force. */
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
                        + " ms: what it calls is at capacity";
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

    /** Returns the time per element since {@code before} of stages with enough elements. */
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
