package dev.weir.stream;

/** Something done to one element or resource that gives no result, may block and may fail. */
@FunctionalInterface
public interface Action<T> {

    /**
     * Does it.
     *
     * @throws Exception to fail the pipeline
     */
    void accept(T target) throws Exception;
}
