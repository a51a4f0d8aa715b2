package dev.weir.stream.internal.run;

/**
 * The part of a blueprint that a function from source to source built, between an open input and its last stage.
 * Immutable.
 */
public record BlueprintBranch<T, R>(OpenInput<T> input, BlueprintNode<R> lowest) {}
