package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The pending acknowledgements that the stages of a substream held when they were closed. Thread-safe.
 *
 * <p>A stage cannot tell whether its substream completed by itself or failed. The owner of the substream finds out
 * later; until then the acknowledgements wait here. If the substream did not complete by itself, they are passed
 * outwards as abandoned, because the surrounding stream may have completed by itself.
 */
public final class LeftoverAcknowledgements {

    private record Leftover(AckTarget target, long token) {}

    private final ReentrantLock lock = new ReentrantLock();

    // Written under the lock.
    private volatile List<Leftover> leftovers = List.of();
    private State state = State.OPEN;

    private volatile boolean due;

    private enum State {
        /** The outcome of the stream is not known yet. */
        OPEN,
        /** The stream completed by itself. */
        FINISHED,
        /** The stream was ended from outside or failed. */
        CLOSED
    }

    /** Takes over a pending acknowledgement. */
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
     * Notes that the stream has ended and that its owner will soon know the outcome. Acknowledgements forgone from now
     * on wait too.
     */
    public void due() {
        due = true;
    }

    boolean isDue() {
        return due;
    }

    /**
     * Ends all acknowledgements, present and future, as finished: the stream completed by itself while the rest
     * continues.
     */
    public void finish() {
        settle(State.FINISHED).forEach(leftover -> leftover.target.ack(leftover.token));
    }

    /**
     * Abandons all acknowledgements, present and future: the stream was ended from outside, or is not known to have
     * completed by itself.
     */
    public void close() {
        settle(State.CLOSED).forEach(leftover -> leftover.target.abandon(leftover.token));
    }

    /**
     * Ends the present acknowledgements only. For streams that take turns on one thread: acknowledgements of the next
     * stream wait for its own end.
     */
    public void finishThisTurn() {
        settle(State.OPEN).forEach(leftover -> leftover.target.ack(leftover.token));
    }

    /**
     * Moves the present acknowledgements to a store of their own, because another stream gets its turn before this one
     * has ended.
     *
     * @param own that store, or null if none was needed yet
     * @return that store if it is needed
     */
    public @Nullable LeftoverAcknowledgements endTurn(@Nullable LeftoverAcknowledgements own) {
        // Usually no acknowledgement waits. The check needs no lock because one thread runs all turns.
        if (leftovers.isEmpty()) {
            return own;
        }
        LeftoverAcknowledgements kept = own == null ? new LeftoverAcknowledgements() : own;
        settle(State.OPEN).forEach(leftover -> kept.add(leftover.target, leftover.token));
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
