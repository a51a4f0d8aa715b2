package dev.weir.stream;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A source of elements that a test provides. It waits on the run's clock, and supports one run at a time. Thread-safe.
 */
final class HandFedSource<T> {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Under the lock.
    private final Queue<T> waiting = new ArrayDeque<>();
    private boolean ended;
    private @Nullable RuntimeException failure;
    private int closings;
    private boolean asked;

    Source<T> source() {
        return Source.custom("handFed", context -> new Running(context.clock()));
    }

    void emit(T element) {
        change(() -> waiting.add(element));
    }

    void complete() {
        change(() -> ended = true);
    }

    void fail(RuntimeException cause) {
        change(() -> failure = cause);
    }

    int closings() {
        lock.lock();
        try {
            return closings;
        } finally {
            lock.unlock();
        }
    }

    void awaitClosings(int count) throws InterruptedException {
        await(() -> closings >= count);
    }

    /** Waits until a stage waits for the next element. */
    void awaitAsked() throws InterruptedException {
        await(() -> asked && waiting.isEmpty());
    }

    private void await(BooleanSupplier reached) throws InterruptedException {
        lock.lock();
        try {
            while (!reached.getAsBoolean()) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    private void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private final class Running implements Stage<T> {

        private final Clock clock;

        Running(Clock clock) {
            this.clock = clock;
        }

        @Override
        public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (waiting.isEmpty() && !ended && failure == null && !clock.hasPassed(deadlineNanos)) {
                    asked = true;
                    changed.signalAll();
                    clock.await(lock, changed, deadlineNanos);
                }
                asked = false;
                T next = waiting.poll();
                if (next != null) {
                    return Batch.unacknowledged(new Object[] {next}, 1);
                }
                if (failure != null) {
                    throw failure;
                }
                return ended ? null : new Batch<>(0);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            change(() -> closings++);
        }
    }
}
