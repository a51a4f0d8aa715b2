package dev.weir.stream;

/**
 * The key to one result of a running pipeline; see {@link RunningPipeline#result}. Only {@link ResultSink} instances
 * are keys. Compared by identity. Immutable.
 *
 * @param <R> the type of the result
 */
public interface ResultKey<R> {}
