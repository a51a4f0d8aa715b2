package dev.weir.stream.internal.run;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.DrainReport;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.spi.SinkFactory;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext.Termination;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One run of a pipeline: its tasks, its stages, its ending. Thread-safe.
 *
 * <p>States: RUNNING, then STOPPING once a stop was asked for, then TERMINATING when no task is left and the resources
 * are being closed, then completed. A failure or {@link #cancel} interrupts all tasks and leads to TERMINATING as well;
 * the first cause wins.
 */
public final class PipelineRun implements RunningPipeline {

    /** How long a cancelled stage may take to let go before a report names it. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final String name;
    private final long startNanos = System.nanoTime();
    private final TaskGroup tasks;
    private final CompletableFuture<DrainReport> completion = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock();

    // Under the lock.
    private final List<Runnable> stops = new ArrayList<>();
    private final List<Termination> terminations = new ArrayList<>();
    private boolean stopping;
    private @Nullable Throwable cause;
    private long patienceEndNanos = startNanos + DEFAULT_DRAIN.toNanos();

    private final List<Object> handles = new CopyOnWriteArrayList<>();
    private volatile List<StageEntry> entries = List.of();
    private volatile @Nullable DrainReport report;
    private volatile long endNanos;

    private PipelineRun(String name) {
        this.name = name;
        this.tasks = new TaskGroup(name);
    }

    /** Builds the stages, starts their threads and returns. If a stage cannot be made, nothing is left behind. */
    public static <T> RunningPipeline start(String name, Node<T> source, String sinkName, SinkFactory<T> sink) {
        PipelineRun run = new PipelineRun(name);
        Assembly assembly = new Assembly(run);
        try {
            Stage<T> upstream = source.build(assembly);
            StageEntry entry = assembly.fused(sinkName);
            assembly.closeSegment(entry.stageName(), Dispatcher.virtual(), upstream, sink.create(entry));
        } catch (RuntimeException | Error failure) {
            run.terminate(Duration.ZERO);
            throw failure;
        }
        run.entries = List.copyOf(assembly.entries());
        Thread.ofVirtual().name("weir-" + name).start(() -> run.supervise(assembly.segments()));
        return run;
    }

    /** The life of the run: start the segments, wait until nothing runs, close the resources, complete. */
    private void supervise(List<Segment<?>> segments) {
        try {
            segments.forEach(Segment::start);
        } catch (RuntimeException | Error failure) {
            fail(failure);
        }
        awaitTasks();
        List<String> leftUndone = terminate(patience());
        endNanos = System.nanoTime();
        Throwable failed = cause();
        DrainReport made = new DrainReport(
                failed == null && leftUndone.isEmpty(), leftUndone, Duration.ofNanos(endNanos - startNanos), stages());
        report = made;
        if (failed == null) {
            completion.complete(made);
        } else {
            completion.completeExceptionally(failed);
        }
    }

    private void awaitTasks() {
        while (true) {
            try {
                tasks.await();
                return;
            } catch (InterruptedException ignored) {
                // Nobody has this thread's handle, so nobody means it; leaving early would orphan the tasks.
            }
        }
    }

    private List<String> terminate(Duration patience) {
        List<Termination> inReverse;
        lock.lock();
        try {
            inReverse = List.copyOf(terminations.reversed());
        } finally {
            lock.unlock();
        }
        List<String> leftUndone = new ArrayList<>();
        for (Termination termination : inReverse) {
            try {
                String left = termination.close(patience);
                if (!left.isEmpty()) {
                    leftUndone.add(left);
                }
            } catch (RuntimeException | Error failure) {
                fail(failure);
            }
        }
        return leftUndone;
    }

    private Duration patience() {
        lock.lock();
        try {
            if (cause != null) {
                return Duration.ZERO;
            }
            return stopping
                    ? Duration.ofNanos(Math.max(0, patienceEndNanos - System.nanoTime()))
                    : RunningPipeline.DEFAULT_DRAIN;
        } finally {
            lock.unlock();
        }
    }

    TaskGroup tasks() {
        return tasks;
    }

    void onStop(Runnable stop) {
        boolean now;
        lock.lock();
        try {
            stops.add(stop);
            now = stopping;
        } finally {
            lock.unlock();
        }
        if (now) {
            stop.run();
        }
    }

    void onTermination(Termination termination) {
        lock.lock();
        try {
            terminations.add(termination);
        } finally {
            lock.unlock();
        }
    }

    void expose(Object handle) {
        handles.add(handle);
    }

    /** Ends the run with {@code failure} unless something else ended it before. */
    void fail(Throwable failure) {
        lock.lock();
        try {
            if (cause == null) {
                cause = failure;
            } else if (cause != failure && !(cause instanceof CancellationException)) {
                cause.addSuppressed(failure);
            }
        } finally {
            lock.unlock();
        }
        tasks.cancel();
    }

    /** A stage gave up because of an interrupt that this run did not send: user code interrupted its own thread. */
    void interrupted() {
        if (cause() == null) {
            fail(new IllegalStateException("a stage of pipeline " + name + " was interrupted from outside"));
        }
    }

    private @Nullable Throwable cause() {
        lock.lock();
        try {
            return cause;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public CompletableFuture<DrainReport> completion() {
        return completion.copy();
    }

    @Override
    public DrainReport await() throws InterruptedException {
        try {
            return completion.get();
        } catch (ExecutionException e) {
            throw Failures.rethrow(e.getCause() == null ? e : e.getCause());
        }
    }

    @Override
    public void stop() {
        stopUntil(Long.MAX_VALUE);
    }

    private void stopUntil(long endNanos) {
        List<Runnable> toRun = List.of();
        lock.lock();
        try {
            patienceEndNanos = endNanos == Long.MAX_VALUE ? System.nanoTime() + DEFAULT_DRAIN.toNanos() : endNanos;
            if (!stopping) {
                stopping = true;
                toRun = List.copyOf(stops);
            }
        } finally {
            lock.unlock();
        }
        toRun.forEach(Runnable::run);
    }

    @Override
    public DrainReport drain(Duration deadline) throws InterruptedException {
        stopUntil(System.nanoTime() + deadline.toNanos());
        if (!endsWithin(deadline.toNanos())) {
            cancel();
            if (!endsWithin(GRACE_NANOS)) {
                return new DrainReport(
                        false,
                        tasks.await(0).stream()
                                .map(task -> task + " does not let go")
                                .toList(),
                        Duration.ofNanos(System.nanoTime() - startNanos),
                        stages());
            }
        }
        return Objects.requireNonNull(report);
    }

    private boolean endsWithin(long nanos) throws InterruptedException {
        try {
            completion.get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException | CancellationException e) {
            return true;
        }
    }

    @Override
    public void cancel() {
        if (!completion.isDone()) {
            fail(new CancellationException("pipeline " + name + " was cancelled"));
        }
    }

    @Override
    public List<StageSnapshot> stages() {
        long end = endNanos == 0 ? System.nanoTime() : endNanos;
        return entries.stream().map(entry -> entry.snapshot(end - startNanos)).toList();
    }

    @Override
    public <H> List<H> handles(Class<H> type) {
        return handles.stream().filter(type::isInstance).map(type::cast).toList();
    }

    @Override
    public void close() {
        try {
            drain(DEFAULT_DRAIN);
        } catch (InterruptedException e) {
            cancel();
            Thread.currentThread().interrupt();
        }
    }
}
