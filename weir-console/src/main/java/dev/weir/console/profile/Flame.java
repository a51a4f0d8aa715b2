package dev.weir.console.profile;

import java.util.List;

/**
 * A frame of a flame graph, with its callees. Immutable.
 *
 * @param name at the outermost level a stage, {@code engine}, {@code client} or {@code other}; at the inner levels a
 *     method
 * @param value the number of samples, bytes or milliseconds in this frame and its callees
 * @param inner the callees, largest first
 */
public record Flame(String name, long value, List<Flame> inner) {}
