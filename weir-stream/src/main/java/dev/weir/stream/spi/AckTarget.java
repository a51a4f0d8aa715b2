package dev.weir.stream.spi;

/**
 * The target of acknowledgements. It owns a set of tokens, one for each element that it emitted. Thread-safe: any
 * thread may call any method.
 *
 * <p>A token starts with one pending acknowledgement. The holder of an element holds its pending acknowledgements, and
 * must end each of them exactly once, normally with {@link #ack}. If one of them does not end with {@code ack}, the
 * element is not finished, and the source must deliver it again. {@link #retain} adds pending acknowledgements when one
 * element becomes several, <em>before</em> any of them can be acknowledged.
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

    /** Ends one pending acknowledgement of {@code token}. The element is finished when the last one has ended. */
    void ack(long token);

    /**
     * Ends one pending acknowledgement of an element that is not needed, because a downstream stage ended the stream
     * before this element. An element of a source stays unacknowledged (the default does nothing). A source that waits
     * for unfinished elements when it ends does not need to wait for this acknowledgement. An element of a substream
     * counts as finished if the outer stream continues. The token must not be used for this pending acknowledgement
     * again.
     */
    default void forgo(long token) {}

    /**
     * Abandons one pending acknowledgement of {@code token}. Called if the holder, such as a buffer, was closed before
     * it handed the element on, and cannot know whether the stream completed or failed. An element of a source stays
     * unacknowledged, and the source does not need to wait for it, as with {@link #forgo}. An element of a substream
     * counts as finished once the substream has completed normally, provided that the outer stream continues. The token
     * must not be used for this pending acknowledgement again.
     */
    default void abandon(long token) {}

    /**
     * Returns true, and ends one pending acknowledgement of the token, if the source no longer owns the element. The
     * element then stays unacknowledged and the caller must drop it. Call this method before expensive work; work that
     * has already started continues.
     */
    default boolean dropIfRevoked(long token) {
        return false;
    }

    /**
     * Returns whether the source no longer owns the element, in which case {@link #dropIfRevoked} returns true. Once
     * this method has returned true for a token, it keeps returning true. It ends no pending acknowledgement. It must
     * be fast and lock-free.
     */
    default boolean isRevoked(long token) {
        return false;
    }

    /**
     * Returns whether the element with {@code token} is the element that has the token {@code ofToken} in the target
     * {@code of}, or was derived from that element. A target that combines other targets calls this method on each of
     * them. Intended for code that searches for an element, not for code that processes it.
     */
    default boolean standsFor(long token, AckTarget of, long ofToken) {
        return this == of && token == ofToken;
    }

    /**
     * The origin of the element with {@code token}, for messages: {@code topic-partition@offset} for a Kafka record.
     * Empty if the element's source has no such positions. The caller must hold a pending acknowledgement of the token.
     */
    default String placeOf(long token) {
        return "";
    }

    /** Visits the source elements from which an element was derived. See {@link AckTarget#roots}. */
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
     * this is the element itself. A target that combines other targets must override this method and visit the elements
     * that were combined. The caller must hold a pending acknowledgement of the token.
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
