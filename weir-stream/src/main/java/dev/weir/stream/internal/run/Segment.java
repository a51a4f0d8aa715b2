package dev.weir.stream.internal.run;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.StageSnapshot.Activity;
import dev.weir.stream.internal.steering.ThreadWait;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A chain of stages between two asynchronous boundaries. Its thread runs a loop that pulls the last stage until the end
 * of the stream. {@link #cancel} may be called from any thread; all other methods are for the run and its stages.
 */
public final class Segment<T> {

    private static final long LOOK_MILLIS = 200;

    private final PipelineRun run;
    private final String name;
    private final Dispatcher dispatcher;
    private final Stage<T> upstream;
    private final SinkLoop<T> loop;

    private final CountDownLatch closed = new CountDownLatch(1);

    /** Size of the batch that the loop is processing. Written by the segment's thread. */
    private final AtomicInteger inHand = new AtomicInteger();

    private boolean countsInHand = true;

    /** Set before the start. */
    private StageMeter meter = new StageMeter();

    private volatile TaskGroup.@Nullable Task task;
    private volatile boolean cancelled;
    private volatile @Nullable Throwable failureBelow;
    private volatile @Nullable Thread runner;
    private volatile Runnable afterNormalEnd = () -> {};

    Segment(PipelineRun run, String name, Dispatcher dispatcher, Stage<T> upstream, SinkLoop<T> loop) {
        this.run = run;
        this.name = name;
        this.dispatcher = dispatcher;
        this.upstream = upstream;
        this.loop = loop;
    }

    /** Makes a stage, not the segment, count the elements that the loop holds. Called before the start. */
    public Segment<T> countedByItsStage() {
        countsInHand = false;
        return this;
    }

    /** Sets the meter in which the thread records its waits. Called before the start. */
    Segment<T> meteredBy(StageMeter segmentMeter) {
        meter = segmentMeter;
        return this;
    }

    /**
     * Returns the activity of a stage on this segment's thread. Returns null if the thread has not started or the stage
     * runs on another thread.
     */
    @Nullable
    Activity activity(String stage, StageMeter ofStage) {
        TaskGroup.Task running = task;
        if (running == null || !meter.sharesThread(ofStage)) {
            return null;
        }
        // Read the thread's state before the meter. Otherwise a wait for another segment could look like a wait in user
        // code.
        ThreadWait wait = running.threadWait();
        boolean works = running.hasBegun() && !meter.isBlocked();
        boolean waits = works && wait != ThreadWait.NONE;
        return Activity.of(stage, name, dispatcher.snapshot(), works ? 1 : 0, waits ? 1 : 0, 0, 0, "", 0)
                .withWaits(
                        waits && wait == ThreadWait.LOCK ? 1 : 0,
                        waits && wait == ThreadWait.IO ? 1 : 0,
                        waits && wait == ThreadWait.SLEEP ? 1 : 0)
                .withPass(works && ofStage.isInPass(), meter.waitsForSibling(), waits && wait == ThreadWait.ENGINE);
    }

    /** Name of the stage that is reported for the elements of {@link #inHand()}. */
    String name() {
        return name;
    }

    /** Number of elements that the loop is processing, unless a stage counts them. May be called from any thread. */
    int inHand() {
        return countsInHand ? inHand.get() : 0;
    }

    void start() {
        run.add(this);
        TaskGroup.Task started = run.tasks().fork(dispatcher, name, this::body);
        task = started;
        if (cancelled) {
            started.interruptUnlessHeld(failureBelow);
        }
    }

    /** Runs {@code then} on the segment's thread if its loop returns without a failure. Called before the start. */
    public void afterNormalEnd(Runnable then) {
        afterNormalEnd = then;
    }

    /** Interrupts the segment, because its output is no longer needed or the calling segment has failed. */
    public void cancel() {
        Throwable failure = TaskGroup.currentFailure();
        if (failure != null) {
            failureBelow = failure;
        }
        cancelled = true;
        TaskGroup.Task current = task;
        if (current != null) {
            current.interruptUnlessHeld(failureBelow);
        }
    }

    private void body(TaskGroup.Task self) {
        runner = Thread.currentThread();
        try {
            if (!self.isInterruptRequested()) {
                loop.run(new Intake<>(self, upstream, inHand));
                afterNormalEnd.run();
            }
        } catch (InterruptedException interrupted) {
            if (!cancelled) {
                run.interrupted();
            }
        } catch (Throwable failure) {
            TaskGroup.noteFailure(failure);
            run.fail(failure);
        } finally {
            self.shield();
            close();
        }
    }

    /**
     * Closes the stages. Called by the segment's task after the loop, or by another thread if the task never starts.
     */
    void close() {
        try {
            upstream.close();
        } catch (Throwable failure) {
            run.fail(failure);
        } finally {
            run.remove(this);
            closed.countDown();
        }
    }

    /** Returns whether the segment's thread has called System.exit. It will then never close a stage. */
    private boolean isLeft() {
        TaskGroup.Task running = task;
        return running != null && running.isLeft();
    }

    /** Waits until the stages are closed. Does nothing on the segment's own thread. */
    void awaitClosed() {
        if (Thread.currentThread() == runner) {
            return;
        }
        boolean interrupted = false;
        while (true) {
            try {
                if (closed.await(LOOK_MILLIS, TimeUnit.MILLISECONDS) || isLeft()) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * The stage that the loop pulls. Each pull checks for a cancellation first, because user code may swallow
     * interrupts or never block. Confined to the stage's thread.
     */
    private record Intake<T>(TaskGroup.Task self, Stage<T> upstream, AtomicInteger inHand)
            implements PassThroughStage<T> {

        @Override
        public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
            if (self.isInterruptRequested()) {
                throw new InterruptedException();
            }
            inHand.lazySet(0);
            try {
                Batch<T> batch = upstream.pull(deadlineNanos);
                if (batch != null) {
                    inHand.lazySet(batch.size());
                }
                return batch;
            } catch (RuntimeException | Error failure) {
                // Record the failure here: the loop may pass it downstream and return normally.
                TaskGroup.noteFailure(failure);
                throw failure;
            }
        }

        /** Does nothing. The segment closes its stages after the loop. */
        @Override
        public void close() {}
    }
}
