package dev.weir.stream.internal.boundary;

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
 * One output of a stage that has several, and the input of the stages below it: a queue bounded in elements.
 * Thread-safe: one thread gives, one pulls.
 *
 * <p>States, as the giver sees them: <em>open</em>; <em>released</em> once the downstream stages have ended by
 * themselves, when further batches are acknowledged for them; <em>cancelled</em>, when further batches are refused.
 * When the lower stages close their input, the outcome is not known yet, because they do so after a failure too: the
 * giver halts until it is.
 */
public final class OutputQueue<T> implements Stage<T>, Keeper {

    private final BoundaryQueue<T> queue;
    private volatile StageMeter lowerMeter = new StageMeter();

    private final LeftoverAcknowledgements leftovers = new LeftoverAcknowledgements();
    private final SubstreamTarget.Wrapper within;

    private volatile boolean released;
    private volatile boolean exhausted;

    /**
     * Creates an open outlet.
     *
     * @param queue several outlets may share one; then the first to pull gets the batch
     * @param restGoesOn whether the stream continues if the downstream stages end by themselves now
     */
    public OutputQueue(BoundaryQueue<T> queue, BooleanSupplier restGoesOn) {
        this.queue = queue;
        this.within = new SubstreamTarget.Wrapper(restGoesOn, leftovers);
    }

    /** Sets the meter in which the pulling segment notes its waits. Before the start. */
    public void pulledBy(StageMeter segment) {
        lowerMeter = segment;
    }

    /** Waits for room and hands the batch over. Returns false, and abandons it, if the outlet was cancelled. Giver. */
    public boolean give(Batch<T> batch, StageMeter giver) throws InterruptedException {
        boolean given;
        try {
            given = queue.put(batch, giver) || acknowledgeIfReleased(batch);
        } catch (InterruptedException interrupted) {
            batch.abandonAll();
            throw interrupted;
        }
        if (!given) {
            batch.abandonAll();
        }
        return given;
    }

    /** Hands the batch over without waiting. Returns false if the outlet was cancelled or has no room. Giver. */
    public boolean offer(Batch<T> batch) {
        return queue.offer(batch);
    }

    private boolean acknowledgeIfReleased(Batch<T> batch) {
        if (released) {
            batch.ackAll();
        }
        return released;
    }

    /** Ends the outlet after the batches given so far, normally if {@code cause} is null. Giver. */
    public void end(@Nullable Throwable cause) {
        queue.end(cause);
    }

    /**
     * Records that the downstream stages have ended by themselves. A following call decides about the elements they
     * left.
     */
    public void ended() {
        leftovers.due();
    }

    /** Acknowledges the elements that the ended stages below left, and all batches given from now on. */
    public void release() {
        released = true;
        queue.giveUp().forEach(Batch::ackAll);
        leftovers.finish();
    }

    /** Leaves the elements in a shared queue, and all further ones, to the other outlets. */
    public void leaveToOthers() {
        leftovers.finish();
    }

    /** Drops the elements inside and refuses further batches. */
    public void cancel() {
        queue.cancel();
    }

    /**
     * Abandons the elements inside and those left by the downstream stages, unless these ended by themselves. At the
     * end of the run.
     */
    public void leave() {
        if (!released) {
            queue.cancel();
        }
        leftovers.close();
    }

    /** Returns whether the downstream stages have pulled all batches up to a normal end. */
    public boolean isExhausted() {
        return exhausted;
    }

    public boolean isReleased() {
        return released;
    }

    public int depth() {
        return queue.depth();
    }

    /** Finds the waiting element of an acknowledgement target. May be called from any thread. */
    @Override
    public @Nullable Kept find(AckTarget of, long ofToken) {
        return queue.find(of, ofToken);
    }

    @Override
    public void dropRevoked() {
        queue.dropRevoked();
    }

    /** See {@link SubstreamTarget.Wrapper#outside}. */
    public AckTarget outside(AckTarget target) {
        return within.outside(target);
    }

    /** Wraps the downstream stages, so that their output leaves the stream that begins here. */
    public <R> Stage<R> leaving(Stage<R> lowest) {
        return new Leaving<>(lowest, this);
    }

    private record Leaving<R>(Stage<R> lowest, OutputQueue<?> outlet) implements Stage<R> {

        @Override
        public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
            Batch<R> batch = lowest.pull(deadlineNanos);
            if (batch != null) {
                SubstreamTarget.leave(batch, outlet::outside);
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
        // Wrapped here and not when given, because others may share the queue.
        Batch<T> batch = queue.take(deadlineNanos, lowerMeter);
        if (batch == null) {
            exhausted = !released;
        } else {
            batch.retarget(within);
        }
        return batch;
    }

    /** Does nothing; see the states. */
    @Override
    public void close() {}
}
