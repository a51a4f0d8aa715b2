package dev.weir.stream.internal.substream;

import dev.weir.stream.internal.ack.JointAck;
import dev.weir.stream.internal.run.NestedStreams;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.FailedElement;
import org.jspecify.annotations.Nullable;

/**
 * The acknowledgement of a substream's parent element. Each element that the substream emits holds an additional
 * pending acknowledgement of the parent. The original one ends when the substream ends. Immutable.
 *
 * @param elements number of parent elements that share the acknowledgement, usually 1
 * @param element the parent element; null if there are several
 */
record ParentAcknowledgement(
        AckTarget target,
        long token,
        int elements,
        @Nullable Object element) {

    static final ParentAcknowledgement NONE = new ParentAcknowledgement(AckTarget.NONE, 0, 0, null);

    static ParentAcknowledgement of(Batch<?> parents, int index) {
        return new ParentAcknowledgement(parents.target(index), parents.token(index), 1, parents.get(index));
    }

    /** Adds a pending acknowledgement of the parent to each of the elements. */
    <R> Batch<R> over(Batch<R> children) {
        int size = children.size();
        if (target == AckTarget.NONE || size == 0) {
            return children;
        }
        target.retain(token, size);
        Batch<R> retained = new Batch<>(size);
        for (int i = 0; i < size; i++) {
            JointAck.addPair(retained, children.get(i), children.target(i), children.token(i), target, token);
        }
        return retained;
    }

    /**
     * Ends {@code count} acknowledgements that {@link #over} has added. Called if a replaced stream could not emit the
     * elements.
     */
    void giveBack(int count) {
        for (int i = 0; i < count; i++) {
            target.ack(token);
        }
    }

    /** Adds a note about the parent to the failure of its stream. Called before {@link #left}. */
    void note(Throwable failure, String stage) {
        FailedElement.note(failure, stage, target, token, element);
    }

    /** Called if the stream has failed or was closed. */
    void left() {
        target.abandon(token);
    }

    void replaced() {
        target.ack(token);
    }

    /** Called when the stream has ended and is closed. Abandons the parent of an incomplete stream. */
    void ended(NestedStreams.Child<?> stream) {
        if (stream.isWhole()) {
            target.ack(token);
        } else if (target != AckTarget.NONE) {
            stream.leaves(elements);
            target.abandon(token);
        }
    }
}
