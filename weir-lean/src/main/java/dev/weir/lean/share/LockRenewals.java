package dev.weir.lean.share;

import dev.weir.lean.share.AcquiredRange.Lock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The lock policy of a share group member. After half of a lock's duration, it renews the lock of a record in
 * processing, if the group allows it. It releases a record that still waits, unless the record is close to the delivery
 * limit. It acknowledges the records of a range together, unless the last ones take too long. Confined to the thread
 * that acquires records, except for {@link #millis()}.
 */
final class LockRenewals {

    private static final int DEFAULT_MILLIS = 30_000;

    /** Maximum time that finished records wait for the unfinished records of their range. */
    private static final long PATIENCE_NANOS = 50_000_000;

    /** The window of acquired offsets is almost full if at least this fraction of it is used. */
    static final double TIGHT = 0.9;

    /** After this fraction of a lock's duration, an acknowledgement may be late and is sent in a separate request. */
    private static final double DOUBTFUL = 0.8;

    private final AcquiredRecordReceiver receiver;
    private volatile int millis;

    LockRenewals(AcquiredRecordReceiver receiver) {
        this.receiver = receiver;
    }

    void millis(int newMillis) {
        millis = newMillis;
    }

    /** Returns the duration of locks in milliseconds; 0 until it is known. May be called from any thread. */
    int millis() {
        return millis;
    }

    /** Returns the duration of new and renewed locks; 30 s until it is known. */
    long nanos() {
        int known = millis;
        return (known == 0 ? DEFAULT_MILLIS : known) * 1_000_000L;
    }

    /**
     * Renews and releases records of a partition, and queues acknowledgements.
     *
     * @param window the maximum number of acquired offsets in a partition
     * @param ends true if the pipeline has stopped requesting records; it may still take records in their last delivery
     */
    void attend(AcquiredRanges of, long nowNanos, long window, boolean ends) {
        boolean tight = of.unacknowledgedSpan() >= TIGHT * window;
        boolean over = ends && receiver.isOver();
        int passedBy = 0;
        List<AcknowledgementRange> renewals = new ArrayList<>();
        for (AcquiredRange range : of.all()) {
            Lock lock = range.lock();
            long age = nowNanos - lock.sinceNanos();
            if (ends) {
                // A released record in its last delivery would be lost. Keep it while the pipeline may still take it.
                passedBy += giveBack(
                        range,
                        locked -> (!locked.isLastDelivery() || (over && locked.isOffered())) && locked.giveBack(),
                        nowNanos);
            }
            if (range.open() > 0 && age >= lock.nanos()) {
                range.loseOpen().forEach(receiver::lost);
                of.pending.withdraw(range.first, range.last);
            } else if (age >= lock.nanos() / 2 && !range.isRenewing()) {
                // Keep a record that is close to its delivery limit: a release would waste one of its last deliveries.
                passedBy += giveBack(range, locked -> !locked.isAtRisk() && locked.giveBack(), nowNanos);
                if (receiver.renewsLocks()) {
                    renewals.addAll(range.takeRenewals());
                } else {
                    range.endsWithItsLock();
                }
            }
            // If the window is almost full, acknowledge the oldest finished records without waiting for their range.
            boolean frees = tight && range.firstUnacknowledged() < range.firstOpen();
            tell(of, range, nowNanos, ends || frees, age >= lock.nanos() * DOUBTFUL);
            if (frees) {
                of.pending.hurry();
            }
            tight = false;
        }
        if (passedBy > 0) {
            receiver.passedBy(passedBy);
        }
        of.pending.addApart(renewals, true, nowNanos);
        of.removeOver();
    }

    private void tell(AcquiredRanges of, AcquiredRange range, long nowNanos, boolean atOnce, boolean doubtful) {
        boolean due = range.open() == 0 || atOnce || nowNanos - range.knownSinceNanos() >= PATIENCE_NANOS;
        if (!range.hasUnacknowledged() || !due) {
            return;
        }
        List<AcknowledgementRange> acks = range.takeUnacknowledged();
        if (doubtful) {
            of.pending.addApart(acks, false, nowNanos);
        } else {
            of.pending.add(acks, nowNanos);
        }
        if (range.open() == 0) {
            receiver.finished(nowNanos - range.acquiredNanos);
        }
    }

    /** Releases all unfinished records, whether or not their processing has begun. Returns their number. */
    int giveUp(AcquiredRanges of, long nowNanos) {
        int given = 0;
        for (AcquiredRange range : of.all()) {
            given += giveBack(range, LockedRecord::lose, nowNanos);
        }
        return given;
    }

    private int giveBack(AcquiredRange range, Predicate<LockedRecord> test, long nowNanos) {
        return range.endIf(
                locked -> {
                    boolean goes = test.test(locked);
                    if (goes) {
                        receiver.goesBack(locked);
                    }
                    return goes;
                },
                AcknowledgementRange.RELEASE,
                nowNanos);
    }
}
