package dev.weir.stream;

import dev.weir.stream.internal.boundary.Within;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A place where one running pipeline brings its elements and any number of others take them all; pipelines come and go
 * on both sides. Thread-safe; whoever made it closes it.
 *
 * <p>One pipeline at a time ends in {@link #sink}; any number begin with {@link #source}, and take what is brought from
 * then on. It goes at the pace of the slowest taker, and waits while there is none. An element is acknowledged when all
 * have done so who were there when it was brought.
 *
 * <p>A taker that is stopped takes what is in its buffer. One that ends in another way leaves that: it is acknowledged if
 * other takers are there, otherwise it stays unfinished, so that the bringing pipeline delivers it again when it starts
 * anew. When the bringing pipeline ends the takers wait for the next one. {@link #close} ends the bringing pipeline at
 * once, without a failure, and the takers after what was brought.
 *
 * {@snippet :
 * try (BroadcastHub<Price> hub = BroadcastHub.create(1024);
 *         RunningPipeline feed = prices.to(hub.sink()).run();
 *         RunningPipeline client = hub.source().to(connection).run()) {
 *     feed.await();
 * }
 * }
 */
public final class BroadcastHub<T> implements AutoCloseable {

    private final int buffer;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Under the lock.
    private final List<Taker> takers = new ArrayList<>();
    private boolean fed;
    private boolean closed;

    private BroadcastHub(int buffer) {
        this.buffer = buffer;
    }

    /**
     * Creates an open hub.
     *
     * @param buffer how many elements may wait for each taker, at least 1; one batch more may stand there
     */
    public static <T> BroadcastHub<T> create(int buffer) {
        if (buffer < 1) {
            throw new IllegalArgumentException("buffer must hold at least 1 element: buffer=" + buffer);
        }
        return new BroadcastHub<>(buffer);
    }

    /** What a pipeline brings its elements to; a second one that begins while the first runs is refused. */
    public Sink<T> sink() {
        return Sink.custom("broadcastHub", context -> {
            feed(true);
            context.onTermination(patience -> {
                feed(false);
                return "";
            });
            return upstream -> {
                Within.Wrapper within = new Within.Wrapper(this::hasOthers);
                Batch<T> batch;
                while ((batch = upstream.pull(Stage.NEVER)) != null) {
                    int size = batch.size();
                    batch.retarget(within);
                    if (size > 0 && !put(batch)) {
                        return;
                    }
                    context.meter().in(size);
                    context.meter().out(size);
                }
            };
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

    /** What pipelines take all elements from, that are brought while they run. */
    public Source<T> source() {
        return Source.custom("broadcastHub", context -> {
            Taker taker = new Taker(context);
            lock.lock();
            try {
                takers.add(taker);
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            return taker;
        });
    }

    /** How many pipelines take at present. */
    public int takers() {
        lock.lock();
        try {
            return takers.size();
        } finally {
            lock.unlock();
        }
    }

    private boolean hasOthers() {
        return takers() > 1;
    }

    /** Waits for a taker, and for room with all of them; false if the hub is closed. */
    private boolean put(Batch<T> batch) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!closed && !isRoomForAll()) {
                changed.await();
            }
            if (closed) {
                return false;
            }
            // Under the lock: who is there now gets the element, and nobody sees it before all claims are made.
            int copies = takers.size() - 1;
            if (copies > 0) {
                batch.retainAll(copies);
            }
            for (int i = 1; i <= copies; i++) {
                takers.get(i).add(batch.copy());
            }
            takers.getFirst().add(batch);
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean isRoomForAll() {
        for (Taker taker : takers) {
            if (taker.elements >= buffer) {
                return false;
            }
        }
        return !takers.isEmpty();
    }

    /** Lets the bringing pipeline end at once and the takers after what was brought. */
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

    /** The source of one run. */
    private final class Taker implements Stage<T> {

        private final StageContext context;

        // Under the lock.
        private final ArrayDeque<Batch<T>> batches = new ArrayDeque<>();
        private int elements;
        private boolean stopped;

        Taker(StageContext context) {
            this.context = context;
            context.depth(this::depth);
            context.onStop(this::stop);
        }

        private void add(Batch<T> batch) {
            batches.add(batch);
            elements += batch.size();
        }

        private int depth() {
            lock.lock();
            try {
                return elements;
            } finally {
                lock.unlock();
            }
        }

        private void stop() {
            lock.lock();
            try {
                stopped = true;
                takers.remove(this);
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
            Clock clock = context.clock();
            lock.lockInterruptibly();
            try {
                while (batches.isEmpty() && !stopped && !closed) {
                    if (clock.hasPassed(deadlineNanos)) {
                        return new Batch<>(0);
                    }
                    clock.await(lock, changed, deadlineNanos);
                }
                Batch<T> batch = batches.poll();
                if (batch != null) {
                    elements -= batch.size();
                    changed.signalAll();
                    context.meter().out(batch.size());
                }
                return batch;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            List<Batch<T>> left;
            boolean othersGoOn;
            lock.lock();
            try {
                takers.remove(this);
                othersGoOn = !takers.isEmpty();
                left = List.copyOf(batches);
                batches.clear();
                elements = 0;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            if (othersGoOn) {
                left.forEach(Batch::ackAll);
            }
        }
    }
}
