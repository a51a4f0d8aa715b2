package dev.weir.stream;

import java.util.Objects;

/**
 * One step of {@link Source#unfold}: an element, and the state that the next one is made of. Immutable.
 *
 * @param next the state to go on with
 * @param element the element to emit
 */
public record Unfolded<S, T>(S next, T element) {

    /** Refuses null. */
    public Unfolded {
        Objects.requireNonNull(next, "next");
        Objects.requireNonNull(element, "element");
    }
}
