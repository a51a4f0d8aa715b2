package dev.weir.console.tune;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Watches over a pipeline while a setting is tried: failed records, the age of the oldest record, the heap. Confined to
 * the thread that tunes.
 */
final class Guard {

    /** Failures that may be chance, whatever the rate was before. */
    private static final long FEW_FAILURES = 3;

    /** Unless the user says, records may become this many times as old as they were. */
    private static final int OLDER = 4;

    private static final Duration LEAST_OLDEST = Duration.ofSeconds(5);
    private static final double MOST_HEAP = 0.9;

    /**
     * The time records must be too old, or the heap too full: a collection or a rebalance takes less. A change is
     * watched for as long at least, since calls fail when they have timed out.
     */
    static final Duration LASTING = Duration.ofSeconds(2);

    private final @Nullable Duration maxLatency;

    private boolean knowsNormal;
    private boolean onTrial;

    /** True if records grew older by the clock before the change on trial: windows that fill, or a backlog. */
    private boolean growsOlder;

    private Duration oldestBefore = Duration.ZERO;
    private long beganNanos;
    private double failedShare;
    private Duration mostOldest = LEAST_OLDEST;

    private long failedBefore;
    private long countBefore;
    private final Trouble tooOld = new Trouble();
    private final Trouble tooFull = new Trouble();

    /** The time for which something has been so, by the clock of the readings. */
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

    /** Creates one with the age that a record may reach, or null for one that is measured. */
    Guard(@Nullable Duration maxLatency) {
        this.maxLatency = maxLatency;
    }

    /** Takes what the pipeline does before any change for normal. */
    void learn(TuneReading start, TuneReading end, String counter) {
        long done = count(end, counter) - count(start, counter);
        knowsNormal = true;
        failedShare = done <= 0 ? 0 : Math.max(0, end.failed() - start.failed()) / (double) done;
        growsOlder = grows(start.oldest(), start.atNanos(), end);
        mostOldest =
                maxLatency != null ? maxLatency : max(LEAST_OLDEST, end.oldest().multipliedBy(OLDER));
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /** Says whether a change is on trial from now on. Without one, the age that records reach is normal. */
    void onTrial(boolean tried) {
        onTrial = tried;
    }

    private static boolean grows(Duration before, long sinceNanos, TuneReading now) {
        return now.oldest().minus(before).toNanos() > (now.atNanos() - sinceNanos) / 2;
    }

    /** Begins to count anew. */
    void begin(TuneReading now, String counter) {
        oldestBefore = now.oldest();
        beganNanos = now.atNanos();
        failedBefore = now.failed();
        countBefore = count(now, counter);
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
            return failed + " records failed, " + Math.round(expected) + " at most were to be expected";
        }
        if (maxLatency == null && !onTrial) {
            // Windows that are still filling, as after a start, make records older without any change.
            mostOldest = max(mostOldest, now.oldest().multipliedBy(OLDER));
            growsOlder = grows(oldestBefore, beganNanos, now);
        }
        Duration most = mostOldest;
        if (maxLatency == null && growsOlder) {
            // What grew by the clock before the change may go on so.
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

    /** Returns whether something was wrong in the last reading that may be over soon: nobody knows yet. */
    boolean isInDoubt() {
        return tooOld.holds || tooFull.holds;
    }

    private static long count(TuneReading reading, String counter) {
        return reading.counts().getOrDefault(counter, 0L);
    }
}
