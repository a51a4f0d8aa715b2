package dev.weir.kafka.internal.share.session;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Acquired records on whose records the work has ended, until the member takes them. {@link #add} is for any thread,
 * all else for the member's: it says how many are worth waking it, looks then at how many there are, and waits only if
 * there are fewer.
 */
final class FinishedRecords {

    /**
     * Immutable: the newest one stands for all.
     *
     * @param count of this one and those before it
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

    /** The number that waits to be taken. */
    int count() {
        Ended last = newest.get();
        return last == null ? 0 : last.count;
    }

    /** Takes them out, the last one first. */
    void takeAll(Consumer<LockedRecord> taker) {
        for (Ended each = newest.getAndSet(null); each != null; each = each.before) {
            taker.accept(each.locked);
        }
    }
}
