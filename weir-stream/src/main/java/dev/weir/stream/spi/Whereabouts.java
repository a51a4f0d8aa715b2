package dev.weir.stream.spi;

import org.jspecify.annotations.Nullable;

/**
 * The stage in which an element was found. Immutable.
 *
 * @param stage name of the stage that holds the element, or several possible names joined by "or"
 * @param value the element in that stage, or its result if the stage is done with it; null if unknown
 * @param atWork true if the stage's function is processing the element; false if the element is waiting
 */
public record Whereabouts(String stage, @Nullable Object value, boolean atWork) {}
