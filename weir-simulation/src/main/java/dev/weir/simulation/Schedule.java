package dev.weir.simulation;

import java.util.Comparator;
import java.util.PriorityQueue;

/** The clock and the scheduled actions of a simulation. Confined to the simulation's thread. */
public final class Schedule {

    private record Event(long atNanos, long order, Runnable action) {}

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::order));

    private long nowNanos = 1_000_000_000;
    private long order;

    /** Returns the current time, in nanoseconds. */
    public long now() {
        return nowNanos;
    }

    /**
     * Schedules an action to run at the given time. Actions scheduled for the same time run in the order in which they
     * were scheduled.
     */
    public void at(long nanos, Runnable action) {
        events.add(new Event(Math.max(nanos, nowNanos), order++, action));
    }

    /** Schedules an action to run after a delay. */
    public void after(long nanos, Runnable action) {
        at(nowNanos + nanos, action);
    }

    /** Advances the clock to the next event, by at most {@code most} nanoseconds, and runs the actions that are due. */
    public void advance(long most) {
        long until = nowNanos + most;
        Event next = events.peek();
        nowNanos = next == null || next.atNanos > until ? until : next.atNanos;
        while (!events.isEmpty() && events.peek().atNanos <= nowNanos) {
            events.remove().action.run();
        }
    }
}
