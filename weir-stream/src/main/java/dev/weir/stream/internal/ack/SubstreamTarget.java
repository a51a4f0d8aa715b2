package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The acknowledgement target of elements inside a substream. It passes acknowledgements on to the element's original
 * target. If the substream forgoes an element because it ended early, and the rest of the pipeline continues, the
 * element is acknowledged. If the stages of the substream abandon an element when they are closed, its pending
 * acknowledgement is kept in {@link LeftoverAcknowledgements}. If the substream does not use them, an abandoned element
 * is treated like a forgone one. Thread-safe.
 */
public final class SubstreamTarget implements AckTarget {

    private final AckTarget target;
    private final Wrapper border;

    private SubstreamTarget(AckTarget target, Wrapper border) {
        this.target = target;
        this.border = border;
    }

    @Override
    public void ack(long token) {
        target.ack(token);
    }

    @Override
    public void retain(long token, int count) {
        target.retain(token, count);
    }

    @Override
    public boolean dropIfRevoked(long token) {
        return target.dropIfRevoked(token);
    }

    @Override
    public boolean isRevoked(long token) {
        return target.isRevoked(token);
    }

    @Override
    public boolean standsFor(long token, AckTarget of, long ofToken) {
        return target.standsFor(token, of, ofToken);
    }

    @Override
    public void roots(long token, RootVisitor visitor) {
        target.roots(token, visitor);
    }

    @Override
    public String placeOf(long token) {
        return target.placeOf(token);
    }

    @Override
    public void forgo(long token) {
        if (border.leftovers != null && border.leftovers.isDue()) {
            border.leftovers.add(target, token);
        } else if (border.restGoesOn.getAsBoolean()) {
            target.ack(token);
        } else {
            target.forgo(token);
        }
    }

    @Override
    public void abandon(long token) {
        if (border.leftovers != null) {
            border.leftovers.add(target, token);
        } else if (border.restGoesOn.getAsBoolean()) {
            target.ack(token);
        } else {
            target.abandon(token);
        }
    }

    /**
     * Replaces the acknowledgement targets of a batch that leaves a stream. {@code outside} maps the targets to their
     * equivalents outside the stream.
     */
    public static void leave(Batch<?> batch, UnaryOperator<AckTarget> outside) {
        if (batch.isEmpty()) {
            return; // the first slot of an empty batch may hold a finished element's target
        }
        if (batch.target(0) instanceof JointAck) {
            batch.retargetEach(outside);
        } else {
            batch.retarget(outside);
        }
    }

    /** Wraps targets. Consecutive equal targets share a wrapper. Confined to one thread. */
    public static final class Wrapper implements UnaryOperator<AckTarget> {

        private final BooleanSupplier restGoesOn;
        private final @Nullable LeftoverAcknowledgements leftovers;
        private SubstreamTarget last;
        private @Nullable Left lastLeft;

        /**
         * A joint acknowledgement inside the stream, and the joint acknowledgement that replaces it for elements that
         * have left the stream. Immutable, because several threads read it.
         */
        private record Left(JointAck inside, JointAck outside) {}

        /** Creates a wrapper for streams that may end while the rest of the pipeline continues. */
        public Wrapper(BooleanSupplier restGoesOn) {
            this(restGoesOn, null);
        }

        /**
         * Creates a wrapper for one stream. {@code leftovers} keeps the pending acknowledgements that the stream's
         * stages hold when they are closed.
         */
        public Wrapper(BooleanSupplier restGoesOn, @Nullable LeftoverAcknowledgements leftovers) {
            this.restGoesOn = restGoesOn;
            this.leftovers = leftovers;
            this.last = new SubstreamTarget(AckTarget.NONE, this);
        }

        /**
         * Removes this wrapper from the target of an element that leaves the stream. Must be called once for each
         * pending acknowledgement. See {@link #leave}.
         */
        public AckTarget outside(AckTarget target) {
            if (target instanceof SubstreamTarget within && within.border == this) {
                return within.target;
            }
            return target instanceof JointAck joint ? outside(joint) : target;
        }

        /**
         * Replaces a joint acknowledgement. Consecutive elements with the same joint acknowledgement get the same
         * replacement; otherwise, every element would add a pending acknowledgement to every member.
         */
        private AckTarget outside(JointAck joint) {
            Left before = lastLeft;
            if (before != null && before.inside == joint && before.outside.tryRetain()) {
                joint.ack(0);
                return before.outside;
            }
            AckTarget outside = joint.leave(this::outside);
            if (outside != joint && outside instanceof JointAck shared) {
                lastLeft = new Left(joint, shared);
            }
            return outside;
        }

        @Override
        public AckTarget apply(AckTarget target) {
            if (target == AckTarget.NONE) {
                return target;
            }
            if (target != last.target) {
                last = new SubstreamTarget(target, this);
            }
            return last;
        }
    }
}
