package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.AckTarget;

/**
 * The acknowledgement target of an element that has left a substream. It reports every outcome to the element's targets
 * inside and outside the substream.
 */
final class OutsideTarget extends DerivedTarget {

    private final AckTarget inside;
    private final JointAck outside;

    OutsideTarget(AckTarget inside, JointAck outside) {
        this.inside = inside;
        this.outside = outside;
    }

    @Override
    protected AckTarget original(long token) {
        return inside;
    }

    @Override
    protected long originalToken(long token) {
        return token;
    }

    // The outer target is called in a finally block, because the inner target may run user code that throws.

    @Override
    public void ack(long token) {
        try {
            inside.ack(token);
        } finally {
            outside.ack(0);
        }
    }

    @Override
    public void forgo(long token) {
        try {
            inside.forgo(token);
        } finally {
            outside.forgo(0);
        }
    }

    @Override
    public void abandon(long token) {
        try {
            inside.abandon(token);
        } finally {
            outside.abandon(0);
        }
    }

    @Override
    public boolean dropIfRevoked(long token) {
        boolean revoked = inside.dropIfRevoked(token);
        if (revoked) {
            outside.abandon(0);
        }
        return revoked;
    }

    @Override
    public void retain(long token, int count) {
        outside.retain(0, count);
        inside.retain(token, count);
    }
}
