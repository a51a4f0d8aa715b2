package dev.weir.stream;

import dev.weir.stream.internal.run.ArgumentChecks;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Hands the elements of a pipeline to another thread, one by one, at that thread's pace. See {@link Sink#queue}. Only
 * one thread at a time may take elements; {@link #cancel} may be called from any thread.
 *
 * <p>An element is acknowledged when the taking thread asks for the next one, so an unfinished element is not lost. The
 * pipeline pulls the next batch when every element of the current batch has been taken and acknowledged. The pipeline
 * ends when the taking thread has seen the end of the stream or has cancelled.
 *
 * <pre>{@code
 * void workOff() throws InterruptedException {
 *     SinkQueue<Order> orders = SinkQueue.create();
 *     try (RunningPipeline running = source.to(Sink.queue(orders)).run()) {
 *         for (var order = orders.take(); order.isPresent(); order = orders.take()) {
 *             work(order.get());
 *         }
 *     }
 * }
 * }</pre>
 */
public final class SinkQueue<T> {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private @Nullable Batch<T> batch;
    private int next;
    private boolean ended;
    private boolean cancelled;
    private @Nullable Throwable failure;
    private boolean attached;

    private SinkQueue() {}

    /** Creates a queue for one run. */
    public static <T> SinkQueue<T> create() {
        return new SinkQueue<>();
    }

    /**
     * Waits for the next element and acknowledges the previous one.
     *
     * @return empty at the end of the stream and after {@link #cancel}
     */
    public Optional<T> take() throws InterruptedException {
        return takeWithin(Long.MAX_VALUE);
    }

    /**
     * Waits for the next element like {@link #take}, but at most for {@code patience}, measured by the system clock.
     *
     * @return empty if no element arrived in time, or at the end of the stream; {@link #isEnded} distinguishes the two
     */
    public Optional<T> poll(Duration patience) throws InterruptedException {
        return takeWithin(ArgumentChecks.nanos(Objects.requireNonNull(patience, "patience")));
    }

    private Optional<T> takeWithin(long nanos) throws InterruptedException {
        long leftNanos = nanos;
        lock.lockInterruptibly();
        try {
            finishTaken();
            while (batch == null && !isOver() && leftNanos > 0) {
                leftNanos = changed.awaitNanos(leftNanos);
            }
            if (batch != null) {
                return Optional.of(batch.get(next++));
            }
            if (failure != null && !cancelled) {
                throw FailureTransfer.rethrow(failure);
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** Acknowledges the previous element. After the last element of a batch, requests the next batch. */
    private void finishTaken() {
        Batch<T> current = batch;
        if (current != null && next > 0) {
            current.ack(next - 1);
            if (next == current.size()) {
                batch = null;
                next = 0;
                changed.signalAll();
            }
        }
    }

    private boolean isOver() {
        return ended || cancelled || failure != null;
    }

    /** Returns whether the stream has ended, failed or been cancelled: no more elements will follow. */
    public boolean isEnded() {
        lock.lock();
        try {
            return batch == null && isOver();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Cancels the stream. Elements that were not taken, and the last taken element, stay unacknowledged. The upstream
     * stages are closed at their next element or earlier. To end them without an element, also call
     * {@link RunningPipeline#stop}.
     */
    public void cancel() {
        Batch<T> left;
        int first;
        lock.lock();
        try {
            cancelled = true;
            left = batch;
            first = Math.max(0, next - 1);
            batch = null;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (left != null) {
            left.forgoFrom(first);
        }
    }

    /** Attaches the queue to a run, and returns the loop that fills it. */
    SinkLoop<T> attach(StageContext context) {
        lock.lock();
        try {
            if (attached) {
                throw new IllegalStateException("a SinkQueue serves one run, and has one already");
            }
            attached = true;
        } finally {
            lock.unlock();
        }
        context.onTermination(patience -> {
            // End the queue here, because the run may have ended before its loop started.
            end(cutOff(context));
            return "";
        });
        return upstream -> fill(upstream, context);
    }

    private void fill(Stage<T> upstream, StageContext context) throws InterruptedException {
        try {
            Batch<T> pulled;
            while ((pulled = upstream.pull(Stage.NEVER)) != null) {
                if (!pulled.isEmpty()) {
                    context.meter().in(pulled.size());
                    if (!hand(pulled, context)) {
                        break;
                    }
                    context.meter().out(pulled.size());
                    pulled.release();
                }
            }
            end(null);
        } catch (InterruptedException interrupted) {
            end(cutOff(context));
            throw interrupted;
        } catch (RuntimeException | Error failed) {
            end(failed);
            throw failed;
        }
    }

    /** Waits until all elements of the batch are taken and acknowledged. Returns false after a cancel. */
    private boolean hand(Batch<T> pulled, StageContext context) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (!cancelled) {
                batch = pulled;
                changed.signalAll();
                awaitTaken(context);
                return !cancelled;
            }
        } finally {
            lock.unlock();
        }
        pulled.forgoFrom(0);
        return false;
    }

    private void awaitTaken(StageContext context) throws InterruptedException {
        context.meter().beginBlockedDown(1);
        try {
            while (batch != null) {
                changed.await();
            }
        } finally {
            context.meter().endBlockedDown();
        }
    }

    private static CancellationException cutOff(StageContext context) {
        return new CancellationException("pipeline " + context.pipelineName() + " was cancelled");
    }

    private void end(@Nullable Throwable cause) {
        lock.lock();
        try {
            if (ended) {
                return;
            }
            ended = true;
            failure = cause;
            if (cause != null) {
                // Drop the elements that were not taken. The source will deliver them again.
                batch = null;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
