package dev.weir.stream.internal.failure;

import dev.weir.stream.internal.ack.CountedAcknowledgements;
import dev.weir.stream.internal.ack.EachAcknowledgement;
import dev.weir.stream.internal.ack.SubstreamTarget;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * A batch whose unfinished elements are handed out again after each failure. Thread-safe, except for {@link #give} and
 * {@link #close}.
 *
 * <p>Each attempt hands out the elements with new pending acknowledgements. An element is finished if all its pending
 * acknowledgements from one attempt have ended and none of them was abandoned.
 */
final class ReplayableBatch<T> {

    private static final int FINISHED = 1 << 28;
    private static final int HOLDERS = FINISHED - 1;

    private final Batch<T> batch;

    /**
     * For each element: the FINISHED flag, the outcome, and the number of {@link #hold} calls in progress. The last
     * {@link #letGo} call reports the outcome.
     */
    private final AtomicIntegerArray states;

    private @Nullable Attempt last;

    /** The last attempt; null until the batch is closed. */
    private volatile @Nullable Attempt closedAt;

    ReplayableBatch(Batch<T> batch) {
        this.batch = batch;
        this.states = new AtomicIntegerArray(batch.size());
    }

    boolean isFinished() {
        for (int i = 0; i < states.length(); i++) {
            if (!isFinished(i)) {
                return false;
            }
        }
        return true;
    }

    private boolean isFinished(int index) {
        return (states.get(index) & FINISHED) != 0;
    }

    /** Returns the unfinished elements with new pending acknowledgements. Called by one thread at a time. */
    Batch<T> give() {
        int size = batch.size();
        Attempt attempt = new Attempt(size);
        last = attempt;
        Batch<T> unfinished = new Batch<>(size);
        for (int i = 0; i < size; i++) {
            if (!isFinished(i) && !leaveIfRevoked(i)) {
                unfinished.add(batch.get(i), attempt, i);
            }
        }
        return unfinished;
    }

    /** Abandons an element that its source no longer owns, and returns true. The element is not handed out again. */
    private boolean leaveIfRevoked(int index) {
        if (!batch.isRevoked(index)) {
            return false;
        }
        finish(index, CountedAcknowledgements.ABANDONED);
        return true;
    }

    private void finish(int index, int outcome) {
        int before = states.getAndUpdate(index, state -> (state & FINISHED) != 0 ? state : state | FINISHED | outcome);
        if (before == 0) {
            end(index, outcome);
        }
    }

    /** Delays reporting the outcome until {@link #letGo} is called. Returns false if the element is finished. */
    private boolean hold(int index) {
        int before = states.getAndUpdate(index, state -> (state & FINISHED) != 0 ? state : state + 1);
        return (before & FINISHED) == 0;
    }

    private void letGo(int index) {
        int now = states.decrementAndGet(index);
        if ((now & HOLDERS) == 0 && (now & FINISHED) != 0) {
            end(index, now);
        }
    }

    private void end(int index, int outcome) {
        CountedAcknowledgements.end(batch.target(index), batch.token(index), outcome);
    }

    /**
     * Finishes the elements that were abandoned in the last attempt and have been revoked since. Called by one thread
     * at a time.
     */
    void leaveRevoked() {
        Attempt attempt = last;
        if (attempt != null) {
            EachAcknowledgement.of(states.length(), index -> {
                if (batch.isRevoked(index)) {
                    attempt.leaveIfAbandoned(index);
                }
            });
        }
    }

    /**
     * Closes the batch after its last attempt. The surrounding stream then abandons each element that this attempt
     * abandons.
     */
    void close() {
        Attempt attempt = last;
        if (attempt != null) {
            closedAt = attempt;
            EachAcknowledgement.of(states.length(), attempt::leaveIfAbandoned);
        }
    }

    /**
     * The acknowledgement target of one attempt. Outcomes are counted per attempt, because an abandoned element is
     * handed out again.
     */
    private final class Attempt extends CountedAcknowledgements {

        Attempt(int size) {
            super(size);
        }

        @Override
        protected AckTarget original(long token) {
            return batch.target((int) token);
        }

        @Override
        protected long originalToken(long token) {
            return batch.token((int) token);
        }

        @Override
        protected void ended(int index, int outcome) {
            if ((outcome & ABANDONED) != 0) {
                // Check after the update of the pending acknowledgements. Either this thread sees closedAt, or the
                // closing thread sees the update.
                if (closedAt != this && !batch.isRevoked(index)) {
                    return;
                }
            }
            finish(index, outcome);
        }

        void leaveIfAbandoned(int index) {
            if (isAbandoned(index)) {
                finish(index, ABANDONED);
            }
        }

        /** Skips a finished element if the visitor adds pending acknowledgements. */
        @Override
        public void roots(long token, RootVisitor visitor) {
            int index = (int) token;
            if (!(visitor instanceof SubstreamTarget.Crossing)) {
                super.roots(token, visitor);
            } else if (hold(index)) {
                try {
                    super.roots(token, visitor);
                } finally {
                    letGo(index);
                }
            }
        }
    }
}
