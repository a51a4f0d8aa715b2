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
 * <p>A stage cannot tell whether its substream completed by itself or failed. The substream's owner finds out later;
 * until then the pending acknowledgements are kept here. If the substream did not complete by itself, they are
 * abandoned in the surrounding stream. That stream then decides in the same way, because it may have completed by
 * itself.
 */
public final class LeftoverAcknowledgements {

    private record Leftover(AckTarget target, long token) {}

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
     * Called when the stream has ended and its owner will soon know the outcome. From now on, forgone acknowledgements
     * are kept here as well.
     */
    public void due() {
        due = true;
    }

    boolean isDue() {
        return due;
    }

    /**
     * Sends all present and future pending acknowledgements, because the stream completed by itself while the rest of
     * the pipeline continues.
     */
    public void finish() {
        settle(State.FINISHED).forEach(leftover -> leftover.target.ack(leftover.token));
    }

    /**
     * Abandons all present and future pending acknowledgements, because the stream was ended from outside or is not
     * known to have completed by itself.
     */
    public void close() {
        settle(State.CLOSED).forEach(leftover -> leftover.target.abandon(leftover.token));
    }

    /**
     * Sends only the present pending acknowledgements. Used if several streams take turns on one thread: the
     * acknowledgements of the next stream must wait until that stream has ended.
     */
    public void finishThisTurn() {
        settle(State.OPEN).forEach(leftover -> leftover.target.ack(leftover.token));
    }

    /**
     * Moves the present pending acknowledgements to a separate store, because another stream gets its turn before this
     * stream has ended.
     *
     * @param own this stream's store, or null if none was needed so far
     * @return this stream's store, or null if none is needed
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
