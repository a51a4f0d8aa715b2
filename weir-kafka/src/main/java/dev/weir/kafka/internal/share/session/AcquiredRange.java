package dev.weir.kafka.internal.share.session;

import dev.weir.lean.spi.InvariantException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Neighbouring offsets that a broker acquired together, under one lock. Confined to the member's thread.
 *
 * <p>The broker keeps one state for the whole range as long as one acknowledgement covers all of it. The range
 * therefore waits briefly for its last records before it acknowledges the first ones.
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

    /** The time when the first of those became known that are not told yet. */
    private long knownSinceNanos;

    private Lock lock;

    /** The lock before the last requested renewal. */
    private Lock lockBefore;

    private boolean renewing;
    private boolean renewable = true;

    /**
     * The acquisition lock that the broker has promised.
     *
     * @param sinceNanos not after the moment at which it made or renewed the lock
     * @param nanos for which the lock stands: what the group's setting was then, whatever it is by now
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
        this.states = new byte[size];
        Arrays.fill(states, AcknowledgementRange.GAP);
        this.unacknowledged = size;
    }

    private int at(long offset) {
        return (int) (offset - first);
    }

    boolean contains(long offset) {
        return offset >= first && offset <= last;
    }

    /** The first offset on whose record the work has not ended; one past the last if there is none. */
    long firstOpen() {
        int at = 0;
        while (at < states.length && states[at] != OPEN) {
            at++;
        }
        return first + at;
    }

    /** First offset whose end the broker was not told; one past the last if there is none. */
    long firstUnacknowledged() {
        int at = 0;
        while (at < states.length && states[at] == ACKNOWLEDGED) {
            at++;
        }
        return first + at;
    }

    /** There is a record at this offset. */
    void put(LockedRecord locked) {
        int at = at(locked.offset());
        lockedRecords[at] = locked;
        if (states[at] != OPEN) {
            states[at] = OPEN;
            open++;
            unacknowledged--;
        }
    }

    /** Notes that the broker sent nothing from this offset on, which says nothing about what is there. */
    void notSentFrom(long offset) {
        for (long each = Math.max(first, offset); each <= last; each++) {
            states[at(each)] = AcknowledgementRange.RELEASE;
        }
    }

    /** Rejects the part of these offsets within the range; no record was put there. */
    void reject(long from, long to) {
        for (long each = Math.max(first, from); each <= Math.min(last, to); each++) {
            states[at(each)] = AcknowledgementRange.REJECT;
        }
    }

    /** The work on a record ended; false if it is none of these, or no more. */
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

    /** Ends those for which {@code test} holds, which may have an effect; returns how many. */
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

    /** A part of it, for what is open and unacknowledged there; this one is not used any more. */
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

    /** Forgets all that is open, which nobody tells the broker about; returns what it was. */
    List<LockedRecord> loseOpen() {
        return loseOpen(first, last);
    }

    /** The same of a part of it. */
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

    /** Returns whether there is nothing left to wait for or to tell. */
    boolean isOver() {
        return open == 0 && unacknowledged == 0;
    }

    /** Takes out what is known and not told, as few stretches as it can be said with. */
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
            while (end < states.length && states[end] >= 0 && goesWith(type, states[end], end == i)) {
                type = states[end] == AcknowledgementRange.GAP ? type : states[end];
                records += states[end] == AcknowledgementRange.GAP ? 0 : 1;
                states[end++] = ACKNOWLEDGED;
            }
            all.add(new AcknowledgementRange(first + i, first + end - 1, type, records));
            i = end;
        }
        unacknowledged = 0;
        return all;
    }

    /** A gap is as good as accepted: one word for a whole range costs the broker least. */
    private static boolean goesWith(byte type, byte next, boolean isFirst) {
        boolean ends = next == AcknowledgementRange.GAP || next == AcknowledgementRange.ACCEPT;
        return isFirst
                || next == type
                || (ends && (type == AcknowledgementRange.GAP || type == AcknowledgementRange.ACCEPT));
    }

    Lock lock() {
        return lock;
    }

    /** Returns whether no renewal may be requested: one is unanswered or was refused, or brokers renew no locks. */
    boolean isRenewing() {
        return renewing;
    }

    /** Ends the whole range with its present lock, without a renewal. */
    void endsWithItsLock() {
        renewing = true;
        renewable = false;
    }

    /**
     * Confirms a renewal. If the renewal of another part was refused, the whole range ends with the first lock.
     */
    void renewed(Lock renewed) {
        if (renewable) {
            lock = renewed;
            renewing = false;
        }
    }

    /** A renewal was refused, which says nothing about the lock: it may stand for its time. */
    void notRenewed() {
        lock = lockBefore;
        endsWithItsLock();
    }

    /** Takes out what is open, to be renewed; nothing if nothing is. */
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
