package dev.weir.testkit.internal.simulation;

import dev.weir.testkit.internal.simulation.Draw.Of;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The events of a simulated run, drawn before it begins. Confined to the simulation's thread. */
final class Plan {

    enum Kind {
        GROW,
        OTHERS_WORK,
        REBALANCE,
        LOSE,
        CRASH,
        REDEPLOY,
        PAUSE,
        RESUME,
        CALM_DOWN
    }

    /**
     * An event.
     *
     * @param number an argument of draws, which makes the draws of events differ
     */
    record Event(long atNanos, Kind kind, int number) {}

    private static final Kind[] LIKELY = {
        Kind.REBALANCE,
        Kind.REBALANCE,
        Kind.REBALANCE,
        Kind.REBALANCE,
        Kind.LOSE,
        Kind.CRASH,
        Kind.REDEPLOY,
        Kind.GROW,
        Kind.GROW,
        Kind.GROW,
        Kind.OTHERS_WORK,
        Kind.OTHERS_WORK,
        Kind.PAUSE
    };

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Deque<Event> events = new ArrayDeque<>();

    Plan(Draw draw) {
        long lengthNanos = TimeUnit.SECONDS.toNanos(1 + draw.below(20, Of.PLAN, 0));
        int count = (int) (1 + draw.below(12, Of.PLAN, 1));
        List<Event> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Kind kind = LIKELY[(int) draw.below(LIKELY.length, Of.PLAN, 2, i)];
            long at = draw.below(lengthNanos, Of.PLAN, 3, i);
            all.add(new Event(at, kind, i));
            if (kind == Kind.PAUSE) {
                all.add(new Event(at + 1 + draw.below(PAUSE_NANOS, Of.PLAN, 4, i), Kind.RESUME, i));
            }
        }
        all.sort(Comparator.comparingLong(Event::atNanos));
        events.addAll(all);
        events.add(new Event(Math.max(lengthNanos, all.getLast().atNanos()), Kind.CALM_DOWN, count));
    }

    long nextNanos() {
        Event next = events.peek();
        return next == null ? Long.MAX_VALUE : next.atNanos();
    }

    Event take() {
        return events.remove();
    }
}
