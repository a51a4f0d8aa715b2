package dev.weir.stream.internal.run;

/**
 * The part of a blueprint, between an open input and its last stage, that a function from source to source built.
 * Immutable.
 */
public record BlueprintBranch<T, R>(OpenInput<T> input, BlueprintNode<R> lowest) {}
