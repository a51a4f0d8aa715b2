package dev.weir.stream;

/**
 * An element and how many came before it; see {@link Source#zipWithIndex}. Immutable.
 *
 * @param index 0 for the first
 */
public record Indexed<T>(long index, T element) {}
