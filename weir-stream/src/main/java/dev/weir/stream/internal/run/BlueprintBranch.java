package dev.weir.stream.internal.run;

/**
 * The part of a blueprint that a function from source to source has built: everything from an open input to the last
 * stage. Immutable.
 */
public record BlueprintBranch<T, R>(OpenInput<T> input, BlueprintNode<R> lowest) {}
