package dev.weir.kafka;

import dev.weir.stream.DrainReport;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RestartSettings;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.spi.AwaitedFuture;
import dev.weir.stream.spi.EndAwaiters;
import dev.weir.stream.spi.JvmExit;
import dev.weir.stream.spi.RestartSchedule;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restarts a pipeline after a delay whenever it fails. Thread-safe. A pipeline that reads from a
 * {@link ReusableConsumer} resumes at the first unacknowledged record without a rebalance.
 */
public final class RestartingPipeline implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RestartingPipeline.class);

    private final Pipeline pipeline;
    private final EndAwaiters awaiters = new EndAwaiters();
    private final CompletableFuture<DrainReport> completion = new AwaitedFuture<>(awaiters);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition stop = lock.newCondition();

    // Guarded by the lock.
    private final RestartSchedule schedule;
    private @Nullable RunningPipeline current;
    private boolean stopped;
    private boolean closed;

    private final AtomicLong restartCount = new AtomicLong();

    private RestartingPipeline(Pipeline pipeline, RestartSettings settings) {
        this.pipeline = pipeline;
        this.schedule = new RestartSchedule(settings);
    }

    /**
     * Starts the pipeline. Throws if the first start fails; later failures lead to a restart.
     *
     * @param settings when to restart the pipeline, and whether to restart it after a normal end
     */
    public static RestartingPipeline run(Pipeline pipeline, RestartSettings settings) {
        RestartingPipeline restarting = new RestartingPipeline(pipeline, settings);
        RunningPipeline first = pipeline.run();
        restarting.current = first;
        Thread.ofVirtual().name("weir-restarting-" + first.name()).start(() -> restarting.supervise(first));
        return restarting;
    }

    /** Returns the number of restarts so far. */
    public long restarts() {
        return restartCount.get();
    }

    /**
     * Returns a future that completes when the pipeline has ended and is not restarted. If the last run failed, the
     * future fails with its exception. During JVM shutdown, threads that wait for the future have
     * {@link RunningPipeline#LINGER} to use the result.
     */
    public CompletableFuture<DrainReport> completion() {
        return completion.copy();
    }

    /** Returns the current run, or null between two runs. */
    public @Nullable RunningPipeline current() {
        lock.lock();
        try {
            return current;
        } finally {
            lock.unlock();
        }
    }

    /** Stops the current run like {@link RunningPipeline#stop}, and prevents further restarts. */
    public void stop() {
        RunningPipeline running = endRestarts(false);
        if (running != null) {
            running.stop();
        }
    }

    /** Prevents further restarts. Returns the current run, or null. A run that is being started ends at once. */
    private @Nullable RunningPipeline endRestarts(boolean close) {
        lock.lock();
        try {
            stopped = true;
            closed |= close;
            stop.signalAll();
            return current;
        } finally {
            lock.unlock();
        }
    }

    private void supervise(RunningPipeline first) {
        try {
            superviseRuns(first);
        } catch (Throwable broken) {
            end(null, broken); // wakes the threads that await the end
        }
    }

    private void superviseRuns(RunningPipeline first) {
        RunningPipeline running = first;
        while (true) {
            try {
                DrainReport report = running.await();
                if (!awaitRestart(null)) {
                    end(report, null);
                    return;
                }
            } catch (InterruptedException | CancellationException cancelled) {
                end(null, cancelled);
                return;
            } catch (RuntimeException | Error failure) {
                if (!awaitRestart(failure)) {
                    end(null, failure);
                    return;
                }
            }
            RunningPipeline next = start();
            if (next == null) {
                return;
            }
            running = next;
        }
    }

    /**
     * Completes {@code completion}. During JVM shutdown, waits up to {@link RunningPipeline#LINGER} for the threads
     * that await it.
     */
    private void end(@Nullable DrainReport report, @Nullable Throwable failure) {
        boolean isShutdown = JvmExit.isUnderWay();
        if (isShutdown) {
            awaiters.remember();
        }
        boolean ignored = failure == null ? completion.complete(report) : completion.completeExceptionally(failure);
        if (isShutdown) {
            try {
                awaiters.awaitEnds(RunningPipeline.LINGER.toNanos());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Starts and returns the next run. If none can be started, fails {@code completion} and returns null. */
    private @Nullable RunningPipeline start() {
        while (true) {
            try {
                restartCount.incrementAndGet();
                RunningPipeline next = pipeline.run();
                endIfAsked(next);
                return next;
            } catch (RuntimeException | Error failure) {
                if (!awaitRestart(failure)) {
                    end(null, failure);
                    return null;
                }
            }
        }
    }

    /** Ends a new run if {@link #stop} or {@link #close} was called during its start. */
    private void endIfAsked(RunningPipeline next) {
        boolean isStopped;
        boolean isClosed;
        lock.lock();
        try {
            current = next;
            isStopped = stopped;
            isClosed = closed;
        } finally {
            lock.unlock();
        }
        if (isClosed) {
            next.close();
        } else if (isStopped) {
            next.stop();
        }
    }

    /** Waits until the next start is due. Returns false if there will be no next start. */
    private boolean awaitRestart(@Nullable Throwable failure) {
        lock.lock();
        try {
            current = null;
            long now = System.nanoTime();
            Duration wait = failure == null ? schedule.afterCompletion(now) : schedule.afterFailure(failure, now);
            if (stopped || wait == null) {
                return false;
            }
            if (failure != null) {
                LOG.warn("the pipeline failed, running it again in {} ms: {}", wait.toMillis(), Thrown.text(failure));
            }
            long left = wait.toNanos();
            while (!stopped && left > 0) {
                left = stop.awaitNanos(left);
            }
            return !stopped;
        } catch (InterruptedException interrupted) {
            return false;
        } catch (RuntimeException | Error broken) {
            if (failure == null) {
                throw broken;
            }
            failure.addSuppressed(broken); // completion() reports the failure of the last run
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Drains the current run for at most 30 seconds, and prevents further restarts. */
    @Override
    public void close() {
        RunningPipeline running = endRestarts(true);
        if (running != null) {
            running.close();
        }
        completion.handle((report, failure) -> true).join();
    }
}
