package dev.weir.bench.process;

import dev.weir.bench.RunFailure;
import dev.weir.driver.Command;
import dev.weir.driver.Report;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Synchronises the clock of a remote process with the harness. A thread reads the remote clock at the start and then
 * every two seconds. Thread-safe.
 */
final class WorkerClock implements AutoCloseable {
    private static final int FIRST_LOOK = 32;
    private static final int LATER_LOOK = 4;
    private static final long PERIOD_MILLIS = 2_000;
    private static final long PATIENCE_MILLIS = 1_000;

    private final Consumer<Command> worker;
    private final Thread thread;
    private final BlockingQueue<Answer> answers = new ArrayBlockingQueue<>(FIRST_LOOK);
    private final CountDownLatch known = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock();
    private final ClockEstimate estimate = new ClockEstimate();

    private record Answer(Report.Clock said, long heardNanos) {}

    /**
     * Creates the clock of a starting process.
     *
     * @param worker receives commands, on any thread
     */
    WorkerClock(String name, Consumer<Command> worker) {
        this.worker = worker;
        this.thread = Thread.ofVirtual().name("bench-clock-" + name).unstarted(this::keep);
    }

    /** Starts reading the clock. The process must already be able to respond. */
    void start() {
        thread.start();
    }

    /** Receives an answer of the process. Called by the thread that reads the process's output. */
    void heard(Report.Clock said, long heardNanos) {
        boolean unused = answers.offer(new Answer(said, heardNanos)); // dropped if late answers fill the queue
    }

    private void keep() {
        try {
            look(FIRST_LOOK);
            while (!closed.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS)) {
                look(LATER_LOOK);
            }
        } catch (InterruptedException | RunFailure ignored) { // The process is gone, and its reader thread reports why.
        }
    }

    private void look(int exchanges) throws InterruptedException {
        answers.clear();
        for (int i = 0; i < exchanges && closed.getCount() > 0; i++) {
            long asked = System.nanoTime();
            worker.accept(new Command.Clock(asked));
            Answer answer = answers.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            while (answer != null && answer.said().askedNanos() != asked) {
                answer = answers.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS); // The previous answer was late.
            }
            if (answer == null) {
                break; // The process is frozen or busy.
            }
            lock.lock();
            try {
                estimate.exchanged(asked, answer.said().ownNanos(), answer.heardNanos());
            } finally {
                lock.unlock();
            }
        }
        settle();
    }

    private void settle() {
        long offset;
        lock.lock();
        try {
            if (!estimate.looked()) {
                return;
            }
            offset = estimate.offsetNanos();
        } finally {
            lock.unlock();
        }
        worker.accept(new Command.SetClock(offset));
        known.countDown();
    }

    /** Waits until the process knows the offset to the harness's clock. Returns false after a timeout. */
    boolean awaitKnown(Duration patience) throws InterruptedException {
        return known.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    void restart() {
        lock.lock();
        try {
            estimate.restart(System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** Largest error of the process's clock since the last restart. */
    long errorNanos() {
        lock.lock();
        try {
            return estimate.errorNanos(System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the process's clock was set since the last restart. */
    boolean wasSet() {
        lock.lock();
        try {
            return estimate.wasSet();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
