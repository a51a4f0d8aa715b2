package dev.weir.lean.share;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lock-free stack of acquired records whose processing has ended. Worker threads call {@link #add}, and the member
 * removes the records with {@link #takeAll}. Only {@link #add} may be called from any thread. Before the member waits,
 * it sets the number of records that should wake it, and then checks whether that number has already been reached.
 */
final class FinishedRecords {

    /**
     * A node of an immutable linked list. The list is represented by its newest node.
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

    /** Sets the number of records at which {@link #add} starts to wake the member. */
    void wakeFrom(int count) {
        worthWaking = count;
    }

    /** Returns the number of records that have not been taken yet. */
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
