package dev.weir.stream.internal.failure;

import dev.weir.stream.internal.ack.EachAcknowledgement;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * A batch whose unfinished elements are handed out again after each failure. Thread-safe, except for {@link #give} and
 * {@link #close}.
 *
 * <p>Each attempt hands out the elements with new pending acknowledgements. An element is finished if all its pending
 * acknowledgements from the same attempt have ended and none of them was abandoned. Results of the element that were
 * lost in other attempts make no difference.
 */
final class ReplayableBatch<T> {

    private static final int OPEN = 0;
    private static final int FINISHED = 1;

    private final Batch<T> batch;
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
            if (states.get(i) == OPEN) {
                return false;
            }
        }
        return true;
    }

    /** Returns the unfinished elements with new pending acknowledgements. Must be called by one thread at a time. */
    Batch<T> give() {
        int size = batch.size();
        Attempt attempt = new Attempt(size);
        last = attempt;
        Batch<T> unfinished = new Batch<>(size);
        for (int i = 0; i < size; i++) {
            if (states.get(i) == OPEN && !leaveIfRevoked(i)) {
                unfinished.add(batch.get(i), attempt, i);
            }
        }
        return unfinished;
    }

    /**
     * Checks whether the source no longer owns an element. If so, abandons the element, which must not be handed out
     * again, and returns true.
     */
    private boolean leaveIfRevoked(int index) {
        if (!batch.isRevoked(index)) {
            return false;
        }
        if (states.compareAndSet(index, OPEN, FINISHED)) {
            batch.target(index).abandon(batch.token(index));
        }
        return true;
    }

    /**
     * Abandons the revoked elements that were abandoned in the last attempt, so that they are not handed out again.
     * Like {@link #give}, this method must be called by one thread at a time.
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
     * Closes the batch after its last attempt. Elements that this attempt has abandoned, or abandons later, are also
     * abandoned in the surrounding stream.
     */
    void close() {
        Attempt attempt = last;
        if (attempt != null) {
            closedAt = attempt;
            EachAcknowledgement.of(states.length(), attempt::leaveIfAbandoned);
        }
    }

    /**
     * The acknowledgement target for one attempt. The outcomes of an element's pending acknowledgements are recorded
     * separately for each attempt, because an element that was abandoned is handed out again.
     */
    private final class Attempt implements AckTarget {

        /** Bit in an element's count of pending acknowledgements. Set when one of them was forgone. */
        private static final int FORGONE = 1 << 30;

        /**
         * Bit in an element's count of pending acknowledgements. Set when one of them was abandoned, so that the
         * element is not finished in this attempt.
         */
        private static final int ABANDONED = 1 << 29;

        private static final int COUNT = ABANDONED - 1;

        private final AtomicIntegerArray pending;

        Attempt(int size) {
            pending = new AtomicIntegerArray(size);
            for (int i = 0; i < size; i++) {
                pending.setPlain(i, 1);
            }
        }

        @Override
        public void ack(long token) {
            int index = (int) token;
            end(index, pending.decrementAndGet(index));
        }

        @Override
        public void forgo(long token) {
            int index = (int) token;
            end(index, pending.updateAndGet(index, before -> (before - 1) | FORGONE));
        }

        @Override
        public void abandon(long token) {
            int index = (int) token;
            end(index, pending.updateAndGet(index, before -> (before - 1) | ABANDONED));
        }

        private void end(int index, int left) {
            if ((left & COUNT) != 0) {
                return;
            }
            if ((left & ABANDONED) != 0) {
                // This check follows the update of the pending acknowledgements. If the batch is being closed
                // concurrently, either this thread sees closedAt, or the closing thread sees the update. Revoked
                // elements are not handed out again, so they are abandoned here too.
                if (closedAt == this || batch.isRevoked(index)) {
                    leave(index);
                }
                return;
            }
            if (states.getAndSet(index, FINISHED) == FINISHED) {
                return;
            }
            if (left == 0) {
                batch.ack(index);
            } else {
                batch.forgo(index);
            }
        }

        void leaveIfAbandoned(int index) {
            int left = pending.get(index);
            if ((left & COUNT) == 0 && (left & ABANDONED) != 0) {
                leave(index);
            }
        }

        private void leave(int index) {
            if (states.compareAndSet(index, OPEN, FINISHED)) {
                batch.target(index).abandon(batch.token(index));
            }
        }

        @Override
        public boolean isRevoked(long token) {
            return batch.isRevoked((int) token);
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
            return batch.target((int) token).standsFor(batch.token((int) token), of, ofToken);
        }

        @Override
        public void roots(long token, RootVisitor visitor) {
            batch.target((int) token).roots(batch.token((int) token), visitor);
        }

        @Override
        public String placeOf(long token) {
            return batch.target((int) token).placeOf(batch.token((int) token));
        }

        @Override
        public void retain(long token, int more) {
            pending.addAndGet((int) token, more);
        }
    }
}
