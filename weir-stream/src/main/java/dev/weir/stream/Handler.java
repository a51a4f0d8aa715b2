package dev.weir.stream;

/**
 * A function of one element that may block and may throw. Many threads may call it at once, unless the stage's
 * documentation says otherwise.
 */
@FunctionalInterface
public interface Handler<T, R> {

    /**
     * Processes the element.
     *
     * @return the result, never null
     * @throws Exception if the element cannot be processed. The stage's {@link Supervision} decides what happens; by
     *     default the pipeline fails and the element is not acknowledged
     */
    R handle(T element) throws Exception;
}
