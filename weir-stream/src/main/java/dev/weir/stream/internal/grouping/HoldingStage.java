package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.ack.RevocableElements;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.StageEntry.Keeper;
import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.internal.waiting.DeadlineArithmetic;
import dev.weir.stream.internal.waiting.StreamTurn;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A stage that holds elements until a time each. Takes in while it holds less than its bound, and then one batch more
 * at most. The end and a failure from above wait behind what is held. Confined to its segment, but for the gauge and
 * {@link #dropRevoked} and {@link #find}.
 */
abstract class HoldingStage<T> implements Stage<T>, Keeper {

    /** The constructor arguments that stages share; see their constructors. */
    record Parts<T>(
            FlushingIntake<T> intake,
            int maxHeld,
            SupervisedCall supervised,
            StageMeter meter,
            Clock clock,
            @Nullable StreamTurn turn) {}

    final FlushingIntake<T> intake;
    final SupervisedCall supervised;
    final StageMeter meter;
    final Clock clock;
    private final int maxHeld;
    private final @Nullable StreamTurn turn;

    /** Others take out of what is held what its source has lost. */
    private final RevocableElements elements = new RevocableElements(() -> {
        Batch<?> revoked = takeRevoked();
        depth = held();
        return revoked;
    });

    /** The time it was full of elements that wait for its rate. */
    private final ThrottlePace.Waiting waiting = new ThrottlePace.Waiting();

    /** The size of what is held, for gauges. */
    volatile int depth;

    HoldingStage(Parts<T> parts) {
        this.intake = parts.intake;
        this.maxHeld = parts.maxHeld;
        this.supervised = parts.supervised;
        this.meter = parts.meter;
        this.clock = parts.clock;
        this.turn = parts.turn;
    }

    static <T> BlueprintNode<T> node(
            String name, BlueprintNode<T> above, int maxHeld, Function<Parts<T>, HoldingStage<T>> maker) {
        if (maxHeld < 1) {
            throw new IllegalArgumentException("maxHeld must be at least 1: maxHeld=" + maxHeld);
        }
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            var entry = assembly.fused(attributes);
            HoldingStage<T> stage = maker.apply(new Parts<>(
                    new FlushingIntake<>(upstream),
                    attributes.bufferOr(maxHeld),
                    SupervisedCall.by(attributes, assembly.clock()),
                    entry.meter(),
                    assembly.clock(),
                    assembly.turn()));
            entry.depth(() -> stage.depth);
            entry.keeper(stage);
            Double perSecond = stage.perSecond();
            if (perSecond != null && !assembly.isWithin() && !assembly.isProbe()) {
                entry.expose(new ThrottlePace(entry.stageName(), perSecond, stage.waiting));
            }
            return stage;
        });
    }

    /** The number of elements that are held. */
    abstract int held();

    /** The rate that elements are held for, or null if it is none. */
    @Nullable
    Double perSecond() {
        return null;
    }

    /** Time when the first held element may go; there is one. */
    abstract long firstReadyNanos();

    /** Holds what is too early, and leaves in the batch what may go on at once. */
    abstract void takeIn(Batch<T> batch) throws InterruptedException;

    /** Lets go of those whose time has come, a batch at most; there is one. */
    abstract Batch<T> release();

    /** Takes out of what is held what its source has lost. */
    abstract Batch<?> takeRevoked();

    /** Returns the held part of an element. */
    abstract @Nullable Kept findHeld(AckTarget of, long ofToken);

    @Override
    public final @Nullable Kept find(AckTarget of, long ofToken) {
        return elements.find(() -> findHeld(of, ofToken));
    }

    @Override
    public final void dropRevoked() {
        elements.dropRevoked();
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        elements.beginWork();
        try {
            return pullAtWork(deadlineNanos);
        } finally {
            elements.endWork();
        }
    }

    private @Nullable Batch<T> pullAtWork(long deadlineNanos) throws InterruptedException {
        while (true) {
            if (isFirstReady()) {
                Batch<T> out = release();
                depth = held();
                meter.out(out.size());
                return out;
            }
            boolean isEmpty = held() == 0;
            if (intake.isEnded() && isEmpty) {
                return intake.end();
            }
            long until = isEmpty ? deadlineNanos : DeadlineArithmetic.earlier(deadlineNanos, firstReadyNanos());
            if (intake.isEnded() || held() >= maxHeld) {
                if (StreamTurn.isAskedFor(turn, until)) {
                    return new Batch<>(0);
                }
                // What is held is all that there may be, so nothing but the rates is waited for.
                waiting.begin();
                try {
                    await(until);
                } finally {
                    waiting.end();
                }
            } else {
                Batch<T> batch = pullIntake(until);
                if (batch != null && batch.isEmpty() && !isFirstReady()) {
                    return batch;
                }
                if (batch != null && !batch.isEmpty() && passes(batch)) {
                    return batch;
                }
            }
            if (clock.hasPassed(deadlineNanos) && !isFirstReady()) {
                return new Batch<>(0);
            }
        }
    }

    /** Waits until then, or until others may have taken out what was lost. */
    private void await(long untilNanos) throws InterruptedException {
        elements.endWork();
        try {
            boolean ignored = elements.awaitCall(clock, untilNanos);
        } finally {
            elements.beginWork();
        }
    }

    private @Nullable Batch<T> pullIntake(long untilNanos) throws InterruptedException {
        elements.endWork();
        try {
            return intake.pull(untilNanos);
        } finally {
            elements.beginWork();
        }
    }

    /** Takes a batch in; whether some of it goes on at once. */
    private boolean passes(Batch<T> batch) throws InterruptedException {
        long start = System.nanoTime();
        int size = batch.size();
        takeIn(batch);
        depth = held();
        meter.worked(size, batch.size(), start);
        return !batch.isEmpty();
    }

    private boolean isFirstReady() {
        return held() > 0 && clock.hasPassed(firstReadyNanos());
    }

    /** Gives up what is held. */
    abstract void abandon();

    @Override
    public void close() {
        elements.beginWork();
        abandon();
        intake.close();
    }
}
