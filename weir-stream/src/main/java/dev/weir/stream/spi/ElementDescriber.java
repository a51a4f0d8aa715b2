package dev.weir.stream.spi;

import org.jspecify.annotations.Nullable;

/**
 * Describes elements in failure messages, for example by their key. Each implementation handles the elements of one
 * library, and is loaded by {@link java.util.ServiceLoader}. Thread-safe.
 */
@FunctionalInterface
public interface ElementDescriber {

    /**
     * Describes an element in a few words, with special characters escaped. Must not include the element's value, which
     * may be confidential. Returns null if the element belongs to another library or has no description.
     */
    @Nullable
    String describe(Object element);

    /**
     * Returns the origin of an element as in {@link AckTarget#placeOf}, or null if it has none or belongs to another
     * library. Called for elements without acknowledgements.
     */
    default @Nullable String place(Object element) {
        return null;
    }
}
