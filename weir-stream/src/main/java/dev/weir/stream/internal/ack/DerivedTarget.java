package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.AckTarget;

/**
 * A target that replaces an element's original target. It forwards questions about the element to the original target.
 * Subclasses decide when to call the original target.
 */
public abstract class DerivedTarget implements AckTarget {

    protected abstract AckTarget original(long token);

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
