package dev.weir.stream;

/**
 * The key to one result of a running pipeline, which {@link RunningPipeline#result} takes. A {@link ResultSink} is the
 * key to what it makes of the elements; a key of any other kind opens nothing. Compared by identity. Immutable.
 *
 * @param <R> the result
 */
public interface ResultKey<R> {}
