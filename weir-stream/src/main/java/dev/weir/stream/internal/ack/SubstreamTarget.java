package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The acknowledgement target of elements inside a substream. It passes acknowledgements on to the original target. It
 * acknowledges forgone elements if the pipeline continues after the substream. Thread-safe.
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
        if (visitor instanceof Crossing crossing && crossing.border == border) {
            crossing.add(target, token);
        } else {
            target.roots(token, visitor);
        }
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
        if (target.isRevoked(token)) {
            // End the acknowledgement now: a rebalance waits for this element, and the stream may run for a long time.
            boolean ignored = target.dropIfRevoked(token);
            return;
        }
        if (border.leftovers != null) {
            border.leftovers.add(target, token);
        } else if (border.restGoesOn.getAsBoolean()) {
            target.ack(token);
        } else {
            target.abandon(token);
        }
    }

    /** Replaces the acknowledgement targets of elements that leave a stream with their targets outside the stream. */
    @FunctionalInterface
    public interface Exit {

        /** Returns the target that replaces {@code target}. Called once for each pending acknowledgement. */
        AckTarget outside(AckTarget target, long token);
    }

    /** Replaces the acknowledgement targets of a batch that leaves a stream. */
    public static void leave(Batch<?> batch, Exit exit) {
        for (int i = 0; i < batch.size(); i++) {
            AckTarget target = batch.target(i);
            if (!isPlain(target)) {
                batch.retarget(i, exit.outside(target, batch.token(i)));
            }
        }
        // The replacement of a plain target does not depend on the token, so one call replaces them all.
        batch.retarget(target -> isPlain(target) ? exit.outside(target, 0) : target);
    }

    private static boolean isPlain(AckTarget target) {
        return target instanceof SubstreamTarget || target == NONE;
    }

    /** Collects the targets that an element has outside the stream, and adds a pending acknowledgement to each. */
    public static final class Crossing implements RootVisitor {

        private final Wrapper border;
        private final JointAck outside = new JointAck(1);

        private Crossing(Wrapper border) {
            this.border = border;
        }

        private void add(AckTarget target, long token) {
            target.retain(token, 1);
            outside.add(target, token);
        }

        /** Does nothing: this element comes from a source inside the stream. */
        @Override
        public void root(AckTarget source, long token) {}
    }

    /** Wraps targets. Consecutive equal targets share a wrapper. Confined to one thread. */
    public static final class Wrapper implements UnaryOperator<AckTarget>, Exit {

        private final BooleanSupplier restGoesOn;
        private final @Nullable LeftoverAcknowledgements leftovers;
        private SubstreamTarget last;
        private @Nullable Left lastLeft;

        /**
         * A joint acknowledgement inside the stream and its replacement outside. Immutable; read by several threads.
         */
        private record Left(JointAck inside, JointAck outside) {}

        /**
         * Creates a wrapper without leftovers. {@code restGoesOn} returns whether the pipeline continues after the
         * stream.
         */
        public Wrapper(BooleanSupplier restGoesOn) {
            this(restGoesOn, null);
        }

        /**
         * Creates a wrapper for one stream. {@code leftovers} keeps the acknowledgements of the stream's closed stages.
         */
        public Wrapper(BooleanSupplier restGoesOn, @Nullable LeftoverAcknowledgements leftovers) {
            this.restGoesOn = restGoesOn;
            this.leftovers = leftovers;
            this.last = new SubstreamTarget(AckTarget.NONE, this);
        }

        /**
         * Returns the target that an element has outside the stream. A target that was created inside the stream is
         * kept and combined with the outer target.
         */
        @Override
        public AckTarget outside(AckTarget target, long token) {
            if (target instanceof SubstreamTarget within) {
                return within.border == this ? within.target : target;
            }
            if (target instanceof JointAck joint) {
                return outside(joint);
            }
            if (target == NONE) {
                return target;
            }
            Crossing crossing = new Crossing(this);
            target.roots(token, crossing);
            return crossing.outside.asTarget() == NONE ? target : new OutsideTarget(target, crossing.outside);
        }

        /**
         * Replaces a joint acknowledgement. Consecutive elements with the same joint acknowledgement share a
         * replacement.
         */
        private AckTarget outside(JointAck joint) {
            Left before = lastLeft;
            if (before != null && before.inside == joint && before.outside.tryRetain()) {
                joint.ack(0);
                return before.outside;
            }
            JointAck outside = joint.leave(this);
            if (outside != joint) {
                lastLeft = new Left(joint, outside);
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
