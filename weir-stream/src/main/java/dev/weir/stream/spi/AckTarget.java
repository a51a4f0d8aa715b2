package dev.weir.stream.spi;

/**
 * The target of acknowledgements: the owner of a set of tokens, one token per element that it emitted. Thread-safe: any
 * thread may call any method.
 *
 * <p>A token starts with one pending acknowledgement. The holder of an element owes its acknowledgements; each ends
 * with exactly one {@link #ack} or never (the element was not finished, so the source must deliver it again). {@link
 * #retain} adds pending acknowledgements when an element becomes several, <em>before</em> any of them can be
 * acknowledged.
 */
public interface AckTarget {

    /** The target of elements without acknowledgements; every call is a no-op. */
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
     * Ends one pending acknowledgement of an unwanted element, one beyond the end that a stage below has set. An
     * element of a source stays unfinished (the default does nothing); a source that waits at its end for unfinished
     * elements need not wait for it. An element of a substream counts as finished if the outer stream continues. The
     * token must not be used for it again.
     */
    default void forgo(long token) {}

    /**
     * Abandons one pending acknowledgement of {@code token}: its holder, such as a buffer, was closed before it handed
     * the element on and cannot tell whether the stream ended or failed. An element of a source stays unfinished and
     * need not be waited for, as with {@link #forgo}. An element of a substream is finished once that substream has
     * completed by itself while the outer stream continues. The token must not be used for it again.
     */
    default void abandon(long token) {}

    /**
     * Returns true, and ends one pending acknowledgement of the token, if the source no longer owns the element. The
     * element then stays unfinished and the caller drops it. Call this before expensive work; work that has begun
     * continues.
     */
    default boolean dropIfRevoked(long token) {
        return false;
    }

    /**
     * Returns whether the source has lost the element, in which case {@link #dropIfRevoked} returns true. Once true, it
     * stays true. Ends no acknowledgement; quick and lock-free.
     */
    default boolean isRevoked(long token) {
        return false;
    }

    /**
     * Returns whether the element with {@code token} was derived from the element with {@code ofToken} of {@code of},
     * or is that element. A target that combines others asks them. For code that searches for an element, not for code
     * that processes it.
     */
    default boolean standsFor(long token, AckTarget of, long ofToken) {
        return this == of && token == ofToken;
    }

    /**
     * The origin of the element with {@code token}, for messages: {@code topic-partition@offset} of a Kafka record.
     * Empty if its source has no such places. The caller must hold a pending acknowledgement of the token.
     */
    default String placeOf(long token) {
        return "";
    }

    /** Visits the source elements that an element was derived from; see {@link AckTarget#roots}. */
    @FunctionalInterface
    interface RootVisitor {

        /** Visits the element with {@code token} of a source's own target. */
        void root(AckTarget source, long token);
    }

    /**
     * Passes to {@code visitor} the source elements that the element with {@code token} was derived from: itself, or
     * the elements that it combines. The caller must hold a pending acknowledgement of the token. A target that
     * combines others must override this.
     */
    default void roots(long token, RootVisitor visitor) {
        visitor.root(this, token);
    }

    /**
     * Adds pending acknowledgements to a token. The caller must hold at least one.
     *
     * @param count number of acknowledgements to add, at least 1
     */
    void retain(long token, int count);
}
