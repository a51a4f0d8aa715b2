package dev.weir.stream.internal.boundary;

import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The claims that the stages of a stream within the stream held when they were closed. Thread-safe.
 *
 * <p>Such a stage does not know whether it is closed because that stream ended by itself or because it failed, but
 * whoever began the stream does, sooner or later. Until then the claims wait here.
 */
public final class Leftovers {

    private record Claim(AckTarget target, long token) {}

    private final ReentrantLock lock = new ReentrantLock();

    // Written under the lock.
    private volatile List<Claim> claims = List.of();
    private boolean finished;

    /** Takes over a claim. */
    void add(AckTarget target, long token) {
        lock.lock();
        try {
            if (!finished) {
                if (claims.isEmpty()) {
                    claims = new ArrayList<>();
                }
                claims.add(new Claim(target, token));
                return;
            }
        } finally {
            lock.unlock();
        }
        target.ack(token);
    }

    /** The stream has ended by itself while the rest goes on: what it left, and what is still to come, is acknowledged. */
    public void finish() {
        settle(true).forEach(claim -> claim.target.ack(claim.token));
    }

    /** The same for streams that take turns on one thread: what the next one leaves waits for its own end. */
    public void finishThisTurn() {
        settle(false).forEach(claim -> claim.target.ack(claim.token));
    }

    /** Another stream has its turn: what those before left, and have not ended, is never acknowledged. */
    public void beginTurn() {
        // As a rule there is nothing, and then no lock is needed: turns are taken by one thread.
        if (!claims.isEmpty()) {
            List<Claim> ignored = settle(false);
        }
    }

    private List<Claim> settle(boolean forGood) {
        lock.lock();
        try {
            finished = forGood;
            List<Claim> left = claims;
            claims = List.of();
            return left;
        } finally {
            lock.unlock();
        }
    }
}
