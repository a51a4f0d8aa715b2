package dev.weir.stream.spi;

import org.jspecify.annotations.Nullable;

/**
 * The stage in which an element was found. Immutable.
 *
 * @param stage the name of the stage that holds the element, or several names joined by "or" if any of these stages may
 *     hold it
 * @param value the element in that stage, or its result if the stage has finished processing it; null if unknown
 * @param atWork true if the stage's function is processing the element; false if the element is waiting
 */
public record Whereabouts(String stage, @Nullable Object value, boolean atWork) {}
