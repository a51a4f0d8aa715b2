package dev.weir.stream.internal.substream;

import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Groups that requested a turn, ordered by time. A group has at most one turn, the earliest that it requested. Confined
 * to one thread.
 */
final class GroupTurns<G> {

    private record Turn<G>(long nanos, long number, G group) implements Comparable<Turn<?>> {

        @Override
        public int compareTo(Turn<?> other) {
            return nanos == other.nanos ? Long.compare(number, other.number) : Long.signum(nanos - other.nanos);
        }
    }

    private final Clock clock;
    private final TreeSet<Turn<G>> turns = new TreeSet<>();
    private final Map<G, Turn<G>> ofGroups = new HashMap<>();
    private long asked;

    GroupTurns(Clock clock) {
        this.clock = clock;
    }

    /** Gives a group a turn at {@code nanos}, unless it already has an earlier one. */
    void ask(G group, long nanos) {
        Turn<G> before = ofGroups.get(group);
        if (before == null || before.nanos - nanos > 0) {
            forget(group);
            Turn<G> turn = new Turn<>(nanos, asked++, group);
            ofGroups.put(group, turn);
            turns.add(turn);
        }
    }

    void forget(G group) {
        Turn<G> turn = ofGroups.remove(group);
        if (turn != null) {
            turns.remove(turn);
        }
    }

    /** Time of the next turn, or {@link Stage#NEVER}. */
    long nextNanos() {
        return turns.isEmpty() ? Stage.NEVER : turns.first().nanos;
    }

    /** Removes all groups and passes them to {@code then}. */
    void takeAll(Consumer<? super G> then) {
        while (!turns.isEmpty()) {
            G group = turns.first().group;
            forget(group);
            then.accept(group);
        }
    }

    boolean isEmpty() {
        return turns.isEmpty();
    }

    /** Removes the groups that are due and passes them to {@code then}. */
    void takeDue(Consumer<? super G> then) {
        while (clock.hasPassed(nextNanos())) {
            G group = turns.first().group;
            forget(group);
            then.accept(group);
        }
    }
}
