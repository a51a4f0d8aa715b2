package dev.weir.stream.spi;

/**
 * An operator of one's own, in a few lines: it is given one element after the other and emits as many for each as it
 * likes.
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
 * <p>Each run has an object of its own, which one thread at a time calls, with the memory effects of one thread. It
 * must not block; for that there is {@link dev.weir.stream.Source#mapBlocking}. Elements that are to be kept back,
 * their acknowledgements with them, need {@link dev.weir.stream.Source#stage}.
 *
 * @param <T> the type of the elements that come in
 * @param <R> the type of the elements that go out
 */
@FunctionalInterface
public interface ElementOperator<T, R> {

    /**
     * Works on an element. It is acknowledged when all elements emitted in this call are, or at once if there are none.
     *
     * @throws Exception to have the stage's {@link dev.weir.stream.Supervision} decide: unless told otherwise the
     *     pipeline fails, nothing that this call has emitted goes on, and the element is not acknowledged. A restart
     *     makes a new object
     */
    void onElement(T element, Emitter<? super R> below) throws Exception;

    /** Works after the last element, unless the stream has failed or was cancelled. Nobody waits for what it emits. */
    default void onEnd(Emitter<? super R> below) throws Exception {}

    /**
     * Gives up what the object holds. Called once, however the stream ended, and before a restart makes a new object.
     */
    default void close() {}

    /** Takes elements from an operator, within its call. Holds all that one call emits, so that must have an end. */
    @FunctionalInterface
    interface Emitter<R> {

        /** Emits an element, which is not null. */
        void emit(R element);
    }
}
