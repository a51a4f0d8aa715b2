package dev.weir.stream;

/**
 * An element and its index in the stream. See {@link Source#zipWithIndex}. Immutable.
 *
 * @param index 0 for the first element
 */
public record Indexed<T>(long index, T element) {}
