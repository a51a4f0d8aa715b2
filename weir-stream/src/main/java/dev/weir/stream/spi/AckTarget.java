package dev.weir.stream.spi;

/**
 * The target of acknowledgements: the owner of a set of tokens, one token per element that it emitted. Thread-safe: any
 * thread may call any method.
 *
 * <p>A token starts with one claim. The holder of an element holds its claims; each claim ends in exactly one {@link
 * #ack} or in silence (the element was not finished: the source must deliver it again). {@link #retain} adds claims
 * when one element becomes several, <em>before</em> any of them can be acknowledged.
 */
public interface AckTarget {

    /** The target of elements that nobody waits for; every call is a no-op. */
    AckTarget NONE = new AckTarget() {
        @Override
        public void ack(long token) {}

        @Override
        public void retain(long token, int claims) {}

        @Override
        public void roots(long token, RootVisitor visitor) {}

        @Override
        public String toString() {
            return "AckTarget.NONE";
        }
    };

    /** Ends one claim on {@code token}. The element is finished when its last claim has ended. */
    void ack(long token);

    /**
     * Ends one claim on the token of an element that nobody wants: it lies beyond the end that a stage below has set.
     * The element of a source stays unfinished, for which the default does nothing; a source that waits at its end for
     * unfinished elements need not wait for this claim. That of a stream within a stream, the rest of which goes on,
     * counts as finished. The token must not be used for that claim again.
     */
    default void forgo(long token) {}

    /**
     * Says that the holder of a claim on {@code token} was closed before it handed the element on, so that nobody will
     * end that claim: a buffer below which the stream ended, or failed, which the holder cannot tell. The element of a
     * source stays unfinished and need not be waited for, as with {@link #forgo}; that of a stream within the stream is
     * finished once that stream has ended by itself and the rest goes on. The token must not be used for that claim
     * again.
     */
    default void abandon(long token) {}

    /**
     * Asked before work on an element begins that is worth sparing: whether the source has lost the element, so that
     * somebody else will do that work. If so, this has ended one claim on the token, the element stays unfinished, and
     * the caller drops it. Work that has begun goes on.
     */
    default boolean dropIfRevoked(long token) {
        return false;
    }

    /**
     * Returns whether the source has lost the element, so that {@link #dropIfRevoked} would be true: from then on it
     * stays so. Ends no claim; quick, and takes no lock.
     */
    default boolean isRevoked(long token) {
        return false;
    }

    /**
     * Returns whether the element with {@code token} is one of those that came of the element with {@code ofToken} of
     * {@code of}, or that one itself: a target that stands for others asks them. For code that looks for an element,
     * not for code that works on it.
     */
    default boolean standsFor(long token, AckTarget of, long ofToken) {
        return this == of && token == ofToken;
    }

    /**
     * The origin of the element with {@code token}, for messages: {@code topic-partition@offset} of a Kafka record.
     * Empty if its source has no such places. Only for a token of which the caller holds a claim.
     */
    default String placeOf(long token) {
        return "";
    }

    /** Takes the elements of sources that an element came of; see {@link AckTarget#roots}. */
    @FunctionalInterface
    interface RootVisitor {

        /** The element with {@code token} of a source's own target. */
        void root(AckTarget source, long token);
    }

    /**
     * Tells of which elements of sources the element with {@code token} came: itself, or those that it stands for. Only
     * for a token of which the caller holds a claim. A target that stands for others must override this.
     */
    default void roots(long token, RootVisitor visitor) {
        visitor.root(this, token);
    }

    /**
     * Adds claims to a token of which the caller holds at least one.
     *
     * @param claims how many to add, at least 1
     */
    void retain(long token, int claims);
}
