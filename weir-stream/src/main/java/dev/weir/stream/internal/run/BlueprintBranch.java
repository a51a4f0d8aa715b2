package dev.weir.stream.internal.run;

/** A part of a blueprint, from an open input to its last stage. Immutable. */
public record BlueprintBranch<T, R>(OpenInput<T> input, BlueprintNode<R> lowest) {}
