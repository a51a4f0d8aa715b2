package dev.weir.stream.internal.junction;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.RunAssembly;
import dev.weir.stream.internal.run.Segment;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Queues through which several threads, one per input, pass batches to one stage. Each queue holds a limited number of
 * elements. Thread-safe: one thread per input puts batches, and one thread takes them.
 *
 * <p>An input is open until it ends, normally or with a failure. Queued elements can still be taken. A cancellation
 * affects all inputs: their elements are abandoned, and puts are refused.
 */
final class InputQueues<T> {

    private final int capacity;
    private final Clock clock;
    private final boolean untilFirstEnds;
    private final InputSelection turns;
    private final List<Segment<?>> segments = new ArrayList<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();

    /** True while the taking thread waits for a batch. Written by that thread, read by any thread. */
    private volatile boolean takerWaits;

    // Guarded by the lock.
    private final List<Inlet<T>> inlets = new ArrayList<>();
    private int open;
    private @Nullable Inlet<T> failed;
    private boolean cancelled;

    // Accessed only by the taking thread.
    private int lastInput;

    /**
     * Creates empty queues.
     *
     * @param capacity capacity of each queue in elements, at least 1
     * @param untilFirstEnds if true, the stage ends when any input ends; otherwise, when all inputs have ended
     */
    InputQueues(int inputs, int capacity, InputSelection turns, boolean untilFirstEnds, Clock clock) {
        this.capacity = capacity;
        this.clock = clock;
        this.untilFirstEnds = untilFirstEnds;
        this.turns = turns;
        this.open = inputs;
        for (int input = 0; input < inputs; input++) {
            inlets.add(new Inlet<>(lock.newCondition()));
        }
    }

    /** Returns a segment whose thread pulls {@code upstream} and fills the queue of {@code input}. */
    Segment<T> feed(int input, RunAssembly assembly, Dispatcher dispatcher, Stage<T> upstream, Runnable atNormalEnd) {
        StageMeter meter = assembly.segmentMeter();
        meter.siblingBelow(() -> takerWaits);
        String name = assembly.lastEntry().stageName();
        Segment<T> segment =
                assembly.closeSegment(name, dispatcher, upstream, from -> fill(input, from, meter, atNormalEnd));
        segments.add(segment);
        return segment;
    }

    /** Makes {@link #cancel} also cancel {@code segment}, which feeds the inputs. */
    void cancelsAlso(Segment<?> segment) {
        segments.add(segment);
    }

    private void fill(int input, Stage<T> from, StageMeter meter, Runnable atNormalEnd) throws InterruptedException {
        try {
            Batch<T> batch;
            while ((batch = from.pull(Stage.NEVER)) != null) {
                if (!batch.isEmpty() && !putOrAbandon(input, batch, meter)) {
                    return;
                }
            }
            atNormalEnd.run();
            end(input, null);
        } catch (InterruptedException interrupted) {
            // End with the interrupt: after a normal end, the stream would appear to be complete.
            end(input, interrupted);
            throw interrupted;
        } catch (RuntimeException | Error failure) {
            end(input, failure);
        }
    }

    private boolean putOrAbandon(int input, Batch<T> batch, StageMeter meter) throws InterruptedException {
        boolean taken = false;
        try {
            taken = put(input, batch, meter);
        } finally {
            if (!taken) {
                batch.abandonAll();
            }
        }
        return taken;
    }

    /** Waits for room, then stores the batch. Returns false if the inputs were cancelled. */
    boolean put(int input, Batch<T> batch, StageMeter meter) throws InterruptedException {
        Inlet<T> inlet = inlets.get(input);
        lock.lockInterruptibly();
        try {
            if (inlet.elements >= capacity && !cancelled) {
                meter.beginBlockedDown(1);
                try {
                    do {
                        clock.await(lock, inlet.notFull, Stage.NEVER);
                    } while (inlet.elements >= capacity && !cancelled);
                } finally {
                    meter.endBlockedDown();
                }
            }
            if (cancelled) {
                return false;
            }
            inlet.batches.add(batch);
            inlet.elements += batch.size();
            arrived.signal();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Ends an input, normally if {@code cause} is null. Queued elements can still be taken. */
    void end(int input, @Nullable Throwable cause) {
        lock.lock();
        try {
            Inlet<T> inlet = inlets.get(input);
            inlet.ended = true;
            open--;
            if (cause != null && failed == null) {
                inlet.failure = cause;
                failed = inlet;
            }
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a batch from any input. Returns null at the end, and an empty batch at the deadline. Throws an input's
     * failure after the input's elements.
     */
    @Nullable
    Batch<T> take(long deadlineNanos, StageMeter meter) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            int input = next();
            if (input == InputSelection.NOBODY && !isOver()) {
                meter.beginBlockedUp();
                takerWaits = true;
                try {
                    do {
                        if (clock.hasPassed(deadlineNanos)) {
                            return new Batch<>(0);
                        }
                        clock.await(lock, arrived, deadlineNanos);
                        input = next();
                    } while (input == InputSelection.NOBODY && !isOver());
                } finally {
                    takerWaits = false;
                    meter.endBlockedUp();
                }
            }
            if (input == InputSelection.NOBODY) {
                return null;
            }
            Inlet<T> inlet = inlets.get(input);
            Batch<T> batch = inlet.batches.remove();
            inlet.elements -= batch.size();
            inlet.notFull.signal();
            turns.taken(input, batch.size());
            lastInput = input;
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private int next() throws InterruptedException {
        if (failed != null && failed.failure != null && failed.batches.isEmpty()) {
            throw FailureTransfer.rethrowFromAbove(failed.failure);
        }
        if (untilFirstEnds && isOver()) {
            return InputSelection.NOBODY;
        }
        return turns.next(input -> !inlets.get(input).batches.isEmpty());
    }

    private boolean isOver() {
        if (cancelled || open == 0) {
            return true;
        }
        if (untilFirstEnds) {
            for (Inlet<T> inlet : inlets) {
                if (inlet.ended && inlet.batches.isEmpty()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the input of the last batch. Called only by the taking thread. */
    int lastInput() {
        return lastInput;
    }

    /** Abandons the queued elements, refuses further puts, and interrupts the threads of the inputs. */
    void cancel() {
        // Cancel the threads first, so that the inputs' stages know of a failure before a put is refused.
        segments.forEach(Segment::cancel);
        List<Batch<T>> left = new ArrayList<>();
        lock.lock();
        try {
            cancelled = true;
            for (Inlet<T> inlet : inlets) {
                left.addAll(inlet.batches);
                inlet.batches.clear();
                inlet.elements = 0;
                inlet.notFull.signalAll();
            }
        } finally {
            lock.unlock();
        }
        left.forEach(Batch::abandonAll);
    }

    int depth() {
        lock.lock();
        try {
            int sum = 0;
            for (Inlet<T> inlet : inlets) {
                sum += inlet.elements;
            }
            return sum;
        } finally {
            lock.unlock();
        }
    }

    private static final class Inlet<T> {

        final Condition notFull;
        final ArrayDeque<Batch<T>> batches = new ArrayDeque<>();
        int elements;
        boolean ended;

        @Nullable
        Throwable failure;

        Inlet(Condition notFull) {
            this.notFull = notFull;
        }
    }
}
