package dev.weir.stream.internal.boundary;

import dev.weir.stream.internal.ack.EachAcknowledgement;
import dev.weir.stream.internal.ack.LeftoverAcknowledgements;
import dev.weir.stream.internal.ack.SubstreamTarget;
import dev.weir.stream.internal.run.StageEntry.Keeper;
import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One output of a stage with several outputs. It is a bounded queue that also serves as the input of the stages
 * downstream of the output. Thread-safe, provided that one thread (the giver) gives batches and one other thread pulls
 * them.
 *
 * <p>The giver sees an output in one of these states:
 * <ul>
 * <li><em>open</em>: batches are queued;
 * <li><em>released</em>: the downstream stages have ended, and further batches are acknowledged or abandoned;
 * <li><em>cancelled</em>: further batches are refused.
 * </ul>
 */
public final class OutputQueue<T> implements Stage<T>, Keeper, SubstreamTarget.Exit {

    private final BoundaryQueue<T> queue;
    private volatile StageMeter lowerMeter = new StageMeter();

    private final LeftoverAcknowledgements leftovers = new LeftoverAcknowledgements();
    private final SubstreamTarget.Wrapper within;

    /** True if the downstream stages completed. Written before {@link #released}. */
    private volatile boolean whole = true;

    private volatile boolean released;
    private volatile boolean exhausted;

    /**
     * Creates an open output.
     *
     * @param queue may be shared by several outputs; each batch goes to the first output that pulls it
     * @param restGoesOn returns whether the stream continues after this output's stages have ended
     */
    public OutputQueue(BoundaryQueue<T> queue, BooleanSupplier restGoesOn) {
        this.queue = queue;
        this.within = new SubstreamTarget.Wrapper(restGoesOn, leftovers);
    }

    /** Sets the meter that counts the pulling thread's waits. Called before the run starts. */
    public void pulledBy(StageMeter segment) {
        lowerMeter = segment;
    }

    /**
     * Waits for room and queues the batch. If the output was cancelled, abandons the batch and returns false. Called by
     * the giver.
     */
    public boolean give(Batch<T> batch, StageMeter giver) throws InterruptedException {
        try {
            if (queue.put(batch, giver)) {
                return true;
            }
        } catch (InterruptedException | RuntimeException | Error thrown) {
            batch.abandonAll();
            throw thrown;
        }
        boolean ended = released;
        if (ended) {
            endReleased(batch);
        } else {
            batch.abandonAll();
        }
        return ended;
    }

    /**
     * Queues the batch without waiting. Returns false if the output was cancelled or has no room. Called by the giver.
     */
    public boolean offer(Batch<T> batch) {
        return queue.offer(batch);
    }

    private void endReleased(Batch<?> batch) {
        if (whole) {
            batch.ackAll();
        } else {
            batch.abandonAll();
        }
    }

    /** Ends the output after the queued batches, normally if {@code cause} is null. Called by the giver. */
    public void end(@Nullable Throwable cause) {
        queue.end(cause);
    }

    /**
     * Reports that the downstream stages have ended by themselves. The output keeps their elements until
     * {@link #release}, {@link #leaveToOthers} or {@link #leave}.
     */
    public void ended() {
        leftovers.due();
    }

    /**
     * Stops queuing, because the downstream stages have ended. Acknowledges held, queued and later elements if
     * {@code completed}, and abandons them otherwise.
     */
    public void release(boolean completed) {
        whole = completed;
        released = true;
        try {
            EachAcknowledgement.of(queue.giveUp(), this::endReleased);
        } finally {
            leftovers.end(completed);
        }
    }

    /**
     * Ends the elements that the downstream stages held, as {@link #release} does. The queued elements stay for the
     * other outputs of the queue.
     */
    public void leaveToOthers(boolean completed) {
        leftovers.end(completed);
    }

    /** Abandons the queued elements and refuses further batches. */
    public void cancel() {
        queue.cancel();
    }

    /**
     * Called at the end of the run. Abandons the elements that the downstream stages held. Abandons the queued elements
     * too, unless the output was released.
     */
    public void leave() {
        try {
            if (!released) {
                queue.cancel();
            }
        } finally {
            leftovers.close();
        }
    }

    /** Returns whether the downstream stages have pulled all batches and the end of the stream. */
    public boolean isExhausted() {
        return exhausted;
    }

    public boolean isReleased() {
        return released;
    }

    /** Returns whether batches after {@link #release} are acknowledged rather than abandoned. */
    public boolean isWhole() {
        return whole;
    }

    public int depth() {
        return queue.depth();
    }

    /** Finds a queued element by its acknowledgement target and token. May be called from any thread. */
    @Override
    public @Nullable Kept find(AckTarget of, long ofToken) {
        return queue.find(of, ofToken);
    }

    @Override
    public void dropRevoked() {
        queue.dropRevoked();
    }

    @Override
    public AckTarget outside(AckTarget target, long token) {
        return within.outside(target, token);
    }

    /**
     * Returns a stage that emits the batches of {@code lowest}, the inner stream's last stage. It gives their elements
     * the acknowledgement targets of the outer stream.
     */
    public <R> Stage<R> leaving(Stage<R> lowest) {
        return new Leaving<>(lowest, this);
    }

    private record Leaving<R>(Stage<R> lowest, OutputQueue<?> outlet) implements Stage<R> {

        @Override
        public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
            Batch<R> batch = lowest.pull(deadlineNanos);
            if (batch != null) {
                SubstreamTarget.leave(batch, outlet);
            }
            return batch;
        }

        @Override
        public void close() {
            lowest.close();
        }
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        // Wrap the targets here, not in give(): outputs with other wrappers may share the queue.
        Batch<T> batch = queue.take(deadlineNanos, lowerMeter);
        if (batch == null) {
            exhausted = !released;
        } else {
            batch.retarget(within);
        }
        return batch;
    }

    /** Does nothing. It is not known yet whether the downstream stages ended by themselves or failed. */
    @Override
    public void close() {}
}
