package dev.weir.stream;

/** An operation on one element or resource, without a result. It may block and may throw. */
@FunctionalInterface
public interface Action<T> {

    /**
     * Runs the action.
     *
     * @throws Exception to fail the pipeline
     */
    void accept(T target) throws Exception;
}
