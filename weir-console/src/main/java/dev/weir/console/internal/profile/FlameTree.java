package dev.weir.console.internal.profile;

import dev.weir.console.profile.Flame;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Builds a flame graph from samples. Not thread-safe. */
final class FlameTree {

    /** A frame below this part of the total width is left out. Its callers include its time. */
    private static final int PARTS = 2_000;

    private final String name;
    private final Map<String, FlameTree> inner = new HashMap<>();
    private long value;

    FlameTree(String name) {
        this.name = name;
    }

    /** Adds a stack below the outermost frame {@code outside}, the name of a stage or of the code's owner. */
    void add(String outside, List<Frame> innermostFirst, long amount) {
        value += amount;
        FlameTree at = child(outside);
        at.value += amount;
        for (int i = innermostFirst.size() - 1; i >= 0; i--) {
            at = at.child(innermostFirst.get(i).name());
            at.value += amount;
        }
    }

    private FlameTree child(String of) {
        return inner.computeIfAbsent(of, FlameTree::new);
    }

    /** Returns the flame graph, with its values in multiples of {@code unit}. */
    Flame flame(long unit) {
        return flame(unit, Math.max(1, value / PARTS));
    }

    private Flame flame(long unit, long least) {
        return new Flame(
                name,
                value / unit,
                inner.values().stream()
                        .filter(tree -> tree.value >= least)
                        .sorted(Comparator.comparingLong((FlameTree tree) -> tree.value)
                                .reversed()
                                .thenComparing(tree -> tree.name))
                        .map(tree -> tree.flame(unit, least))
                        .toList());
    }
}
