package dev.weir.console.profile;

import java.util.List;

/**
 * A frame of a flame graph with all that was seen in it. Immutable.
 *
 * @param name a stage, {@code engine}, {@code client} or {@code other} at the outside, then methods
 * @param value samples, bytes or milliseconds, in this frame and within
 * @param inner what it called, the largest first
 */
public record Flame(String name, long value, List<Flame> inner) {}
