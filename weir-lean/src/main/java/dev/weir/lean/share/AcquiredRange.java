package dev.weir.lean.share;

import dev.weir.lean.spi.InvariantException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Consecutive offsets that a broker acquired together, under one lock. Confined to the member's thread.
 *
 * <p>One acknowledgement of the whole range costs the broker least. The range therefore waits briefly for its last
 * records before it acknowledges the first ones. The states of an offset:
 *
 * <pre>
 *   OPEN -> type of the acknowledgement -> ACKNOWLEDGED (queued for the broker)
 *       \-> ACKNOWLEDGED (the lock is lost)
 * </pre>
 */
final class AcquiredRange {

    private static final byte OPEN = -1;
    private static final byte ACKNOWLEDGED = -2;

    final long first;
    final long last;
    final long acquiredNanos;

    private final @Nullable LockedRecord[] lockedRecords;
    private final byte[] states;
    private int open;
    private int unacknowledged;

    /** Time of the oldest outcome that is not queued for the broker yet. */
    private long knownSinceNanos;

    private Lock lock;

    /** The lock before the last renewal request. */
    private Lock lockBefore;

    private boolean renewing;
    private boolean renewable = true;

    /**
     * The acquisition lock granted by the broker.
     *
     * @param sinceNanos a time at or before the broker granted or renewed the lock
     * @param nanos the lock's duration, as the group was configured at that time
     */
    record Lock(long sinceNanos, long nanos) {}

    AcquiredRange(long first, long last, Lock lock, long nowNanos) {
        this.first = first;
        this.last = last;
        this.lock = lock;
        this.lockBefore = lock;
        this.acquiredNanos = nowNanos;
        this.knownSinceNanos = nowNanos;
        int size = Math.toIntExact(last - first + 1);
        this.lockedRecords = new LockedRecord[size];
        this.states = new byte[size]; // All offsets are gaps at first, because GAP is 0.
        this.unacknowledged = size;
    }

    private int at(long offset) {
        return (int) (offset - first);
    }

    boolean contains(long offset) {
        return offset >= first && offset <= last;
    }

    /** Returns the first offset whose record is unfinished. If there is none, returns one past the last offset. */
    long firstOpen() {
        int at = 0;
        while (at < states.length && states[at] != OPEN) {
            at++;
        }
        return first + at;
    }

    /**
     * Returns the first offset without a queued acknowledgement. If there is none, returns one past the last offset.
     */
    long firstUnacknowledged() {
        int at = 0;
        while (at < states.length && states[at] == ACKNOWLEDGED) {
            at++;
        }
        return first + at;
    }

    void put(LockedRecord locked) {
        int at = at(locked.offset());
        lockedRecords[at] = locked;
        if (states[at] != OPEN) {
            states[at] = OPEN;
            open++;
            unacknowledged--;
        }
    }

    /** Releases this offset and all later offsets: the response does not contain their batches. */
    void notSentFrom(long offset) {
        for (long each = Math.max(first, offset); each <= last; each++) {
            states[at(each)] = AcknowledgementRange.RELEASE;
        }
    }

    /** Rejects the offsets of this interval that are in the range. They must have no records. */
    void reject(long from, long to) {
        for (long each = Math.max(first, from); each <= Math.min(last, to); each++) {
            states[at(each)] = AcknowledgementRange.REJECT;
        }
    }

    /** Ends an open record. Returns false if the range does not have it, or it is no longer open. */
    boolean end(LockedRecord locked, byte type, long nowNanos) {
        int at = at(locked.offset());
        if (lockedRecords[at] != locked || states[at] != OPEN) {
            return false;
        }
        close(at, type, nowNanos);
        return true;
    }

    private void close(int at, byte type, long nowNanos) {
        if (states[at] != OPEN) {
            throw new InvariantException(
                    31,
                    "each acquired record ends in exactly one way: accepted, released, rejected, or lost with its lock",
                    "offset=" + (first + at) + " of " + first + ".." + last + " state=" + states[at] + " again=" + type
                            + " open=" + open);
        }
        states[at] = type;
        lockedRecords[at] = null;
        open--;
        if (unacknowledged++ == 0) {
            knownSinceNanos = nowNanos;
        }
    }

    /** Ends the open records for which {@code test} holds, and returns their number. The test may have side effects. */
    int endIf(Predicate<LockedRecord> test, byte type, long nowNanos) {
        int ended = 0;
        for (int i = 0; i < states.length; i++) {
            LockedRecord locked = lockedRecords[i];
            if (states[i] == OPEN && locked != null && test.test(locked)) {
                close(i, type, nowNanos);
                ended++;
            }
        }
        return ended;
    }

    /** Returns a part of this range with its records and offsets. It replaces this range. */
    AcquiredRange part(long from, long to) {
        AcquiredRange part = new AcquiredRange(from, to, lock, acquiredNanos);
        part.knownSinceNanos = knownSinceNanos;
        part.lockBefore = lockBefore;
        part.renewing = renewing;
        part.renewable = renewable;
        part.unacknowledged = 0;
        for (int i = 0; i < part.states.length; i++) {
            part.lockedRecords[i] = lockedRecords[at(from) + i];
            part.states[i] = states[at(from) + i];
            part.open += part.states[i] == OPEN ? 1 : 0;
            part.unacknowledged += part.states[i] >= 0 ? 1 : 0;
        }
        return part;
    }

    /** Removes and returns all open records, without acknowledging them. */
    List<LockedRecord> loseOpen() {
        return loseOpen(first, last);
    }

    /** Removes and returns the open records between two offsets, inclusive, without acknowledging them. */
    List<LockedRecord> loseOpen(long from, long to) {
        List<LockedRecord> lost = new ArrayList<>();
        for (int i = at(Math.max(first, from)); i <= at(Math.min(last, to)); i++) {
            LockedRecord locked = lockedRecords[i];
            if (states[i] == OPEN && locked != null) {
                states[i] = ACKNOWLEDGED;
                lockedRecords[i] = null;
                open--;
                lost.add(locked);
            }
        }
        return lost;
    }

    void addOpenTo(List<LockedRecord> all) {
        for (int i = 0; i < states.length; i++) {
            LockedRecord locked = lockedRecords[i];
            if (states[i] == OPEN && locked != null) {
                all.add(locked);
            }
        }
    }

    int open() {
        return open;
    }

    boolean hasUnacknowledged() {
        return unacknowledged > 0;
    }

    long knownSinceNanos() {
        return knownSinceNanos;
    }

    /** Returns whether no record is open and every acknowledgement is queued. */
    boolean isOver() {
        return open == 0 && unacknowledged == 0;
    }

    /** Returns the acknowledgements that are not queued yet, in few ranges, and marks them as queued. */
    List<AcknowledgementRange> takeUnacknowledged() {
        List<AcknowledgementRange> all = new ArrayList<>();
        for (int i = 0; i < states.length; ) {
            if (states[i] < 0) {
                i++;
                continue;
            }
            int end = i;
            byte type = AcknowledgementRange.GAP;
            int records = 0;
            do {
                type = states[end] == AcknowledgementRange.GAP ? type : states[end];
                records += states[end] == AcknowledgementRange.GAP ? 0 : 1;
                states[end++] = ACKNOWLEDGED;
            } while (end < states.length && states[end] >= 0 && goesWith(type, states[end]));
            all.add(new AcknowledgementRange(first + i, first + end - 1, type, records));
            i = end;
        }
        unacknowledged = 0;
        return all;
    }

    /**
     * Returns whether an acknowledgement of this type can include the next offset. Gaps are acknowledged together with
     * accepted records.
     */
    private static boolean goesWith(byte type, byte next) {
        boolean ends = next == AcknowledgementRange.GAP || next == AcknowledgementRange.ACCEPT;
        return next == type || (ends && (type == AcknowledgementRange.GAP || type == AcknowledgementRange.ACCEPT));
    }

    Lock lock() {
        return lock;
    }

    /**
     * Returns whether no renewal may be requested: a renewal is unanswered or was refused, or the brokers renew no
     * locks.
     */
    boolean isRenewing() {
        return renewing;
    }

    /** Stops renewals: the range ends when its current lock expires. */
    void endsWithItsLock() {
        renewing = true;
        renewable = false;
    }

    /** Confirms a renewal. Does nothing if the renewal of another part of the range was refused. */
    void renewed(Lock renewed) {
        if (renewable) {
            lock = renewed;
            renewing = false;
        }
    }

    /** Handles a refused renewal. The previous lock still lasts for its full duration. */
    void notRenewed() {
        lock = lockBefore;
        endsWithItsLock();
    }

    /** Starts a renewal. Returns the open offsets to renew, which may be none. */
    List<AcknowledgementRange> takeRenewals() {
        lockBefore = lock;
        renewing = open > 0;
        List<AcknowledgementRange> all = new ArrayList<>();
        for (int i = 0; i < states.length; i++) {
            if (states[i] == OPEN) {
                int end = i;
                while (end + 1 < states.length && states[end + 1] == OPEN) {
                    end++;
                }
                all.add(new AcknowledgementRange(first + i, first + end, AcknowledgementRange.RENEW, end - i + 1));
                i = end;
            }
        }
        return all;
    }
}
