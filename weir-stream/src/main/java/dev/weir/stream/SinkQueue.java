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
 * Hands the elements of a pipeline to another thread, one by one, at that thread's pace; see {@link Sink#queue}. One
 * taker at a time; {@link #cancel} may be called from any thread.
 *
 * <p>An element is acknowledged when its taker comes back for the next, so one that was taken and not finished is not
 * lost. The pipeline fetches a batch when the one before is used up: a taker that does not come halts it. It is done
 * when the taker has seen the end, or has cancelled.
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

    // Under the lock.
    private @Nullable Batch<T> batch;
    private int next;
    private boolean ended;
    private boolean cancelled;
    private @Nullable Throwable failure;
    private boolean attached;

    private SinkQueue() {}

    /** A new queue, for one run. */
    public static <T> SinkQueue<T> create() {
        return new SinkQueue<>();
    }

    /**
     * Waits for the next element, and acknowledges the one before.
     *
     * @return nothing at the end of the stream, or after {@link #cancel}
     */
    public Optional<T> take() throws InterruptedException {
        return takeWithin(Long.MAX_VALUE);
    }

    /**
     * Takes as above, but waits no longer than {@code patience}, in the system's time.
     *
     * @return nothing if nothing came, or at the end, which {@link #isEnded} tells apart
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

    /** Acknowledges the element handed out before, and asks for a batch if that was the last of its one. */
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

    /**
     * Returns whether no element will come any more, as far as is known: the stream ended or failed, or was cancelled.
     */
    public boolean isEnded() {
        lock.lock();
        try {
            return batch == null && isOver();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Wants no more. Elements that were not taken, and the one taken last, stay unacknowledged. The stream above is
     * closed, at the latest when it has the next element; {@link RunningPipeline#stop} does not wait for that.
     */
    public void cancel() {
        lock.lock();
        try {
            cancelled = true;
            batch = null;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The loop of the run that fills the queue. */
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
            // Too late unless the run ended before its first element.
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

    /** Waits until the batch is used up; false if nobody wants the rest of it. */
    private boolean hand(Batch<T> pulled, StageContext context) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (!cancelled) {
                batch = pulled;
                changed.signalAll();
            }
            context.meter().beginBlockedDown(1);
            try {
                while (batch != null) {
                    changed.await();
                }
            } finally {
                context.meter().endBlockedDown();
            }
            return !cancelled;
        } finally {
            lock.unlock();
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
                // Cut off: what was not taken must not be worked on, as it comes again.
                batch = null;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
