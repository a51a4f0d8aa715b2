package dev.weir.stream;

/** Operators that run streams within the stream. Part of {@link Source}. */
abstract class SubstreamOperators<T> extends JunctionOperators<T> {}
