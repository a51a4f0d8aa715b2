package dev.weir.kafka.internal.share.session;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Acquired records whose processing has ended, until the member takes them. Any thread may call {@link #add}; all other
 * methods are for the member's thread. Before the member waits, it sets the number of records that justifies waking it,
 * and then checks whether that many are present already.
 */
final class FinishedRecords {

    /**
     * A node of an immutable list. The newest node represents all records.
     *
     * @param count the number of records in this node and the nodes before it
     */
    private record Ended(LockedRecord locked, @Nullable Ended before, int count) {}

    private final AtomicReference<@Nullable Ended> newest = new AtomicReference<>();
    private volatile int worthWaking = Integer.MAX_VALUE;

    /** Adds a record; returns whether to wake the member. */
    boolean add(LockedRecord locked) {
        Ended before;
        Ended added;
        do {
            before = newest.get();
            added = new Ended(locked, before, before == null ? 1 : before.count + 1);
        } while (!newest.compareAndSet(before, added));
        return added.count >= worthWaking;
    }

    /** Sets the count from which each addition wakes the member. */
    void wakeFrom(int count) {
        worthWaking = count;
    }

    /** Returns the number of records that wait to be taken. */
    int count() {
        Ended last = newest.get();
        return last == null ? 0 : last.count;
    }

    /** Takes out all records, the newest first. */
    void takeAll(Consumer<LockedRecord> taker) {
        for (Ended each = newest.getAndSet(null); each != null; each = each.before) {
            taker.accept(each.locked);
        }
    }
}
