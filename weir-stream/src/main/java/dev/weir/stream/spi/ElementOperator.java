package dev.weir.stream.spi;

/**
 * A custom operator: it receives one element at a time and emits any number of elements for each.
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
 * <p>Each run has its own object. One thread at a time calls it, with visibility as if by a single thread. It must not
 * block; use {@link dev.weir.stream.Source#mapBlocking} for that. To hold elements back together with their
 * acknowledgements, use {@link dev.weir.stream.Source#stage}.
 *
 * @param <T> the type of the elements that come in
 * @param <R> the type of the elements that go out
 */
@FunctionalInterface
public interface ElementOperator<T, R> {

    /**
     * Processes an element. The element is acknowledged when all elements emitted in this call are, or at once if there
     * are none.
     *
     * @throws Exception if the element cannot be processed; the stage's {@link dev.weir.stream.Supervision} decides. By
     *     default the pipeline fails, elements emitted in this call are dropped, and the element is not acknowledged. A
     *     restart creates a new object
     */
    void onElement(T element, Emitter<? super R> below) throws Exception;

    /**
     * Called after the last element, unless the stream has failed or was cancelled. Elements emitted here carry no
     * acknowledgement.
     */
    default void onEnd(Emitter<? super R> below) throws Exception {}

    /**
     * Releases the object's resources. Called once when the stream ends in any way, and before a restart creates a new
     * object.
     */
    default void close() {}

    /**
     * Receives the elements of an operator during a call. It stores all elements of one call, so their number must be
     * limited.
     */
    @FunctionalInterface
    interface Emitter<R> {

        /** Emits an element, never null. */
        void emit(R element);
    }
}
