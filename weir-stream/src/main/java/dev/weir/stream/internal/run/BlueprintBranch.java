package dev.weir.stream.internal.run;

/**
 * A part of a blueprint between its own upper end and its last stage: what a function from source to source made.
 * Immutable.
 */
public record BlueprintBranch<T, R>(OpenInput<T> input, BlueprintNode<R> lowest) {}
