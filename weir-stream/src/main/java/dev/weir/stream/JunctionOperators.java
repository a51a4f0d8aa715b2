package dev.weir.stream;

/** Operators with several inputs or outputs. Part of {@link Source}. */
abstract class JunctionOperators<T> extends ParallelOperators<T> {}
