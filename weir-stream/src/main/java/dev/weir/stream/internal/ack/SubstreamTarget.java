package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The target of elements that went into a stream within the stream. An element that such a stream does not want,
 * because it ends before the rest, is finished. Claims that its stages held when they were closed go to the
 * {@link LeftoverAcknowledgements} of that stream, if there are any. Thread-safe.
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
    public void retain(long token, int claims) {
        target.retain(token, claims);
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
        }
    }

    /** Lets the elements of a batch leave a stream. {@code outside} gives their targets out there. */
    public static void leave(Batch<?> batch, UnaryOperator<AckTarget> outside) {
        if (batch.isEmpty()) {
            return; // it may still have the target of elements that are finished
        }
        if (batch.target(0) instanceof JointAck) {
            batch.retargetEach(outside);
        } else {
            batch.retarget(outside);
        }
    }

    /** Wraps targets; a row of equal ones shares a wrapper. Confined to one thread. */
    public static final class Wrapper implements UnaryOperator<AckTarget> {

        private final BooleanSupplier restGoesOn;
        private final @Nullable LeftoverAcknowledgements leftovers;
        private SubstreamTarget last;
        private @Nullable Left lastLeft;

        /**
         * A joint claim, and the one that elements carry which left with a part of it. Immutable: several threads look.
         */
        private record Left(JointAck inside, JointAck outside) {}

        /** Wraps for streams with which the rest does or does not end. */
        public Wrapper(BooleanSupplier restGoesOn) {
            this(restGoesOn, null);
        }

        /** Wraps for one stream, with a place for the claims that its stages leave. */
        public Wrapper(BooleanSupplier restGoesOn, @Nullable LeftoverAcknowledgements leftovers) {
            this.restGoesOn = restGoesOn;
            this.leftovers = leftovers;
            this.last = new SubstreamTarget(AckTarget.NONE, this);
        }

        /**
         * The target of an element that leaves the stream: what becomes of it out there is no business of this border
         * any more. To be asked once for each claim; see {@link #leave}.
         */
        public AckTarget outside(AckTarget target) {
            if (target instanceof SubstreamTarget within && within.border == this) {
                return within.target;
            }
            return target instanceof JointAck joint ? outside(joint) : target;
        }

        /** Elements that leave one after the other share one claim: one each for all members would be many. */
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
