package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The claims that the stages of a stream within the stream held when they were closed. Thread-safe.
 *
 * <p>Such a stage does not know whether it is closed because that stream ended by itself or because it failed, but
 * whoever began the stream does, sooner or later. Until then the claims wait here. If it did not end by itself, they
 * are abandoned further out: the stream around may have.
 */
public final class Leftovers {

    private record Claim(AckTarget target, long token) {}

    private final ReentrantLock lock = new ReentrantLock();

    // Written under the lock.
    private volatile List<Claim> claims = List.of();
    private State state = State.OPEN;

    private volatile boolean due;

    private enum State {
        /** It is not known how the stream ended. */
        OPEN,
        /** It ended by itself. */
        FINISHED,
        /** It was ended. */
        CLOSED
    }

    /** Takes over a claim. */
    void add(AckTarget target, long token) {
        boolean finished;
        lock.lock();
        try {
            if (state == State.OPEN) {
                if (claims.isEmpty()) {
                    claims = new ArrayList<>();
                }
                claims.add(new Claim(target, token));
                return;
            }
            finished = state == State.FINISHED;
        } finally {
            lock.unlock();
        }
        if (finished) {
            target.ack(token);
        } else {
            target.abandon(token);
        }
    }

    /**
     * The stream has ended; it is about to be known whether the rest goes on. Whatever is forgone from now on waits
     * here too.
     */
    public void due() {
        due = true;
    }

    boolean isDue() {
        return due;
    }

    /**
     * The stream has ended by itself while the rest goes on: what it left, and what is still to come, is acknowledged.
     */
    public void finish() {
        settle(State.FINISHED).forEach(claim -> claim.target.ack(claim.token));
    }

    /** The stream has ended and, unless it is known to have done so by itself, was ended with what is around it. */
    public void close() {
        settle(State.CLOSED).forEach(claim -> claim.target.abandon(claim.token));
    }

    /**
     * The same for streams that take turns on one thread, of that whose turn it is: what the next one leaves waits for
     * its own end.
     */
    public void finishThisTurn() {
        settle(State.OPEN).forEach(claim -> claim.target.ack(claim.token));
    }

    /**
     * Another stream has its turn: what the one before has left, and has not ended, goes to a place of its own.
     *
     * @param own that place, or null if it has needed none yet
     * @return that place if it is needed
     */
    public @Nullable Leftovers endTurn(@Nullable Leftovers own) {
        // As a rule there is nothing, and then no lock is needed: turns are taken by one thread.
        if (claims.isEmpty()) {
            return own;
        }
        Leftovers kept = own == null ? new Leftovers() : own;
        settle(State.OPEN).forEach(claim -> kept.add(claim.target, claim.token));
        return kept;
    }

    private List<Claim> settle(State now) {
        lock.lock();
        try {
            if (state == State.OPEN) {
                state = now;
            }
            List<Claim> left = claims;
            claims = List.of();
            return left;
        } finally {
            lock.unlock();
        }
    }
}
