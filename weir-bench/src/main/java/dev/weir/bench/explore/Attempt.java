package dev.weir.bench.explore;

/**
 * A trial to be run. Immutable.
 *
 * @param rate planned records per second
 */
public record Attempt(Kind kind, double rate) {}
