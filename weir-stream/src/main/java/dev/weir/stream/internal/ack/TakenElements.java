package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The unfinished elements that one pipeline run has received from another run. If the receiving run fails,
 * {@link #abandonAll} abandons them. Thread-safe.
 */
public final class TakenElements {

    private final Set<Acknowledgements> unfinished = ConcurrentHashMap.newKeySet();

    /** Takes over a batch. The caller must use the returned batch, which has the same elements. */
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
     * Abandons all unfinished elements. Later acknowledgements have no effect. Must be called after the last
     * {@link #take}.
     */
    public void abandonAll() {
        EachAcknowledgement.of(List.copyOf(unfinished), Acknowledgements::abandonAll);
    }

    /** Holds one pending acknowledgement of each element of a received batch. */
    private final class Acknowledgements extends CountedAcknowledgements {

        private final AckTarget[] targets;
        private final long[] tokens;

        /** The number of elements with pending acknowledgements. */
        private final AtomicInteger open;

        Acknowledgements(Batch<?> batch, int acknowledged) {
            super(batch.size());
            int size = batch.size();
            targets = new AckTarget[size];
            tokens = new long[size];
            open = new AtomicInteger(acknowledged);
            for (int i = 0; i < size; i++) {
                targets[i] = batch.target(i);
                tokens[i] = batch.token(i);
            }
        }

        @Override
        protected AckTarget original(long token) {
            return targets[(int) token];
        }

        @Override
        protected long originalToken(long token) {
            return tokens[(int) token];
        }

        @Override
        protected void ended(int index, int outcome) {
            if (open.decrementAndGet() == 0) {
                unfinished.remove(this);
            }
            end(targets[index], tokens[index], outcome);
        }

        void abandonAll() {
            unfinished.remove(this);
            EachAcknowledgement.of(targets.length, this::leave);
        }

        private void leave(int index) {
            if (detach(index)) {
                targets[index].abandon(tokens[index]);
            }
        }
    }
}
