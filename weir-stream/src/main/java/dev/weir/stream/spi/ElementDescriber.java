package dev.weir.stream.spi;

import org.jspecify.annotations.Nullable;

/**
 * Describes elements of one library in failure messages, for instance by their key. Found by
 * {@link java.util.ServiceLoader}. Thread-safe.
 */
@FunctionalInterface
public interface ElementDescriber {

    /**
     * Describes an element in a few escaped words, without its value, which may be secret. Null if the element belongs
     * to another library or has no description.
     */
    @Nullable
    String describe(Object element);
}
