package dev.weir.stream;

import java.util.Objects;

/**
 * One step of {@link Source#unfold}: an element and the state for the next step. Immutable.
 *
 * @param next the state for the next step
 * @param element the element to emit
 */
public record Unfolded<S, T>(S next, T element) {

    /** Rejects null. */
    public Unfolded {
        Objects.requireNonNull(next, "next");
        Objects.requireNonNull(element, "element");
    }
}
