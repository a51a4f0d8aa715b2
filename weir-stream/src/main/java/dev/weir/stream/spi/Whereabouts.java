package dev.weir.stream.spi;

import org.jspecify.annotations.Nullable;

/**
 * The location in a run at which an element was found. Immutable.
 *
 * @param stage the name of the stage that holds the element, or several names joined by "or" if it is not known which
 *     of these stages holds it
 * @param value the element in that stage, or its result if the stage has finished processing it; null if unknown
 * @param atWork whether the stage's function is processing the element; if not, the element is waiting
 */
public record Whereabouts(String stage, @Nullable Object value, boolean atWork) {}
