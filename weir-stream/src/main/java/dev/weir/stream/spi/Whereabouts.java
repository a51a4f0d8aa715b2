package dev.weir.stream.spi;

import org.jspecify.annotations.Nullable;

/**
 * The place in a run at which an element was found. Immutable.
 *
 * @param stage the name of the stage that has the element, or several names joined by "or" if those stages cannot tell
 *     which has it
 * @param value the element in that stage, or its result if the stage is done with it; null if unknown
 * @param atWork whether the stage's function is working on it; otherwise it waits
 */
public record Whereabouts(String stage, @Nullable Object value, boolean atWork) {}
