package dev.weir.kafka.internal.share.session;

import dev.weir.kafka.internal.share.session.AcquiredRange.Lock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The lock policy of a share group, on both fetch paths. At half of a lock's time it renews the records that somebody
 * works on, unless the group renews none, and gives back the others. It tells the broker of whole ranges, if that does
 * not take too long. Confined to the thread that acquires, but for {@link #millis()}.
 */
final class LockRenewals {

    private static final int DEFAULT_MILLIS = 30_000;

    /** For which a range waits for its last records. */
    private static final long PATIENCE_NANOS = 50_000_000;

    /** Part of the window from which no more records can be acquired soon. */
    static final double TIGHT = 0.9;

    /** Part of a lock's time after which an acknowledgement may arrive too late and goes in a request of its own. */
    private static final double DOUBTFUL = 0.8;

    private final AcquiredRecordReceiver receiver;
    private volatile int millis;

    LockRenewals(AcquiredRecordReceiver receiver) {
        this.receiver = receiver;
    }

    void millis(int newMillis) {
        millis = newMillis;
    }

    /** 0 as long as it is not known. Any thread. */
    int millis() {
        return millis;
    }

    /** Duration of locks that are acquired or renewed now. */
    long nanos() {
        int known = millis;
        return (known == 0 ? DEFAULT_MILLIS : known) * 1_000_000L;
    }

    /**
     * Does what is due.
     *
     * @param window offsets of a partition that may be acquired at a time
     * @param ends true if no more work may begin
     */
    void attend(AcquiredRanges of, long nowNanos, long window, boolean ends) {
        boolean tight = of.unacknowledgedSpan() >= TIGHT * window;
        boolean over = ends && receiver.isOver();
        int passedBy = 0;
        List<AcknowledgementRange> renewals = new ArrayList<>();
        for (AcquiredRange range : of.all()) {
            Lock lock = range.lock();
            long age = nowNanos - lock.sinceNanos();
            if (ends && range.open() > 0) {
                // A last delivery is not spent on going back as long as the pipeline may take it.
                passedBy += giveBack(
                        range,
                        locked -> (!locked.isLastDelivery() || (over && locked.isOffered())) && locked.giveBack(),
                        nowNanos);
            }
            if (range.open() > 0 && age >= lock.nanos()) {
                range.loseOpen().forEach(receiver::lost);
                of.pending.withdraw(range.first, range.last);
            } else if (range.open() > 0 && age >= lock.nanos() / 2 && !range.isRenewing()) {
                // One of the last deliveries is not spent on a record that nobody has looked at.
                passedBy += giveBack(range, locked -> !locked.isAtRisk() && locked.giveBack(), nowNanos);
                if (receiver.renewsLocks()) {
                    renewals.addAll(range.takeRenewals());
                } else {
                    range.endsWithItsLock();
                }
            }
            // If the window is full until the first record is acknowledged, that one does not wait for the rest of its
            // range.
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

    /** Gives back all, begun or not; returns how many there were. */
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
