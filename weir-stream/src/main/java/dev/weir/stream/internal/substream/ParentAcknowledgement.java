package dev.weir.stream.internal.substream;

import dev.weir.stream.internal.ack.JointAck;
import dev.weir.stream.internal.run.NestedStreams;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;

/**
 * The claim of the element that a stream was made of. Each element of that stream holds a further one, beside what it
 * carries itself; the parent's own ends when the stream does. Immutable.
 *
 * @param elements how many elements that is: several if they have one claim together
 */
record ParentAcknowledgement(AckTarget target, long token, int elements) {

    static final ParentAcknowledgement NONE = new ParentAcknowledgement(AckTarget.NONE, 0, 0);

    /** The element at {@code index}. */
    static ParentAcknowledgement of(Batch<?> parents, int index) {
        return new ParentAcknowledgement(parents.target(index), parents.token(index), 1);
    }

    /** The elements with a claim of the parent each. */
    <R> Batch<R> over(Batch<R> children) {
        int size = children.size();
        if (target == AckTarget.NONE || size == 0) {
            return children;
        }
        target.retain(token, size);
        Batch<R> claimed = new Batch<>(size);
        for (int i = 0; i < size; i++) {
            JointAck.addPair(claimed, children.get(i), children.target(i), children.token(i), target, token);
        }
        return claimed;
    }

    /** Gives back what {@link #over} claimed for elements that nobody will see. */
    void giveBack(int claims) {
        for (int i = 0; i < claims; i++) {
            target.ack(token);
        }
    }

    /** The stream was ended. */
    void left() {
        target.abandon(token);
    }

    /** The stream was replaced by another. */
    void replaced() {
        target.ack(token);
    }

    /** The stream has ended and is closed. Unless it is whole its parent is to come again, if somebody waits for it. */
    void ended(NestedStreams.Child<?> stream) {
        if (stream.isWhole()) {
            target.ack(token);
        } else if (target != AckTarget.NONE) {
            stream.leaves(elements);
        }
    }
}
