package dev.weir.stream;

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
 * The common part of all hubs: writing pipelines wait for room in the inboxes of the takers, all under one lock.
 * Thread-safe. A subclass chooses the inbox of an element.
 */
abstract class Hub<T> implements AutoCloseable {

    final int buffer;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Under the lock.
    private final List<Taker<T>> takers = new ArrayList<>();
    private boolean fed;
    private boolean closed;

    Hub(int buffer) {
        if (buffer < 1) {
            throw new IllegalArgumentException("buffer must hold at least 1 element: buffer=" + buffer);
        }
        this.buffer = buffer;
    }

    /** Hands over a batch of at least one element, waiting for room. Returns false if the hub is closed. */
    abstract boolean put(Batch<T> batch) throws InterruptedException;

    /** Called with the elements that a taker with an inbox of its own had not pulled when it ended. */
    void left(List<Batch<T>> batches) {}

    /**
     * A sink that writes to the hub.
     *
     * @param alone whether a second pipeline is refused while one runs
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
                throw new IllegalStateException("a pipeline brings to this hub already; it must end first");
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

    /**
     * A source that reads from the hub.
     *
     * @param shared the inbox that all takers use in turn, or null if each has its own
     */
    final Source<T> source(String name, @Nullable Inbox<T> shared) {
        return Source.custom(name, context -> {
            Taker<T> taker = join(shared, context.clock(), context.meter());
            context.depth(taker::depth);
            context.onStop(taker::stop);
            return taker;
        });
    }

    /** Adds a taker. */
    final Taker<T> join(@Nullable Inbox<T> shared, Clock clock, StageMeter meter) {
        lock.lock();
        try {
            if (shared != null && !takers.isEmpty()) {
                throw new IllegalStateException("a pipeline takes from this hub already; it must end first");
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
     * Waits until there is room, then adds, both under the lock, so that no other thread sees an element too early.
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

    /** The present takers in order of arrival. Under the lock. */
    final List<Taker<T>> present() {
        return takers;
    }

    /**
     * Marks {@code taker} as leaving and returns whether another taker of the same elements continues. If several leave
     * at once, at least the last one sees no other and leaves its elements unfinished.
     */
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

    /** The number of pipelines that take elements now. */
    final int takerCount() {
        lock.lock();
        try {
            return takers.size();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the writing pipelines at once, without a failure, and the takers after the elements written so far. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The elements that wait for a taker. Under the lock of its hub. */
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

    /** The stage of one run that reads from the hub. */
    static final class Taker<T> implements Stage<T> {

        private final Hub<T> hub;
        private final Inbox<T> inbox;
        private final boolean isShared;
        private final Clock clock;
        private final StageMeter meter;

        // Under the hub's lock.
        private boolean stopped;
        private boolean leaving;

        private Taker(Hub<T> hub, Inbox<T> inbox, boolean isShared, Clock clock, StageMeter meter) {
            this.hub = hub;
            this.inbox = inbox;
            this.isShared = isShared;
            this.clock = clock;
            this.meter = meter;
        }

        /** Under the hub's lock. */
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
         * Ends the taker: after the elements in an inbox of its own, or at once if a later taker will read them. Any
         * thread.
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
            hub.lock.lockInterruptibly();
            try {
                while (inbox.batches.isEmpty() && !stopped && !hub.closed) {
                    if (clock.hasPassed(deadlineNanos)) {
                        return new Batch<>(0);
                    }
                    clock.await(hub.lock, hub.changed, deadlineNanos);
                }
                Batch<T> batch = stopped && isShared ? null : inbox.poll();
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
                left = isShared ? List.of() : inbox.clear();
                hub.changed.signalAll();
            } finally {
                hub.lock.unlock();
            }
            hub.left(left);
        }
    }
}
