package dev.weir.stream;

import dev.weir.stream.internal.ack.EachAcknowledgement;
import dev.weir.stream.internal.ack.TakenElements;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The common base class of all hubs. Each taker reads from an inbox, and subclasses choose the inbox of each element.
 * Writing pipelines wait while that inbox is full. One lock guards all state. Thread-safe.
 */
abstract class Hub<T> implements AutoCloseable {

    final int buffer;

    /** The inbox that all takers use, one after the other; null if each taker has its own. */
    private final @Nullable Inbox<T> shared;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private final List<Taker<T>> takers = new ArrayList<>();
    private boolean fed;
    private boolean closed;

    Hub(int buffer, @Nullable Inbox<T> shared) {
        if (buffer < 1) {
            throw new IllegalArgumentException("buffer must hold at least 1 element: buffer=" + buffer);
        }
        this.buffer = buffer;
        this.shared = shared;
    }

    /**
     * Hands over a non-empty batch, waiting for room. If the hub is closed, {@linkplain Batch#forgo forgoes} the
     * remaining elements and returns false.
     */
    abstract boolean put(Batch<T> batch) throws InterruptedException;

    /** Settles queued elements that no taker will receive. By default, abandons them. */
    void left(List<Batch<T>> batches) {
        EachAcknowledgement.of(batches, Batch::abandonAll);
    }

    /**
     * Creates a sink that writes to the hub.
     *
     * @param alone whether only one pipeline at a time may write to the hub
     */
    final Sink<T> sink(String name, boolean alone) {
        return Sink.custom(name, context -> {
            if (alone) {
                feed(true);
                context.onTermination(patience -> {
                    feed(false);
                    return "";
                });
            }
            return upstream -> bring(upstream, context.meter());
        });
    }

    private void feed(boolean begins) {
        lock.lock();
        try {
            if (begins && fed) {
                throw new IllegalStateException("a pipeline already sends to this hub; it must end first");
            }
            fed = begins;
        } finally {
            lock.unlock();
        }
    }

    private void bring(Stage<T> upstream, StageMeter meter) throws InterruptedException {
        Batch<T> batch;
        while ((batch = upstream.pull(Stage.NEVER)) != null) {
            int size = batch.size();
            if (size > 0 && !put(batch)) {
                return;
            }
            meter.in(size);
            meter.out(size);
        }
    }

    final Source<T> source(String name) {
        return Source.custom(name, context -> {
            Taker<T> taker = join(context.clock(), context.meter());
            context.depth(taker::depth);
            context.onStop(taker::stop);
            context.onTermination(patience -> {
                if (context.failure() != null) {
                    taker.taken.abandonAll();
                }
                return "";
            });
            return taker;
        });
    }

    final Taker<T> join(Clock clock, StageMeter meter) {
        lock.lock();
        try {
            if (shared != null && !takers.isEmpty()) {
                throw new IllegalStateException("a pipeline already reads from this hub; it must end first");
            }
            Taker<T> taker = new Taker<>(this, shared == null ? new Inbox<>() : shared, shared != null, clock, meter);
            takers.add(taker);
            changed.signalAll();
            return taker;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for room, then adds {@code batch} by calling {@code add}. If the hub is closed,
     * {@linkplain Batch#forgoFrom forgoes} the batch and returns false.
     */
    final boolean whenRoom(BooleanSupplier hasRoom, Batch<T> batch, Runnable add) throws InterruptedException {
        boolean added = whenRoom(hasRoom, add);
        if (!added) {
            batch.forgoFrom(0);
        }
        return added;
    }

    /**
     * Waits for room, then adds the elements. The lock is held during both steps, so other threads see all of the
     * elements or none.
     *
     * @return false if the hub is closed
     */
    final boolean whenRoom(BooleanSupplier hasRoom, Runnable add) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!closed && !hasRoom.getAsBoolean()) {
                changed.await();
            }
            if (!closed) {
                add.run();
                changed.signalAll();
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /** The current takers, in the order in which they joined. Called with the lock held. */
    final List<Taker<T>> present() {
        return takers;
    }

    /** Marks {@code taker} as leaving, and returns whether another taker of the same elements is running. */
    final boolean othersGoOn(Taker<T> taker, List<Taker<T>> all) {
        lock.lock();
        try {
            taker.leaving = true;
            for (Taker<T> other : all) {
                if (!other.leaving) {
                    return true;
                }
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    final int takerCount() {
        lock.lock();
        try {
            return takers.size();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the writing pipelines immediately, without a failure. The takers end after the elements written so far. */
    @Override
    public void close() {
        List<Batch<T>> left;
        lock.lock();
        try {
            closed = true;
            left = clearShared();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        left(left);
    }

    /**
     * Removes and returns the elements of the shared inbox if the hub is closed and has no taker. Called with the lock
     * held.
     */
    private List<Batch<T>> clearShared() {
        return shared != null && closed && takers.isEmpty() ? shared.clear() : List.of();
    }

    /** The elements queued for a taker. Guarded by the lock of its hub. */
    static final class Inbox<T> {

        private final ArrayDeque<Batch<T>> batches = new ArrayDeque<>();
        private int elements;

        void add(Batch<T> batch) {
            batches.add(batch);
            elements += batch.size();
        }

        int elements() {
            return elements;
        }

        private @Nullable Batch<T> poll() {
            Batch<T> batch = batches.poll();
            if (batch != null) {
                elements -= batch.size();
            }
            return batch;
        }

        private List<Batch<T>> clear() {
            List<Batch<T>> left = List.copyOf(batches);
            batches.clear();
            elements = 0;
            return left;
        }
    }

    /** The stage that reads from the hub in one run. */
    static final class Taker<T> implements Stage<T> {

        private final Hub<T> hub;
        private final Inbox<T> inbox;
        private final boolean isShared;
        private final Clock clock;
        private final StageMeter meter;
        private final TakenElements taken = new TakenElements();

        // Guarded by the hub's lock.
        private boolean stopped;
        private boolean leaving;

        private Taker(Hub<T> hub, Inbox<T> inbox, boolean isShared, Clock clock, StageMeter meter) {
            this.hub = hub;
            this.inbox = inbox;
            this.isShared = isShared;
            this.clock = clock;
            this.meter = meter;
        }

        /** Called with the hub's lock held. */
        Inbox<T> inbox() {
            return inbox;
        }

        private int depth() {
            hub.lock.lock();
            try {
                return inbox.elements;
            } finally {
                hub.lock.unlock();
            }
        }

        /**
         * Ends the taker after the elements in its inbox. A shared inbox of an open hub keeps its elements for a later
         * taker. May be called from any thread.
         */
        void stop() {
            hub.lock.lock();
            try {
                stopped = true;
                if (!isShared) {
                    hub.takers.remove(this);
                }
                hub.changed.signalAll();
            } finally {
                hub.lock.unlock();
            }
        }

        @Override
        public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
            Batch<T> batch = next(deadlineNanos);
            return batch == null ? null : taken.take(batch);
        }

        private @Nullable Batch<T> next(long deadlineNanos) throws InterruptedException {
            hub.lock.lockInterruptibly();
            try {
                while (inbox.batches.isEmpty() && !stopped && !hub.closed) {
                    if (clock.hasPassed(deadlineNanos)) {
                        return new Batch<>(0);
                    }
                    clock.await(hub.lock, hub.changed, deadlineNanos);
                }
                Batch<T> batch = stopped && isShared && !hub.closed ? null : inbox.poll();
                if (batch != null) {
                    hub.changed.signalAll();
                    meter.out(batch.size());
                }
                return batch;
            } finally {
                hub.lock.unlock();
            }
        }

        @Override
        public void close() {
            List<Batch<T>> left;
            hub.lock.lock();
            try {
                leaving = true;
                hub.takers.remove(this);
                left = isShared ? hub.clearShared() : inbox.clear();
                hub.changed.signalAll();
            } finally {
                hub.lock.unlock();
            }
            hub.left(left);
        }
    }
}
