package dev.weir.stream;

/** What happens when something fails or takes too long. Part of {@link Source}. */
abstract class FailureOperators<T> extends SubstreamOperators<T> {}
