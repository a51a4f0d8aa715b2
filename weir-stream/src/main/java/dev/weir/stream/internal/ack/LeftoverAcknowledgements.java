package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The claims that the stages of a stream within the stream held when they were closed. Thread-safe.
 *
 * <p>Such a stage cannot tell whether its stream ended by itself or failed. The owner of the stream can, sooner or
 * later; until then the claims wait here. If the stream did not end by itself, the claims are abandoned further out,
 * because the stream around may have ended by itself.
 */
public final class LeftoverAcknowledgements {

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
     * Says that the stream has ended and that its owner is about to know how. Claims that are forgone from now on wait
     * too.
     */
    public void due() {
        due = true;
    }

    boolean isDue() {
        return due;
    }

    /** Acknowledges all claims, present and future: the stream has ended by itself while the rest goes on. */
    public void finish() {
        settle(State.FINISHED).forEach(claim -> claim.target.ack(claim.token));
    }

    /** Abandons all claims, present and future: the stream was ended, or nobody knows that it ended by itself. */
    public void close() {
        settle(State.CLOSED).forEach(claim -> claim.target.abandon(claim.token));
    }

    /**
     * Acknowledges the present claims only. For streams that take turns on one thread: the claims of the next one wait
     * for its own end.
     */
    public void finishThisTurn() {
        settle(State.OPEN).forEach(claim -> claim.target.ack(claim.token));
    }

    /**
     * Moves the present claims to a place of their own, because another stream has its turn and this one has not ended.
     *
     * @param own that place, or null if it has needed none yet
     * @return that place if it is needed
     */
    public @Nullable LeftoverAcknowledgements endTurn(@Nullable LeftoverAcknowledgements own) {
        // As a rule there is nothing, and then no lock is needed: turns are taken by one thread.
        if (claims.isEmpty()) {
            return own;
        }
        LeftoverAcknowledgements kept = own == null ? new LeftoverAcknowledgements() : own;
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
