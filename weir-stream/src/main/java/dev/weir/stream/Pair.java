package dev.weir.stream;

import java.util.Objects;

/** Two elements that belong together. Neither is null. Immutable. */
public record Pair<A, B>(A first, B second) {

    /** Rejects null. */
    public Pair {
        Objects.requireNonNull(first, "first");
        Objects.requireNonNull(second, "second");
    }
}
