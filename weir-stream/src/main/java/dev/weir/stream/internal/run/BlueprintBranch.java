package dev.weir.stream.internal.run;

/**
 * A part of a blueprint, from an open input to its last stage: the result of a user's function from a source to a
 * source. Immutable.
 */
public record BlueprintBranch<T, R>(OpenInput<T> input, BlueprintNode<R> lowest) {}
