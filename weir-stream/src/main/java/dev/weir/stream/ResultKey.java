package dev.weir.stream;

/**
 * The key to one result of a running pipeline, for {@link RunningPipeline#result}. Only a {@link ResultSink} is a
 * usable key: it identifies its own result. Compared by identity. Immutable.
 *
 * @param <R> the type of the result
 */
public interface ResultKey<R> {}
