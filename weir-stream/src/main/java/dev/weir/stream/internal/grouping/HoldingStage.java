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
 * A stage that holds each element until it may leave. It pulls batches while it holds fewer elements than its limit.
 * One batch may exceed the limit. The stage emits the held elements before it ends or fails. Confined to the stage's
 * thread, except for {@link #depth}, {@link #dropRevoked} and {@link #find}.
 */
abstract class HoldingStage<T> implements Stage<T>, Keeper {

    /** Constructor arguments of all holding stages. */
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

    /** Lets other threads remove revoked elements. */
    private final RevocableElements elements = new RevocableElements(() -> {
        Batch<?> revoked = takeRevoked();
        depth = held();
        return revoked;
    });

    /** Measures the time during which only the rate limit made the stage wait. */
    private final ThrottlePace.Waiting waiting = new ThrottlePace.Waiting();

    /** Number of held elements, for gauges. */
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

    abstract int held();

    /** Returns the rate limit in elements per second, or null. */
    @Nullable
    Double perSecond() {
        return null;
    }

    /** Returns the time at which the first held element may leave. Called only if there is one. */
    abstract long firstReadyNanos();

    /** Holds the elements of {@code batch} that are too early. The remaining elements stay in the batch. */
    abstract void takeIn(Batch<T> batch) throws InterruptedException;

    /** Releases the elements that are due, at most one batch. Called only if an element is due. */
    abstract Batch<T> release();

    abstract Batch<?> takeRevoked();

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
                // A full stage, or one whose input has ended, waits only because of its rate limit.
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

    /** Waits until the given time, or until {@link #dropRevoked} is called. */
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

    /** Accepts a batch and holds the elements that are too early. Returns whether elements stay in the batch. */
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

    abstract void abandon();

    @Override
    public void close() {
        elements.beginWork();
        abandon();
        intake.close();
    }
}
