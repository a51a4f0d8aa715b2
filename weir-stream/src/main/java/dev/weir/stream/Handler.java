package dev.weir.stream;

/**
 * A function of one element that may block and may throw. Called from many threads at once unless the stage says
 * otherwise.
 */
@FunctionalInterface
public interface Handler<T, R> {

    /**
     * Handles the element.
     *
     * @return the result, never null
     * @throws Exception if the element cannot be handled; the stage's {@link Supervision} decides. By default the
     *     pipeline fails and the element is not acknowledged
     */
    R handle(T element) throws Exception;
}
