package dev.weir.simulation;

import java.util.Comparator;
import java.util.PriorityQueue;

/** The clock of a world, and what is due by it. Confined to the world's thread. */
public final class Schedule {

    private record Event(long atNanos, long order, Runnable action) {}

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::order));

    private long nowNanos = 1_000_000_000;
    private long order;

    /** The current time. */
    public long now() {
        return nowNanos;
    }

    /** Runs an action at a time, after all others that were put there before. */
    public void at(long nanos, Runnable action) {
        events.add(new Event(Math.max(nanos, nowNanos), order++, action));
    }

    /** Runs an action after some time. */
    public void after(long nanos, Runnable action) {
        at(nowNanos + nanos, action);
    }

    /** Moves to the next event and runs all that is due then, or moves by {@code most} if nothing is due before. */
    public void advance(long most) {
        long until = nowNanos + most;
        Event next = events.peek();
        nowNanos = next == null || next.atNanos > until ? until : next.atNanos;
        while (!events.isEmpty() && events.peek().atNanos <= nowNanos) {
            events.remove().action.run();
        }
    }
}
