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
 * <p>A stage that is closed does not know whether its substream completed or failed. The substream's owner learns this
 * later, and then acknowledges or abandons the leftovers.
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

    /** Keeps forgone acknowledgements from now on, not only abandoned ones. Called when the stream has ended. */
    public void due() {
        due = true;
    }

    boolean isDue() {
        return due;
    }

    /** Acknowledges all leftovers if the ended stream is complete ({@code whole}), and abandons them otherwise. */
    public void end(boolean whole) {
        if (whole) {
            finish();
        } else {
            close();
        }
    }

    /** Acknowledges all leftovers, including later leftovers. Called if the stream completed by itself. */
    public void finish() {
        EachAcknowledgement.of(settle(State.FINISHED), Leftover::ack);
    }

    /** Abandons all leftovers, including later leftovers. Called if the stream was ended from outside or has failed. */
    public void close() {
        EachAcknowledgement.of(settle(State.CLOSED), Leftover::abandon);
    }

    /** Ends the current leftovers like {@link #end}. Later leftovers belong to the next stream on this thread. */
    public void endThisTurn(boolean whole) {
        EachAcknowledgement.of(settle(State.OPEN), whole ? Leftover::ack : Leftover::abandon);
    }

    /**
     * Moves the current leftovers to the store of one stream. Called when another stream takes its turn on this thread.
     *
     * @param own the stream's store, or null if it has none yet
     * @return the stream's store, or null if it still needs none
     */
    public @Nullable LeftoverAcknowledgements endTurn(@Nullable LeftoverAcknowledgements own) {
        // Usually there are no leftovers. All streams use one thread, so this check needs no lock.
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
