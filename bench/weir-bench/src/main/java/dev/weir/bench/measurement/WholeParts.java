package dev.weir.bench.measurement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;

/** Chooses whole processes of a group that together hold a given number of its consumers. Stateless. */
final class WholeParts {

    private WholeParts() {}

    /**
     * Chooses parts that together hold at least {@code wanted} consumers, or all parts if they hold fewer. For 32
     * consumers from parts of 30, 30 and 4, it chooses 30 and 4.
     */
    static <P> List<P> holding(List<P> parts, ToIntFunction<P> size, int wanted) {
        List<P> left = new ArrayList<>(parts);
        List<P> chosen = new ArrayList<>();
        int missing = wanted;
        while (missing > 0 && !left.isEmpty()) {
            int still = missing;
            P next = left.stream()
                    .filter(part -> size.applyAsInt(part) >= still)
                    .min(Comparator.comparingInt(size))
                    .orElse(left.getFirst());
            left.remove(next);
            chosen.add(next);
            missing -= size.applyAsInt(next);
        }
        return chosen;
    }
}
