package dev.weir.stream.spi;

/**
 * A custom operator that receives one element at a time and emits any number of elements for each.
 *
 * <pre>{@code
 * final class Differences implements ElementOperator<Long, Long> {
 *     private long last;
 *
 *     @Override
 *     public void onElement(Long value, Emitter<? super Long> below) {
 *         below.emit(value - last);
 *         last = value;
 *     }
 * }
 *
 * Source.of(3L, 5L, 9L).operator("differences", Differences::new) // 3, 2, 4
 * }</pre>
 *
 * <p>Each run has its own operator object. The object is called by one thread at a time, with memory visibility as if
 * it were always the same thread. It must not block; use {@link dev.weir.stream.Source#mapBlocking} for blocking work.
 * To hold elements back together with their acknowledgements, use {@link dev.weir.stream.Source#stage}.
 *
 * @param <T> the type of the incoming elements
 * @param <R> the type of the outgoing elements
 */
@FunctionalInterface
public interface ElementOperator<T, R> {

    /**
     * Processes an element. The element is acknowledged when all elements emitted during this call are, or immediately
     * if there are none.
     *
     * @throws Exception if the element cannot be processed; the stage's {@link dev.weir.stream.Supervision} decides
     *     what happens. By default the pipeline fails, elements emitted during this call are dropped, and the element
     *     is not acknowledged. A restart creates a new operator object
     */
    void onElement(T element, Emitter<? super R> below) throws Exception;

    /**
     * Called after the last element, unless the stream failed or was cancelled. Elements emitted here carry no
     * acknowledgement.
     */
    default void onEnd(Emitter<? super R> below) throws Exception {}

    /**
     * Releases the operator's resources. Called once, at any end of the stream or before a restart creates a new
     * object.
     */
    default void close() {}

    /**
     * Receives the elements that an operator emits during a call. They are all stored, so their number must be limited.
     */
    @FunctionalInterface
    interface Emitter<R> {

        /** Emits an element, which must not be null. */
        void emit(R element);
    }
}
