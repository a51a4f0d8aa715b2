package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The unfinished elements that one run has taken over from another run. If the taking run fails, its stages may leave
 * elements behind whose pending acknowledgements never end. The other run continues, so its source would wait for these
 * elements. {@link #abandonAll} therefore abandons them. Thread-safe.
 */
public final class TakenElements {

    private final Set<Acknowledgements> unfinished = ConcurrentHashMap.newKeySet();

    /** Takes over the elements of a batch. The caller must pass on the returned batch instead of {@code batch}. */
    public <T> Batch<T> take(Batch<T> batch) {
        int size = batch.size();
        int acknowledged = 0;
        for (int i = 0; i < size; i++) {
            acknowledged += batch.target(i) == AckTarget.NONE ? 0 : 1;
        }
        if (acknowledged == 0) {
            return batch;
        }
        Acknowledgements pending = new Acknowledgements(batch, acknowledged);
        unfinished.add(pending);
        Batch<T> taken = new Batch<>(size);
        for (int i = 0; i < size; i++) {
            taken.add(batch.get(i), batch.target(i) == AckTarget.NONE ? AckTarget.NONE : pending, i);
        }
        batch.release();
        return taken;
    }

    /**
     * Abandons all unfinished elements. Acknowledgements that end later have no effect. Must be called after the last
     * {@link #take}.
     */
    public void abandonAll() {
        EachAcknowledgement.of(List.copyOf(unfinished), Acknowledgements::abandonAll);
    }

    /**
     * The acknowledgement target of the elements of one batch. Tokens are the indexes of the elements. It holds one
     * pending acknowledgement of each element in the other run.
     *
     * <pre>
     *   state    n: n acknowledgements are pending; 0: all have ended
     *            FORGONE, ABANDONED: added once a holder has forgone or abandoned the element
     *            LEFT: the element was abandoned with the run
     * </pre>
     */
    private final class Acknowledgements implements AckTarget {

        private static final int FORGONE = 1 << 30;
        private static final int ABANDONED = 1 << 29;
        private static final int COUNT = ABANDONED - 1;
        private static final int LEFT = -1;

        private final AckTarget[] targets;
        private final long[] tokens;
        private final AtomicIntegerArray states;

        /** The number of elements with pending acknowledgements. */
        private final AtomicInteger open;

        Acknowledgements(Batch<?> batch, int acknowledged) {
            int size = batch.size();
            targets = new AckTarget[size];
            tokens = new long[size];
            states = new AtomicIntegerArray(size);
            open = new AtomicInteger(acknowledged);
            for (int i = 0; i < size; i++) {
                targets[i] = batch.target(i);
                tokens[i] = batch.token(i);
                states.setPlain(i, targets[i] == AckTarget.NONE ? 0 : 1);
            }
        }

        @Override
        public void ack(long token) {
            end((int) token, 0);
        }

        @Override
        public void forgo(long token) {
            end((int) token, FORGONE);
        }

        @Override
        public void abandon(long token) {
            end((int) token, ABANDONED);
        }

        private void end(int index, int mark) {
            int before = states.getAndUpdate(index, state -> isOpen(state) ? (state - 1) | mark : state);
            if (before == LEFT) {
                return;
            }
            if (!isOpen(before)) {
                throw new IllegalStateException("acknowledged more often than retained");
            }
            if ((before & COUNT) > 1) {
                return;
            }
            if (open.decrementAndGet() == 0) {
                unfinished.remove(this);
            }
            int outcome = before | mark;
            if ((outcome & ABANDONED) != 0) {
                targets[index].abandon(tokens[index]);
            } else if ((outcome & FORGONE) != 0) {
                targets[index].forgo(tokens[index]);
            } else {
                targets[index].ack(tokens[index]);
            }
        }

        private static boolean isOpen(int state) {
            return state != LEFT && (state & COUNT) != 0;
        }

        void abandonAll() {
            unfinished.remove(this);
            EachAcknowledgement.of(targets.length, this::leave);
        }

        private void leave(int index) {
            if (isOpen(states.getAndUpdate(index, state -> isOpen(state) ? LEFT : state))) {
                targets[index].abandon(tokens[index]);
            }
        }

        @Override
        public void retain(long token, int more) {
            int before = states.getAndUpdate((int) token, state -> isOpen(state) ? state + more : state);
            if (before != LEFT && !isOpen(before)) {
                throw new IllegalStateException("retained after it was finished");
            }
        }

        @Override
        public boolean isRevoked(long token) {
            return targets[(int) token].isRevoked(tokens[(int) token]);
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
            return targets[(int) token].standsFor(tokens[(int) token], of, ofToken);
        }

        @Override
        public void roots(long token, RootVisitor visitor) {
            targets[(int) token].roots(tokens[(int) token], visitor);
        }

        @Override
        public String placeOf(long token) {
            return targets[(int) token].placeOf(tokens[(int) token]);
        }
    }
}
