package dev.weir.bench.explore;

/**
 * A planned trial. Immutable.
 *
 * @param rate planned records per second
 */
public record Attempt(Kind kind, double rate) {}
