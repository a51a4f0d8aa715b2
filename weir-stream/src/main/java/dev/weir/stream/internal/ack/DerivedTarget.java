package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.AckTarget;

/**
 * An acknowledgement target for elements that already have one, called the original target. Each token represents one
 * such element, and questions about the element are answered by its original target. Subclasses decide when the
 * original target learns the outcome.
 */
public abstract class DerivedTarget implements AckTarget {

    /** The original target of the element with this {@code token}. */
    protected abstract AckTarget original(long token);

    /** The element's token in its {@link #original} target. */
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
