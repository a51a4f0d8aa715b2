package dev.weir.stream;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A place where running pipelines bring their elements to one that takes them; pipelines come and go on both sides.
 * Thread-safe; whoever made it closes it.
 *
 * <p>Any number of pipelines end in {@link #sink}; one at a time begins with {@link #source}. What is between them is
 * bounded in elements: a full hub halts the bringing pipelines, also while nobody takes. Acknowledgements go with the
 * elements into the taking pipeline; a bringing pipeline that ends has its source wait for those still under way.
 *
 * <p>When the taking pipeline ends, in whatever way, what it had not pulled waits for the next one. {@link #close} ends
 * the bringing pipelines at once, without a failure, and the taking one after what was brought.
 *
 * {@snippet :
 * try (MergeHub<Event> hub = MergeHub.create(1024);
 *         RunningPipeline all = hub.source().to(archive).run();
 *         RunningPipeline one = connection1.to(hub.sink()).run();
 *         RunningPipeline two = connection2.to(hub.sink()).run()) {
 *     one.await();
 * }
 * }
 */
public final class MergeHub<T> implements AutoCloseable {

    private final int buffer;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notFull = lock.newCondition();
    private final Condition notEmpty = lock.newCondition();

    // Under the lock.
    private final ArrayDeque<Batch<T>> batches = new ArrayDeque<>();
    private int elements;
    private @Nullable Taking taking;
    private boolean closed;

    private MergeHub(int buffer) {
        this.buffer = buffer;
    }

    /**
     * Creates an open hub.
     *
     * @param buffer how many elements may wait in it, at least 1; one batch more may stand in it
     */
    public static <T> MergeHub<T> create(int buffer) {
        if (buffer < 1) {
            throw new IllegalArgumentException("buffer must hold at least 1 element: buffer=" + buffer);
        }
        return new MergeHub<>(buffer);
    }

    /** What a pipeline brings its elements to; for any number of pipelines at once. */
    public Sink<T> sink() {
        return Sink.custom("mergeHub", context -> upstream -> {
            Batch<T> batch;
            while ((batch = upstream.pull(Stage.NEVER)) != null) {
                int size = batch.size();
                if (size > 0 && !put(batch)) {
                    return;
                }
                context.meter().in(size);
                context.meter().out(size);
            }
        });
    }

    /** What a pipeline takes all elements from; a second one that begins while the first runs is refused. */
    public Source<T> source() {
        return Source.custom("mergeHub", this::take);
    }

    private Stage<T> take(StageContext context) {
        lock.lock();
        try {
            if (taking != null) {
                throw new IllegalStateException("a pipeline takes from this hub already; it must end first");
            }
            Taking running = new Taking(context);
            taking = running;
            return running;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for room; false if the hub is closed. */
    private boolean put(Batch<T> batch) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (elements >= buffer && !closed) {
                notFull.await();
            }
            if (!closed) {
                batches.add(batch);
                elements += batch.size();
                notEmpty.signal();
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /** Lets bringing pipelines end at once and the taking one after what was brought. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            notFull.signalAll();
            notEmpty.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private int depth() {
        lock.lock();
        try {
            return elements;
        } finally {
            lock.unlock();
        }
    }

    /** The source of one run. */
    private final class Taking implements Stage<T> {

        private final StageContext context;
        private boolean stopped; // under the lock

        Taking(StageContext context) {
            this.context = context;
            context.depth(MergeHub.this::depth);
            context.onStop(this::stop);
        }

        private void stop() {
            lock.lock();
            try {
                stopped = true;
                notEmpty.signalAll();
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
                    clock.await(lock, notEmpty, deadlineNanos);
                }
                Batch<T> batch = stopped ? null : batches.poll();
                if (batch != null) {
                    elements -= batch.size();
                    notFull.signalAll();
                    context.meter().out(batch.size());
                }
                return batch;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                taking = null;
            } finally {
                lock.unlock();
            }
        }
    }
}
