package dev.weir.stream.spi;

import org.jspecify.annotations.Nullable;

/**
 * The place in a run at which an element was found. Immutable.
 *
 * @param stage the name of the stage that has it; several names with "or" between if it is in one of stages that cannot
 *     tell
 * @param value the element as it is there, the result if the stage is done with it; null if the stage cannot tell
 * @param atWork whether the stage's function has it, otherwise it waits
 */
public record Whereabouts(String stage, @Nullable Object value, boolean atWork) {}
