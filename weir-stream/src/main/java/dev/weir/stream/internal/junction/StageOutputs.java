package dev.weir.stream.internal.junction;

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
import org.jspecify.annotations.Nullable;

/**
 * The outputs of one stage that distributes. Thread-safe.
 *
 * <p>An output whose stages end by themselves no longer counts, from the first element on that they forgo: its share is
 * acknowledged as long as another goes on. When the last one ended, all is over, and what was not handed out stays
 * unacknowledged; unless another had taken all that there was: whether that one or this ended first must not matter.
 */
final class StageOutputs<T> {

    private final List<OutputQueue<T>> outlets = new ArrayList<>();
    /** Stands for no output. */
    private static final int NO_OUTPUT = -1;

    private final TaskGroup tasks;
    private final boolean shared;
    private final AtomicInteger live;
    private final ReentrantLock lock = new ReentrantLock();
    /** The segment above, and the output that it hands a batch to. Written by its thread. */
    private volatile @Nullable StageMeter giver;

    private volatile int givesTo = NO_OUTPUT;
    /** Outputs that have ended, or have forgone something and are about to. Under the lock. */
    private final Set<Integer> leaving = new HashSet<>();
    /** Outputs that have ended with all that there was for them. Written before {@link #leaving}, and read after it. */
    private final AtomicInteger exhausted = new AtomicInteger();

    /**
     * Creates open outputs.
     *
     * @param capacity of each, or of all together, in elements
     * @param shared whether all outputs pull from one queue
     */
    StageOutputs(int outputs, int capacity, boolean shared, Clock clock, TaskGroup tasks) {
        this.tasks = tasks;
        this.shared = shared;
        this.live = new AtomicInteger(outputs);
        BoundaryQueue<T> queue = new BoundaryQueue<>(capacity, clock);
        for (int i = 0; i < outputs; i++) {
            if (i > 0 && !shared) {
                queue = new BoundaryQueue<>(capacity, clock);
            }
            int output = i;
            outlets.add(new OutputQueue<>(queue, () -> othersGoOn(output) || exhausted.get() > 0));
        }
    }

    /**
     * Returns whether another output continues; this one does not from here on. Of several that leave at once, each of
     * which would count on the others, so at least the last leaves its share unfinished.
     */
    private boolean othersGoOn(int output) {
        lock.lock();
        try {
            leaving.add(output);
            return leaving.size() < outlets.size();
        } finally {
            lock.unlock();
        }
    }

    OutputQueue<T> get(int output) {
        return outlets.get(output);
    }

    /** Names the meter of the segment that pulls from an output. Before the start. */
    void pulledBy(int output, StageMeter segment) {
        outlets.get(output).pulledBy(segment);
        segment.siblingAbove(() -> {
            StageMeter above = giver;
            return above != null && !shared && above.isBlockedDown() && givesTo != output;
        });
    }

    /** Waits for room in an output and hands it the batch; see {@link OutputQueue#give}. */
    boolean give(int output, Batch<T> batch, StageMeter segment) throws InterruptedException {
        giver = segment;
        givesTo = shared ? NO_OUTPUT : output;
        try {
            return outlets.get(output).give(batch, segment);
        } finally {
            givesTo = NO_OUTPUT;
        }
    }

    /** An output whose closing ends all of them, with the next element. */
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

    /** The stages below an output have ended without a failure. */
    void ended(int output) {
        outlets.get(output).ended();
        int own = outlets.get(output).isExhausted() ? 1 : 0;
        exhausted.addAndGet(own);
        live.decrementAndGet();
        if (!othersGoOn(output) && exhausted.get() == own) {
            outlets.get(output).cancel();
        } else if (shared) {
            outlets.get(output).leaveToOthers();
        } else {
            outlets.get(output).release();
        }
    }

    /** All is over: what is still inside is nobody's. */
    void leave() {
        outlets.forEach(OutputQueue::leave);
    }

    int depth() {
        return shared
                ? outlets.getFirst().depth()
                : outlets.stream().mapToInt(OutputQueue::depth).sum();
    }

    /** The loop of the segment above. A failure follows what was handed out before, down all outputs. */
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
            // If that is for this segment alone nobody wants its output any more: no news for those who still look.
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
