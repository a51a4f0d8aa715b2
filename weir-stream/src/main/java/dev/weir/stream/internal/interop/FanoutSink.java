package dev.weir.stream.internal.interop;

import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.Thrown;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Hands each element of one run to all subscribers. Subscribing, requesting and cancelling are thread-safe; the loop is
 * confined to the sink's thread.
 *
 * <p>An element is acknowledged when {@code onNext} of every subscriber has returned. The next batch is pulled when all
 * subscribers have received the current one. A new subscriber starts with the first element that no subscriber has
 * received. When the last subscriber has cancelled, the loop ends like a sink that needs no more elements.
 */
final class FanoutSink<T> {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Written only while holding the lock.
    private volatile List<FanoutSubscription<T>> outlets = List.of();
    private volatile long changes;
    private volatile @Nullable Throwable urgent;
    private @Nullable Thread puller;
    private boolean abandoned;
    private boolean ended;
    private @Nullable Throwable failure;

    // Accessed only by the sink's thread.
    private long waitedNanos;

    /** Adds a subscriber. If the stream has ended, signals the end to it now. */
    void subscribe(Flow.Subscriber<? super T> subscriber) {
        FanoutSubscription<T> outlet = new FanoutSubscription<>(this, Objects.requireNonNull(subscriber, "subscriber"));
        // onSubscribe must be the subscriber's first signal, so call it before the loop can see the subscriber.
        subscriber.onSubscribe(outlet);
        Throwable toTell;
        lock.lock();
        try {
            if (!ended && !abandoned) {
                List<FanoutSubscription<T>> more = new ArrayList<>(outlets);
                more.add(outlet);
                outlets = more;
                change();
                abandonIfUnwanted();
                return;
            }
            toTell = abandoned ? new IllegalStateException("all subscribers of this stream have cancelled") : failure;
        } finally {
            lock.unlock();
        }
        outlet.end(toTell);
    }

    boolean isAbandoned() {
        lock.lock();
        try {
            return abandoned;
        } finally {
            lock.unlock();
        }
    }

    /** Makes the stream fail if an element has to wait for demand. May be called from any thread. */
    void failInsteadOfWaiting(Throwable cause) {
        lock.lock();
        try {
            urgent = cause;
            change();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the subscribers have been notified of this failure. */
    boolean hasTold(Throwable cause) {
        lock.lock();
        try {
            return ended && failure == Thrown.unwrapped(cause);
        } finally {
            lock.unlock();
        }
    }

    void request(FanoutSubscription<T> outlet, long elements) {
        boolean standIn;
        lock.lock();
        try {
            standIn = !outlet.add(elements) && puller != null && outlets.contains(outlet);
            change();
        } finally {
            lock.unlock();
        }
        if (standIn) {
            // Signal the error about the invalid request here, because the loop may be waiting for the upstream stages.
            outlet.refuseIfViolated();
            cancel(outlet);
        }
    }

    void cancel(FanoutSubscription<T> outlet) {
        lock.lock();
        try {
            outlet.letGo();
            change();
            abandonIfUnwanted();
        } finally {
            lock.unlock();
        }
    }

    private void change() {
        long next = changes + 1;
        changes = next;
        changed.signal();
    }

    private void abandonIfUnwanted() {
        if (!ended && !outlets.isEmpty() && outlets.stream().noneMatch(FanoutSubscription::isLive)) {
            abandoned = true;
            if (puller != null) {
                puller.interrupt();
            }
        }
    }

    /** Returns the loop of the run. Called once for each fan-out. */
    SinkLoop<T> loop(StageContext context) {
        // Signals the end to the subscribers if the run fails before the loop starts.
        context.onTermination(patience -> {
            Throwable cause = context.failure();
            end(cause == null ? null : Thrown.unwrapped(cause));
            return "";
        });
        return upstream -> run(upstream, context);
    }

    private void run(Stage<T> upstream, StageContext context) throws InterruptedException {
        try {
            Batch<T> batch;
            while ((batch = pull(upstream)) != null) {
                long start = System.nanoTime();
                waitedNanos = 0;
                deliver(batch, context);
                context.meter().worked(batch.size(), batch.size(), start + waitedNanos);
            }
        } catch (InterruptedException | RuntimeException | Error thrown) {
            end(causeOf(thrown, context));
            throw thrown;
        }
        end(null);
    }

    /** Returns the failure to signal to the subscribers. */
    private static Throwable causeOf(Throwable thrown, StageContext context) {
        // Clear the interrupt, so that the subscribers do not see it.
        boolean ignored = Thread.interrupted();
        Throwable failure = context.failure();
        if (failure != null) {
            return Thrown.unwrapped(failure);
        }
        return thrown instanceof InterruptedException
                ? new IllegalStateException("a stage was interrupted from outside", thrown)
                : Thrown.unwrapped(thrown);
    }

    /** Returns the next batch, or null at the end or without subscribers. */
    private @Nullable Batch<T> pull(Stage<T> upstream) throws InterruptedException {
        if (!beginPull()) {
            return null;
        }
        try {
            return upstream.pull(Stage.NEVER);
        } catch (InterruptedException | RuntimeException thrown) {
            boolean interrupt =
                    thrown instanceof InterruptedException || Thrown.cause(thrown) instanceof InterruptedException;
            if (interrupt && isAbandoned()) {
                return null;
            }
            throw thrown;
        } finally {
            lock.lock();
            try {
                puller = null;
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Registers this thread to be interrupted when the last subscriber cancels. Returns false if it has already
     * cancelled.
     */
    private boolean beginPull() {
        while (true) {
            long seen = changes;
            outlets.forEach(FanoutSubscription::refuseIfViolated);
            lock.lock();
            try {
                outlets = outlets.stream().filter(FanoutSubscription::isLive).toList();
                if (outlets.isEmpty()) {
                    abandoned = true;
                    return false;
                }
                if (seen == changes) {
                    puller = Thread.currentThread();
                    return true;
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private void deliver(Batch<T> batch, StageContext context) throws InterruptedException {
        List<FanoutSubscription<T>> receivers = List.of();
        int finished = 0;
        while (true) {
            long seen = changes;
            // Read the failure before the demand, so that elements requested earlier are still handed out.
            Throwable failure = urgent;
            receivers = withNewcomers(receivers);
            boolean moved = false;
            boolean wanted = false;
            for (FanoutSubscription<T> receiver : receivers) {
                // Read the demand first, and then check the list of subscribers. In the reverse order, a new subscriber
                // could miss the element.
                if (receiver.wants(batch) && receivers == outlets) {
                    receiver.give(batch);
                    moved = true;
                }
                wanted |= receiver.isLive();
            }
            int done = hadByAll(receivers);
            batch.ackRange(finished, done);
            finished = done;
            if (finished == batch.size()) {
                return;
            }
            if (moved || receivers != outlets) {
                continue;
            }
            if (!wanted) {
                batch.forgoFrom(finished);
                return;
            }
            if (failure != null) {
                throw FailureTransfer.rethrow(failure);
            }
            awaitChange(seen, context);
        }
    }

    /**
     * Returns all current subscribers. New subscribers start with the first element that no subscriber has received.
     */
    private List<FanoutSubscription<T>> withNewcomers(List<FanoutSubscription<T>> receivers) {
        List<FanoutSubscription<T>> all = outlets;
        if (all != receivers) {
            // New subscribers are at the end: they are appended, and only beginPull removes subscribers.
            int furthest = furthest(receivers);
            all.subList(receivers.size(), all.size()).forEach(newcomer -> newcomer.startAt(furthest));
        }
        return all;
    }

    private static <T> int furthest(List<FanoutSubscription<T>> receivers) {
        int furthest = 0;
        for (FanoutSubscription<T> receiver : receivers) {
            furthest = Math.max(furthest, receiver.position());
        }
        return furthest;
    }

    /**
     * Returns the number of elements that every receiver has received. Ignores cancelled receivers, unless all have
     * cancelled.
     */
    private static <T> int hadByAll(List<FanoutSubscription<T>> receivers) {
        int slowest = furthest(receivers);
        for (FanoutSubscription<T> receiver : receivers) {
            if (receiver.isLive()) {
                slowest = Math.min(slowest, receiver.position());
            }
        }
        return slowest;
    }

    private void awaitChange(long seen, StageContext context) throws InterruptedException {
        Clock clock = context.clock();
        long start = System.nanoTime();
        context.meter().beginBlockedDown(1);
        lock.lockInterruptibly();
        try {
            while (changes == seen) {
                clock.await(lock, changed, Stage.NEVER);
            }
        } finally {
            lock.unlock();
            context.meter().endBlockedDown();
            waitedNanos += System.nanoTime() - start;
        }
    }

    /** Signals the end of the stream to all present and future subscribers. Only the first call has an effect. */
    void end(@Nullable Throwable cause) {
        List<FanoutSubscription<T>> toTell;
        lock.lock();
        try {
            if (ended) {
                return;
            }
            ended = true;
            failure = cause;
            toTell = outlets;
            outlets = List.of();
        } finally {
            lock.unlock();
        }
        FailureTransfer.runAll(
                toTell.stream().<Runnable>map(outlet -> () -> outlet.end(cause)).toList());
    }
}
