package dev.weir.stream.internal.failure;

import dev.weir.stream.RestartSettings;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.NestedStreams;
import dev.weir.stream.internal.run.NestedStreams.Child;
import dev.weir.stream.internal.run.RunAssembly;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.internal.run.StageEntry.Keeper;
import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.internal.waiting.DeadlineArithmetic;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.RestartSchedule;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Emits the elements of a section, a part of the stream that is rebuilt after a delay whenever it fails. Confined to
 * the stage's thread, except for {@link #stop} and {@link #dropRevoked}.
 */
final class RestartStage<T> implements Stage<T>, Keeper {

    private final RestartSchedule schedule;
    private final Section<T> section;
    private final NestedStreams nested;
    private final StageEntry entry;
    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition wake = lock.newCondition();

    /**
     * True if revoked elements may have to be dropped: at the start, and after {@link #dropRevoked}. Guarded by the
     * lock.
     */
    private boolean looksAgain = true;

    private @Nullable Child<T> current;

    /** The previous run of the section, or null if its resources are closed. */
    private @Nullable Child<T> before;

    /** Time at which the previous run's resources are closed, even if its elements are not finished. */
    private long letGoNanos;

    private long startNanos;
    private boolean ended;

    /** The part of a stream that restarts as a whole. Confined to the thread of the {@link RestartStage}. */
    interface Section<T> {

        Child<T> start(NestedStreams nested);

        default boolean mayRestart() {
            return true;
        }

        /**
         * Returns whether a stop during the restart delay ends the section. If false, the section starts once more to
         * finish its elements.
         */
        default boolean endsAtStop() {
            return true;
        }

        /**
         * Drops revoked elements, so that the next run of the section does not receive them. Called only while no run
         * is active.
         */
        default void leaveRevoked() {}

        /** Closes the state that all runs of the section use. */
        default void close() {}
    }

    private RestartStage(RestartSettings settings, Section<T> section, NestedStreams nested, StageEntry entry) {
        this.schedule = new RestartSchedule(settings);
        this.section = section;
        this.nested = nested;
        this.entry = entry;
        this.clock = entry.clock();
        this.startNanos = clock.nanoTime();
    }

    static <T> BlueprintNode<T> node(RestartSettings settings, Supplier<BlueprintNode<T>> section) {
        return new BlueprintNode<>(
                "restart",
                (assembly, attributes) -> below(assembly, attributes, settings, nested -> nested.start(section.get())));
    }

    /** Creates the stage and adds it to the chain that is being built. */
    static <T> RestartStage<T> below(
            RunAssembly assembly, StageAttributes attributes, RestartSettings settings, Section<T> section) {
        assembly.noteWaits();
        NestedStreams nested = assembly.nested();
        StageEntry entry = assembly.fused(attributes);
        RestartStage<T> stage = new RestartStage<>(settings, section, nested, entry);
        entry.alsoOnStop(stage::stop);
        entry.keeper(stage);
        return stage;
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        while (!ended) {
            if (current == null && !awaitStart(deadlineNanos)) {
                if (!nested.isStopped() || !section.endsAtStop()) {
                    return new Batch<>(0);
                }
                entry.cut();
                return null;
            }
            try {
                Child<T> running = current;
                if (running == null) {
                    running = section.start(nested);
                    current = running;
                }
                Batch<T> batch = running.pull(deadlineNanos);
                if (batch != null) {
                    entry.meter().in(batch.size());
                    entry.meter().out(batch.size());
                    return batch;
                }
            } catch (Throwable failure) {
                afterFailure(failure);
                continue;
            }
            afterCompletion();
        }
        return null;
    }

    /**
     * Returns true once the section may start. Returns false if the deadline passes first or a stop ends the section.
     */
    private boolean awaitStart(long deadlineNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!nested.isStopped() && !clock.hasPassed(deadlineNanos) && !mayStart()) {
                long until = DeadlineArithmetic.earlier(deadlineNanos, before == null ? startNanos : letGoNanos);
                if (looksAgain) {
                    looksAgain = false;
                    leaveRevoked();
                } else {
                    clock.await(lock, wake, until);
                }
            }
            return nested.isStopped() ? !section.endsAtStop() : mayStart();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the delay is over and the previous run has closed its resources. */
    private boolean mayStart() {
        Child<T> waits = before;
        if (waits != null && waits.letGo().isDone()) {
            before = null;
        } else if (waits != null && clock.hasPassed(letGoNanos)) {
            waits.hurry();
            letGoNanos = Stage.NEVER;
        }
        return before == null && clock.hasPassed(startNanos);
    }

    /** Delays the next start until {@code ended}, the previous run, has closed its resources. */
    private void awaitLetGo(Child<T> ended) {
        before = ended;
        letGoNanos = clock.after(RunningPipeline.DEFAULT_DRAIN.toNanos());
        var ignored = ended.letGo().thenRun(this::wake);
    }

    private void wake() {
        lock.lock();
        try {
            wake.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Drops revoked elements. Called with the lock held; releases it while dropping. */
    private void leaveRevoked() {
        lock.unlock();
        try {
            section.leaveRevoked();
        } finally {
            lock.lock();
        }
    }

    private void afterFailure(Throwable failure) throws InterruptedException {
        if (nested.isStopped() || !section.mayRestart() || !FailureHelpers.isRecoverable(failure)) {
            throw FailureTransfer.rethrowFromAbove(failure);
        }
        closeCurrent(failure);
        if (!startAfter(schedule.afterFailure(failure, clock.nanoTime()))) {
            throw FailureTransfer.rethrow(failure);
        }
    }

    private void afterCompletion() {
        Child<T> completed = current;
        current = null;
        if (completed != null) {
            completed.close();
            awaitLetGo(completed);
        }
        ended = nested.isStopped() || !startAfter(schedule.afterCompletion(clock.nanoTime()));
    }

    private void closeCurrent(Throwable failure) {
        Child<T> failed = current;
        current = null;
        if (failed != null) {
            failed.willBeRebuilt();
            FailureHelpers.close(failed, failure);
            awaitLetGo(failed);
        }
    }

    /** Schedules the next start after {@code delay}. Returns false if {@code delay} is null: there is no next start. */
    private boolean startAfter(@Nullable Duration delay) {
        if (delay != null) {
            startNanos = clock.after(delay.toNanos());
        }
        return delay != null;
    }

    /** Ends the section, or the delay before its next start. May be called from any thread. */
    private void stop() {
        nested.stop();
        wake();
    }

    /** Returns null, because the section's stages and its input buffer are searched separately. */
    @Override
    public @Nullable Kept find(AckTarget of, long ofToken) {
        return null;
    }

    @Override
    public void dropRevoked() {
        lock.lock();
        try {
            looksAgain = true;
            wake.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        Child<T> running = current;
        current = null;
        ended = true;
        try {
            if (running != null) {
                running.close();
            }
        } finally {
            section.close();
        }
    }
}
