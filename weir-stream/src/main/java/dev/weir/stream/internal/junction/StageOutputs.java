package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.ack.EachAcknowledgement;
import dev.weir.stream.internal.boundary.BoundaryQueue;
import dev.weir.stream.internal.boundary.OutputQueue;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The outputs of a stage that distributes elements. Thread-safe.
 *
 * <p>Stages downstream of an output may end early and forgo their elements. Forgone elements are acknowledged while
 * another output continues. When the last output ends, the stream ends.
 */
final class StageOutputs<T> {

    private final List<OutputQueue<T>> outlets = new ArrayList<>();
    private static final int NO_OUTPUT = -1;

    private final TaskGroup tasks;
    private final boolean shared;
    private final BooleanSupplier isWhole;
    private volatile boolean closing;
    private final AtomicInteger live;
    private final ReentrantLock lock = new ReentrantLock();
    /**
     * Meter of the upstream thread; null before the first batch. Only that thread writes this field and
     * {@link #givesTo}, the output that receives a batch.
     */
    private volatile @Nullable StageMeter giver;

    private volatile int givesTo = NO_OUTPUT;
    /** Outputs that have ended or no longer need elements. Guarded by the lock. */
    private final Set<Integer> leaving = new HashSet<>();
    /**
     * Number of outputs that have taken all their elements. Update it before {@link #leaving}, and read it after
     * {@link #leaving}.
     */
    private final AtomicInteger exhausted = new AtomicInteger();

    /**
     * Creates open outputs.
     *
     * @param capacity capacity in elements, of each output or, if {@code shared}, of all outputs together
     * @param shared whether all outputs pull from one queue
     * @param isWhole returns whether an output that ends now ends by itself; if not, its elements stay unacknowledged
     */
    StageOutputs(int outputs, int capacity, boolean shared, Clock clock, TaskGroup tasks, BooleanSupplier isWhole) {
        this.isWhole = isWhole;
        this.tasks = tasks;
        this.shared = shared;
        this.live = new AtomicInteger(outputs);
        BoundaryQueue<T> queue = new BoundaryQueue<>(capacity, clock);
        for (int i = 0; i < outputs; i++) {
            if (i > 0 && !shared) {
                queue = new BoundaryQueue<>(capacity, clock);
            }
            int output = i;
            outlets.add(new OutputQueue<>(queue, () -> (othersGoOn(output) || exhausted.get() > 0) && endsByItself()));
        }
    }

    /** Records that an output is ending, and returns whether another output continues. */
    private boolean othersGoOn(int output) {
        lock.lock();
        try {
            leaving.add(output);
            return leaving.size() < outlets.size();
        } finally {
            lock.unlock();
        }
    }

    private boolean endsByItself() {
        return !closing && isWhole.getAsBoolean();
    }

    /** Reports that the stages downstream of all outputs will be closed. From now on, no output ends by itself. */
    void closing() {
        closing = true;
    }

    OutputQueue<T> get(int output) {
        return outlets.get(output);
    }

    /** Sets the meter of the thread that pulls an output. Called before the run starts. */
    void pulledBy(int output, StageMeter segment) {
        outlets.get(output).pulledBy(segment);
        segment.siblingAbove(() -> {
            StageMeter above = giver;
            return above != null && !shared && above.isBlockedDown() && givesTo != output;
        });
    }

    /** Waits for room in an output and hands it the batch. See {@link OutputQueue#give}. */
    boolean give(int output, Batch<T> batch, StageMeter segment) throws InterruptedException {
        giver = segment;
        givesTo = shared ? NO_OUTPUT : output;
        try {
            return outlets.get(output).give(batch, segment);
        } finally {
            givesTo = NO_OUTPUT;
        }
    }

    /** Returns an output as a stage that ends all outputs when it is closed. */
    Stage<T> endingAll(int output) {
        OutputQueue<T> outlet = outlets.get(output);
        return new Stage<>() {
            @Override
            public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
                return outlet.pull(deadlineNanos);
            }

            @Override
            public void close() {
                live.set(0);
                outlet.cancel();
            }
        };
    }

    int size() {
        return outlets.size();
    }

    boolean isLive() {
        return live.get() > 0;
    }

    /** Reports that the stages downstream of an output have ended without a failure. */
    void ended(int output) {
        outlets.get(output).ended();
        int own = outlets.get(output).isExhausted() ? 1 : 0;
        exhausted.addAndGet(own);
        live.decrementAndGet();
        if (!othersGoOn(output) && exhausted.get() == own) {
            outlets.get(output).cancel();
        } else if (shared) {
            outlets.get(output).leaveToOthers(endsByItself());
        } else {
            outlets.get(output).release(endsByItself());
        }
    }

    /** Abandons the queued elements. Called at the end of the run. */
    void leave() {
        EachAcknowledgement.of(outlets, OutputQueue::leave);
    }

    int depth() {
        return shared
                ? outlets.getFirst().depth()
                : outlets.stream().mapToInt(OutputQueue::depth).sum();
    }

    /**
     * Pulls batches from {@code from} and distributes them to the outputs, on the upstream thread. After a failure,
     * each output emits its queued elements before it fails.
     */
    void distribute(Stage<T> from, OutputSelection<T> distribution, StageMeter segment, StageMeter meter)
            throws InterruptedException {
        Throwable failure = null;
        try {
            Batch<T> batch;
            while (isLive() && (batch = from.pull(Stage.NEVER)) != null) {
                if (!batch.isEmpty()) {
                    meter.in(batch.size());
                    meter.out(batch.size());
                    distribution.handOut(batch, this, segment);
                }
            }
        } catch (InterruptedException interrupted) {
            // If the run was not cancelled, the outputs need no more elements and end without a failure.
            failure = tasks.isCancelled() ? interrupted : null;
            throw interrupted;
        } catch (RuntimeException | Error failed) {
            TaskGroup.noteFailure(failed);
            failure = failed;
        } finally {
            end(failure);
        }
    }

    private void end(@Nullable Throwable failure) {
        for (OutputQueue<T> outlet : outlets) {
            outlet.end(failure);
        }
    }
}
