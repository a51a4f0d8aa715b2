package dev.weir.stream.spi;

import org.jspecify.annotations.Nullable;

/**
 * Describes elements of one library for messages about failures, such as by their key. Found by {@link
 * java.util.ServiceLoader}. Thread-safe.
 */
@FunctionalInterface
public interface ElementDescriber {

    /**
     * A few words about an element, escaped and short, without its value: it may be secret. Null if the element is of
     * another library, or has nothing to say.
     */
    @Nullable
    String describe(Object element);
}
