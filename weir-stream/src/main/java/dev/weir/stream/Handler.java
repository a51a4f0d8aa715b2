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
     * @throws Exception to have the stage's {@link Supervision} decide: unless told otherwise, the pipeline fails and
     *     the element is not acknowledged
     */
    R handle(T element) throws Exception;
}
