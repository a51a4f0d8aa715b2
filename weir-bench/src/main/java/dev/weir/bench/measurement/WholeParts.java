package dev.weir.bench.measurement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;

/** Chooses whole processes of a group that together hold a number of its consumers. Functions only. */
final class WholeParts {

    private WholeParts() {}

    /**
     * Parts, from the first on, until they hold {@code wanted} or more. The last one is the smallest that suffices:
     * half of 30, 30 and 4 is 30 and 4. All of them if they hold fewer.
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
