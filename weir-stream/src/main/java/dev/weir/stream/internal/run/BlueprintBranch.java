package dev.weir.stream.internal.run;

/**
 * A part of a blueprint, from an open input to its last stage. It is the result of a user's function that takes a
 * source and returns one. Immutable.
 */
public record BlueprintBranch<T, R>(OpenInput<T> input, BlueprintNode<R> lowest) {}
