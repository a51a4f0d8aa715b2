package dev.weir.stream.internal.run;

/**
 * The part of a blueprint between an open input and a last stage. It was built by a user's function that receives and
 * returns a source. Immutable.
 */
public record BlueprintBranch<T, R>(OpenInput<T> input, BlueprintNode<R> lowest) {}
