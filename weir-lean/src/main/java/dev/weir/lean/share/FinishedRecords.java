package dev.weir.lean.share;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lock-free stack of acquired records whose processing has ended. Any thread may call {@link #add}; everything else
 * is confined to the member's thread. Before the member waits, it sets the number of records that wake it, and then
 * checks whether they are already there.
 */
final class FinishedRecords {

    /**
     * A node of an immutable linked list; the newest node stands for the list.
     *
     * @param count the number of records in this node and the nodes before it
     */
    private record Ended(LockedRecord locked, @Nullable Ended before, int count) {}

    private final AtomicReference<@Nullable Ended> newest = new AtomicReference<>();
    private volatile int worthWaking = Integer.MAX_VALUE;

    /** Adds a record. Returns whether to wake the member. */
    boolean add(LockedRecord locked) {
        Ended before;
        Ended added;
        do {
            before = newest.get();
            added = new Ended(locked, before, before == null ? 1 : before.count + 1);
        } while (!newest.compareAndSet(before, added));
        return added.count >= worthWaking;
    }

    /** Sets the number of records at which {@link #add} wakes the member. */
    void wakeFrom(int count) {
        worthWaking = count;
    }

    int count() {
        Ended last = newest.get();
        return last == null ? 0 : last.count;
    }

    /** Removes all records and passes them to {@code taker}, newest first. */
    void takeAll(Consumer<LockedRecord> taker) {
        for (Ended each = newest.getAndSet(null); each != null; each = each.before) {
            taker.accept(each.locked);
        }
    }
}
