package dev.weir.stream.internal.boundary;

import dev.weir.stream.spi.AckTarget;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/**
 * The target of elements that went into a stream within the stream: what such a stream does not want, because it ends
 * before the rest, is finished. Thread-safe.
 */
public final class Within implements AckTarget {

    private final AckTarget target;
    private final BooleanSupplier restGoesOn;

    private Within(AckTarget target, BooleanSupplier restGoesOn) {
        this.target = target;
        this.restGoesOn = restGoesOn;
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
    public boolean standsFor(long token, AckTarget of, long ofToken) {
        return target.standsFor(token, of, ofToken);
    }

    @Override
    public void forgo(long token) {
        if (restGoesOn.getAsBoolean()) {
            target.ack(token);
        } else {
            target.forgo(token);
        }
    }

    /** Wraps targets, the same one only once as long as no other comes between. Confined to one thread. */
    public static final class Wrapper implements UnaryOperator<AckTarget> {

        private final BooleanSupplier restGoesOn;
        private Within last;

        /** Wraps for a stream with which the rest does or does not end. */
        public Wrapper(BooleanSupplier restGoesOn) {
            this.restGoesOn = restGoesOn;
            this.last = new Within(AckTarget.NONE, restGoesOn);
        }

        @Override
        public AckTarget apply(AckTarget target) {
            if (target == AckTarget.NONE) {
                return target;
            }
            if (target != last.target) {
                last = new Within(target, restGoesOn);
            }
            return last;
        }
    }
}
