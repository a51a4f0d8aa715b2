package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the acknowledgements that were still pending in the stages of a substream when the stages were closed.
 * Thread-safe.
 *
 * <p>A stage cannot tell whether its substream completed on its own or failed, but the substream's owner finds out
 * later. Until then, the pending acknowledgements are kept here. If the substream did not complete on its own, they are
 * abandoned in the surrounding stream. A surrounding stream that is itself a substream then keeps the acknowledgements
 * in its own {@code LeftoverAcknowledgements}.
 */
public final class LeftoverAcknowledgements {

    private record Leftover(AckTarget target, long token) {

        void ack() {
            target.ack(token);
        }

        void abandon() {
            target.abandon(token);
        }
    }

    private final ReentrantLock lock = new ReentrantLock();

    // Written only while holding the lock.
    private volatile List<Leftover> leftovers = List.of();
    private State state = State.OPEN;

    private volatile boolean due;

    private enum State {
        /** The outcome of the stream is not known yet. */
        OPEN,
        /** The stream completed by itself. */
        FINISHED,
        /** The stream was ended from outside, or it failed. */
        CLOSED
    }

    void add(AckTarget target, long token) {
        boolean finished;
        lock.lock();
        try {
            if (state == State.OPEN) {
                if (leftovers.isEmpty()) {
                    leftovers = new ArrayList<>();
                }
                leftovers.add(new Leftover(target, token));
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
     * Makes this object also keep the pending acknowledgements that the stages forgo from now on, not only the
     * abandoned ones. Called when the stream has ended, shortly before its owner learns the outcome.
     */
    public void due() {
        due = true;
    }

    boolean isDue() {
        return due;
    }

    /** Acknowledges all leftovers if the ended stream is {@code whole}, that is, complete; otherwise abandons them. */
    public void end(boolean whole) {
        if (whole) {
            finish();
        } else {
            close();
        }
    }

    /**
     * Acknowledges all leftovers, including those added later. Called if the stream completed by itself while the rest
     * of the pipeline continues.
     */
    public void finish() {
        EachAcknowledgement.of(settle(State.FINISHED), Leftover::ack);
    }

    /**
     * Abandons all leftovers, including those added later. Called if the stream was ended from outside or is not known
     * to have completed by itself.
     */
    public void close() {
        EachAcknowledgement.of(settle(State.CLOSED), Leftover::abandon);
    }

    /**
     * Ends the current leftovers like {@link #end}, but not those added later. Used if several streams take turns on
     * one thread: leftovers that are added later belong to the next stream, which has not ended yet.
     */
    public void endThisTurn(boolean whole) {
        EachAcknowledgement.of(settle(State.OPEN), whole ? Leftover::ack : Leftover::abandon);
    }

    /**
     * Moves the current leftovers to a store that belongs to one stream. Called when that stream's turn is over but the
     * stream has not ended, so that its leftovers are not mixed with the next stream's leftovers.
     *
     * @param own the stream's store, or null if it has none yet
     * @return the stream's store, or null if it still needs none
     */
    public @Nullable LeftoverAcknowledgements endTurn(@Nullable LeftoverAcknowledgements own) {
        // Usually there are no leftovers. No lock is needed to check this, because the streams take turns on a single
        // thread.
        if (leftovers.isEmpty()) {
            return own;
        }
        LeftoverAcknowledgements kept = own == null ? new LeftoverAcknowledgements() : own;
        EachAcknowledgement.of(settle(State.OPEN), leftover -> kept.add(leftover.target, leftover.token));
        return kept;
    }

    private List<Leftover> settle(State now) {
        lock.lock();
        try {
            if (state == State.OPEN) {
                state = now;
            }
            List<Leftover> left = leftovers;
            leftovers = List.of();
            return left;
        } finally {
            lock.unlock();
        }
    }
}
