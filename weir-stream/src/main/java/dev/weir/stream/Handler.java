package dev.weir.stream;

/**
 * Work on one element that may block and may fail. Called from many threads at once unless the stage says otherwise.
 */
@FunctionalInterface
public interface Handler<T, R> {

    /**
     * Does the work.
     *
     * @return the result, never null
     * @throws Exception to fail the pipeline; the element is then not acknowledged
     */
    R handle(T element) throws Exception;
}
