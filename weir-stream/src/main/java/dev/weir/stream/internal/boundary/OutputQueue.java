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
 * <p>States, as the giver sees them: <em>open</em>; <em>released</em> once the stages below have ended by themselves,
 * when what is given is acknowledged for them; <em>cancelled</em>, when it is refused. That the lower stages close
 * their input says nothing of which it is to be, as they do so after a failure too: it halts the giver until that is
 * known.
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
     * @param queue several outlets may share one: then whichever pulls first gets the batch
     * @param restGoesOn whether the whole goes on when the stages below end by themselves now
     */
    public OutputQueue(BoundaryQueue<T> queue, BooleanSupplier restGoesOn) {
        this.queue = queue;
        this.within = new SubstreamTarget.Wrapper(restGoesOn, leftovers);
    }

    /** Names the meter of the segment that pulls, which notes there how long it waits. Before the start. */
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

    /** The same without waiting: false as well if there is no room. Giver. */
    public boolean offer(Batch<T> batch) {
        return queue.offer(batch);
    }

    private boolean acknowledgeIfReleased(Batch<T> batch) {
        if (released) {
            batch.ackAll();
        }
        return released;
    }

    /** Ends the outlet, normally if {@code cause} is null, after what was given. Giver. */
    public void end(@Nullable Throwable cause) {
        queue.end(cause);
    }

    /** The stages below have ended by themselves. What becomes of what they left is said next. */
    public void ended() {
        leftovers.due();
    }

    /** The stages below have ended by themselves: acknowledges what they left and what is given from now on. */
    public void release() {
        released = true;
        queue.giveUp().forEach(Batch::ackAll);
        leftovers.finish();
    }

    /** The same where others share the queue: what is in there, and what is given, is theirs. */
    public void leaveToOthers() {
        leftovers.finish();
    }

    /** Drops what is inside and refuses what is given from now on. */
    public void cancel() {
        queue.cancel();
    }

    /** All is over: abandons what is inside and what the stages below have left, unless they ended by themselves. */
    public void leave() {
        if (!released) {
            queue.cancel();
        }
        leftovers.close();
    }

    /** Returns whether the stages below have pulled all that was given, to its normal end. */
    public boolean isExhausted() {
        return exhausted;
    }

    public boolean isReleased() {
        return released;
    }

    public int depth() {
        return queue.depth();
    }

    /** The element of a target, if something that stands for it waits here. Any thread. */
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

    /** Stages below whose output leaves the stream that begins here. */
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
        // Here and not where it was given: others may share the queue.
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
