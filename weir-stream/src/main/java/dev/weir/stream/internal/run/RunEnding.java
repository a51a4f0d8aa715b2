package dev.weir.stream.internal.run;

import dev.weir.stream.RunningPipeline;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext.Termination;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Collects what a run needs to end: the stop hooks, the first failure, the resources to close, and the unfinished work.
 * Hooks are called without the lock; their exceptions go to the {@code failed} callback. Thread-safe.
 */
final class RunEnding {

    /** Maximum time for closing resources once a thread is known to never return. */
    private static final long LITTLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final List<Runnable> stops = new ArrayList<>();
    private final List<Termination> terminations = new ArrayList<>();
    private volatile boolean stopping;
    private @Nullable Throwable cause;
    private long drainEndNanos = Stage.NEVER;
    private boolean expectsLess;
    private final List<String> leftUndone = new ArrayList<>();
    /** The elements whose substreams a stop has cut short, by stage. */
    private final Map<String, CutOff> cutOff = new TreeMap<>();

    /**
     * Elements whose streams a stop has cut short.
     *
     * @param at names of the inner stages that had not completed
     */
    private record CutOff(int elements, Set<String> at) {

        CutOff with(CutOff more) {
            Set<String> all = new TreeSet<>(at);
            all.addAll(more.at);
            return new CutOff(elements + more.elements, all);
        }

        String of(String stage) {
            boolean one = elements == 1;
            return stage + ": " + elements + (one ? " element is" : " elements are")
                    + " left unfinished, as the stop cut off what was made of " + (one ? "it" : "them") + ", at "
                    + String.join(" and ", at);
        }
    }

    /** Returns whether a stop was requested. The request is recorded before any stop hook is called. */
    boolean isStopping() {
        return stopping;
    }

    /** Calls {@code stop} when the run is stopped, or now if it is already stopping. */
    void onStop(Runnable stop, Consumer<Throwable> failed) {
        boolean now;
        lock.lock();
        try {
            stops.add(stop);
            now = stopping;
        } finally {
            lock.unlock();
        }
        if (now) {
            call(stop, failed);
        }
    }

    /**
     * Calls the stop hooks once. {@code endNanos} becomes the deadline for closing the resources, unless it is
     * {@link Stage#NEVER}.
     */
    void stop(long endNanos, Consumer<Throwable> failed) {
        List<Runnable> toRun = List.of();
        lock.lock();
        try {
            if (endNanos != Stage.NEVER) {
                drainEndNanos = endNanos;
            }
            if (!stopping) {
                stopping = true;
                toRun = List.copyOf(stops);
            }
        } finally {
            lock.unlock();
        }
        toRun.forEach(stop -> call(stop, failed));
    }

    /** Calls a stop hook. Its exception goes to {@code failed}. */
    static void call(Runnable stop, Consumer<Throwable> failed) {
        try {
            stop.run();
        } catch (RuntimeException | Error failure) {
            failed.accept(failure);
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

    /** Closes the resources, each with the time that is left. Their exceptions go to {@code failed}. */
    void terminate(Consumer<Throwable> failed) {
        List<Termination> inReverse;
        lock.lock();
        try {
            inReverse = List.copyOf(terminations.reversed());
        } finally {
            lock.unlock();
        }
        for (Termination termination : inReverse) {
            try {
                leftUndone(termination.close(patience()));
            } catch (Throwable failure) {
                failed.accept(failure);
            }
        }
    }

    List<String> leftUndone() {
        List<String> lines = new ArrayList<>();
        lock.lock();
        try {
            cutOff.forEach((stage, elements) -> lines.add(elements.of(stage)));
            lines.addAll(leftUndone);
        } finally {
            lock.unlock();
        }
        return List.copyOf(lines);
    }

    /** Limits the time for closing resources to one second. Called once a thread is known to never return. */
    void expectLess() {
        lock.lock();
        try {
            expectsLess = true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the remaining time for closing resources at the end of the run, or zero if the run has failed. */
    Duration patience() {
        lock.lock();
        try {
            if (cause != null) {
                return Duration.ZERO;
            }
            if (drainEndNanos == Stage.NEVER) {
                return RunningPipeline.DEFAULT_DRAIN;
            }
            long left = Math.max(0, drainEndNanos - System.nanoTime());
            return Duration.ofNanos(expectsLess ? Math.min(left, LITTLE_NANOS) : left);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the time limit for closing a resource while the run continues. Practically unlimited until the run fails
     * or a deadline is set.
     */
    Duration patienceWithin() {
        lock.lock();
        try {
            return cause == null && drainEndNanos == Stage.NEVER ? PipelineRun.LONGEST_DEADLINE : patience();
        } finally {
            lock.unlock();
        }
    }

    void leftUndone(String what) {
        if (!what.isEmpty()) {
            lock.lock();
            try {
                leftUndone.add(what);
            } finally {
                lock.unlock();
            }
        }
    }

    void cutOff(String stage, int elements, String at) {
        lock.lock();
        try {
            cutOff.merge(stage, new CutOff(elements, Set.of(at)), CutOff::with);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds a failure. The first failure becomes the failure of the run. Later failures are added to the first one as
     * suppressed, unless the first one is a {@link CancellationException}.
     */
    void fail(Throwable failure) {
        lock.lock();
        try {
            if (cause == null) {
                cause = failure;
            } else if (cause != failure && !(cause instanceof CancellationException) && !isInterrupt(failure)) {
                cause.addSuppressed(failure);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a failure only reports an interrupt. */
    private static boolean isInterrupt(Throwable failure) {
        return failure instanceof InterruptedException || Thrown.cause(failure) instanceof InterruptedException;
    }

    @Nullable
    Throwable cause() {
        lock.lock();
        try {
            return cause;
        } finally {
            lock.unlock();
        }
    }

    /** Drops the hooks and the resources, so that an ended run does not retain its stages. */
    void release() {
        lock.lock();
        try {
            stops.clear();
            terminations.clear();
        } finally {
            lock.unlock();
        }
    }
}
