package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.AckTarget;

/**
 * An acknowledgement target whose tokens stand for tokens of other targets, the originals. Questions about an element
 * are passed on to its original. Subclasses decide how the endings of pending acknowledgements reach the original.
 */
public abstract class DerivedTarget implements AckTarget {

    /** The target of the element that {@code token} stands for. */
    protected abstract AckTarget original(long token);

    /** The token of that element in {@link #original}. */
    protected abstract long originalToken(long token);

    @Override
    public boolean isRevoked(long token) {
        return original(token).isRevoked(originalToken(token));
    }

    @Override
    public boolean dropIfRevoked(long token) {
        boolean revoked = isRevoked(token);
        if (revoked) {
            abandon(token);
        }
        return revoked;
    }

    @Override
    public boolean standsFor(long token, AckTarget of, long ofToken) {
        return original(token).standsFor(originalToken(token), of, ofToken);
    }

    @Override
    public void roots(long token, RootVisitor visitor) {
        original(token).roots(originalToken(token), visitor);
    }

    @Override
    public String placeOf(long token) {
        return original(token).placeOf(originalToken(token));
    }
}
