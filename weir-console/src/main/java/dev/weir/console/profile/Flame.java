package dev.weir.console.profile;

import java.util.List;

/**
 * A frame of a flame graph with its callees. Immutable.
 *
 * @param name a stage, {@code engine}, {@code client} or {@code other} at the outermost level, then methods
 * @param value samples, bytes or milliseconds, in this frame and its callees
 * @param inner callees, the largest first
 */
public record Flame(String name, long value, List<Flame> inner) {}
