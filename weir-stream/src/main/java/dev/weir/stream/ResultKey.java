package dev.weir.stream;

/**
 * The key to one result of a running pipeline, which {@link RunningPipeline#result} takes. Only a {@link ResultSink} is
 * a usable key: it identifies its own result. Compared by identity. Immutable.
 *
 * @param <R> the result
 */
public interface ResultKey<R> {}
