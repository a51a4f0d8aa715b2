package dev.weir.stream.spi;

/**
 * The target of acknowledgements. It owns a set of tokens, one for each element that it emitted. Thread-safe: any
 * thread may call any method.
 *
 * <p>A token starts with one pending acknowledgement. The holder of an element holds its pending acknowledgements, and
 * ends each of them at most once, normally with {@link #ack}. If one never ends, the source must deliver the element
 * again. {@link #forgo}, {@link #abandon} and {@link #dropIfRevoked} end a pending acknowledgement without processing
 * the element. {@link #retain} adds pending acknowledgements when one element becomes several, <em>before</em> any of
 * them can be acknowledged.
 */
public interface AckTarget {

    /** The target of elements without acknowledgements. Every call is a no-op. */
    AckTarget NONE = new AckTarget() {
        @Override
        public void ack(long token) {}

        @Override
        public void retain(long token, int count) {}

        @Override
        public void roots(long token, RootVisitor visitor) {}

        @Override
        public String toString() {
            return "AckTarget.NONE";
        }
    };

    /**
     * Ends one pending acknowledgement of {@code token}. The element is finished when its last pending acknowledgement
     * has ended.
     */
    void ack(long token);

    /**
     * Ends one pending acknowledgement of an element that is not needed, because a downstream stage ended the stream.
     * The caller must not end the same pending acknowledgement again.
     *
     * <p>An element of a source stays unacknowledged, but the source does not wait for it; the default implementation
     * does nothing. An element of a substream counts as finished if the outer stream continues.
     */
    default void forgo(long token) {}

    /**
     * Ends one pending acknowledgement of an element whose holder, such as a buffer, was closed before it passed the
     * element on. The holder does not know whether the stream completed or failed. The caller must not end the same
     * pending acknowledgement again.
     *
     * <p>An element of a source stays unacknowledged, but the source does not wait for it, as with {@link #forgo}. An
     * element of a substream counts as finished once the substream has completed normally, if the outer stream
     * continues.
     */
    default void abandon(long token) {}

    /**
     * Returns true, and ends one pending acknowledgement, if the source no longer owns the element. The element stays
     * unacknowledged, and the caller must drop it. Call this method before expensive work.
     */
    default boolean dropIfRevoked(long token) {
        return false;
    }

    /**
     * Returns whether the source no longer owns the element. Once true for a token, it stays true. Ends no pending
     * acknowledgement. Must be fast and lock-free.
     */
    default boolean isRevoked(long token) {
        return false;
    }

    /**
     * Returns whether the element with {@code token} is, or was derived from, the element with {@code ofToken} of
     * target {@code of}. A target that combines other targets calls this method on each of them. For searches, not for
     * processing.
     */
    default boolean standsFor(long token, AckTarget of, long ofToken) {
        return this == of && token == ofToken;
    }

    /**
     * The origin of the element, for messages: {@code topic-partition@offset} for a Kafka record. Empty if its source
     * has no such positions. The caller must hold a pending acknowledgement of the token.
     */
    default String placeOf(long token) {
        return "";
    }

    /** Visits the source elements of an element. See {@link AckTarget#roots}. */
    @FunctionalInterface
    interface RootVisitor {

        /**
         * Visits one source element.
         *
         * @param source the acknowledgement target of the element's source
         * @param token the element's token in {@code source}
         */
        void root(AckTarget source, long token);
    }

    /**
     * Calls {@code visitor} for each source element from which the element with {@code token} was derived. By default,
     * this is the element itself. A target that wraps or combines other targets must override this method and call it
     * on each of them. The caller must hold a pending acknowledgement of the token.
     */
    default void roots(long token, RootVisitor visitor) {
        visitor.root(this, token);
    }

    /**
     * Adds pending acknowledgements to a token. The caller must already hold at least one.
     *
     * @param count number of pending acknowledgements to add, at least 1
     */
    void retain(long token, int count);
}
