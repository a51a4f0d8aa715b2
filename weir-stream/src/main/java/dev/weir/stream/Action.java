package dev.weir.stream;

/** A side effect on one element or resource. It returns nothing, may block, and may throw. */
@FunctionalInterface
public interface Action<T> {

    /**
     * Runs the action.
     *
     * @throws Exception to fail the pipeline
     */
    void accept(T target) throws Exception;
}
