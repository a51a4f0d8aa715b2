package dev.weir.stream.spi;

import org.jspecify.annotations.Nullable;

/**
 * Describes elements in failure messages, for instance by their key. Each implementation handles the element types of
 * one library. Implementations are loaded by {@link java.util.ServiceLoader}. Thread-safe.
 */
@FunctionalInterface
public interface ElementDescriber {

    /**
     * Describes an element in a few words, with special characters escaped. The description must not include the
     * element's value, which may be confidential. Returns null if the element belongs to another library or has no
     * description.
     */
    @Nullable
    String describe(Object element);

    /**
     * Returns the origin of an element, in the form of {@link AckTarget#placeOf}; null if the element has none, or
     * belongs to another library. Called for elements without acknowledgements, because their target cannot tell the
     * origin.
     */
    default @Nullable String place(Object element) {
        return null;
    }
}
