package dev.weir.stream;

/**
 * An element and its index in the stream; see {@link Source#zipWithIndex}. Immutable.
 *
 * @param index 0 for the first
 */
public record Indexed<T>(long index, T element) {}
