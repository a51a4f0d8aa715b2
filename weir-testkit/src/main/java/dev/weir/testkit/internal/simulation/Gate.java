package dev.weir.testkit.internal.simulation;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets a pipeline pull records from its source only while the simulation waits for the pipeline, and never while the
 * consumer's code runs. The simulation's thread opens the gate. Each stage from {@link #before} is confined to the
 * pipeline thread that runs it.
 */
final class Gate {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition opened = lock.newCondition();

    // Guarded by the lock.
    private long round;

    /** Begins a round, in which each stage pulls until nothing is available. Called by the simulation's thread. */
    void open() {
        lock.lock();
        try {
            round++;
            opened.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns a stage that pulls from {@code above} while the gate is open, and passes each batch to {@code onPulled}.
     */
    <T> Stage<T> before(Stage<T> above, Clock clock, Consumer<Batch<T>> onPulled) {
        return new Gated<>(above, clock, onPulled);
    }

    private final class Gated<T> implements Stage<T> {

        private final Stage<T> above;
        private final Clock clock;
        private final Consumer<Batch<T>> onPulled;
        private long emptyInRound;

        Gated(Stage<T> above, Clock clock, Consumer<Batch<T>> onPulled) {
            this.above = above;
            this.clock = clock;
            this.onPulled = onPulled;
        }

        @Override
        public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
            while (true) {
                long current = awaitRound(deadlineNanos);
                if (current < 0) {
                    return new Batch<>(0);
                }
                Batch<T> batch = above.pull(clock.nanoTime());
                if (batch == null) {
                    return null;
                }
                if (!batch.isEmpty()) {
                    onPulled.accept(batch);
                    return batch;
                }
                emptyInRound = current;
            }
        }

        /** Waits until the stage may pull. Returns the round that {@link #open} began; -1 at the deadline. */
        private long awaitRound(long deadlineNanos) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (round == emptyInRound) {
                    if (clock.hasPassed(deadlineNanos)) {
                        return -1;
                    }
                    clock.await(lock, opened, deadlineNanos);
                }
                return round;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            above.close();
        }
    }
}
