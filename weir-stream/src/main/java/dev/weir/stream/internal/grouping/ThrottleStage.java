package dev.weir.stream.internal.grouping;

import dev.weir.stream.RateExceededException;
import dev.weir.stream.ThrottleMode;
import dev.weir.stream.internal.ack.RevocableElements;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.HeldElements;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.internal.run.StageEntry.Keeper;
import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.internal.waiting.DeadlineArithmetic;
import dev.weir.stream.internal.waiting.StreamTurn;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.time.Duration;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Lets elements pass at a limited rate. The stage holds one batch and emits its elements when they may pass. It pulls
 * the next batch when all have passed. Confined to the stage's thread, except for {@link #dropRevoked} and
 * {@link #find}.
 */
final class ThrottleStage<T> implements Stage<T>, Keeper {

    /** The rate. Without a cost function, each element costs 1. */
    record Rate<T>(
            long permits,
            long perNanos,
            long burst,
            @Nullable ToLongFunction<? super T> cost,
            ThrottleMode mode) {}

    private final FlushingIntake<T> intake;
    private final Rate<T> rate;
    private final TokenBucket bucket;
    private final SupervisedCall supervised;
    private final StageMeter meter;
    private final Clock clock;
    private final @Nullable StreamTurn turn;

    /**
     * Number of held elements. Set by the stage's thread, or by a thread that removes revoked elements while the stage
     * is not processing them.
     */
    private final HeldElements inside;

    private final ThrottlePace.Waiting waiting = new ThrottlePace.Waiting();

    /** Lets other threads remove revoked elements that have not passed yet. */
    private final RevocableElements elements = new RevocableElements(this::takeRevoked);

    private Batch<T> held = new Batch<>(0);
    private int next;

    /** Time at which the next element may pass. Valid after its permits have been taken. */
    private long readyNanos;

    private boolean paid;

    private ThrottleStage(
            Stage<T> upstream, Rate<T> rate, SupervisedCall supervised, StageEntry entry, @Nullable StreamTurn turn) {
        this.intake = new FlushingIntake<>(upstream);
        this.rate = rate;
        this.bucket = new TokenBucket(
                rate.permits, rate.perNanos, rate.burst, entry.clock().nanoTime());
        this.supervised = supervised;
        this.meter = entry.meter();
        this.clock = entry.clock();
        this.turn = turn;
        this.inside = new HeldElements(entry.meter());
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, Rate<T> rate) {
        return new BlueprintNode<>("throttle", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            StageEntry entry = assembly.fused(attributes);
            ThrottleStage<T> stage = new ThrottleStage<>(
                    upstream, rate, SupervisedCall.by(attributes, assembly.clock()), entry, assembly.turn());
            entry.keeper(stage);
            if (!assembly.isWithin() && !assembly.isProbe()) {
                entry.expose(new ThrottlePace(
                        entry.stageName(), (double) rate.permits / rate.perNanos * 1e9, stage.waiting));
            }
            return stage;
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        while (true) {
            if (!isHolding()) {
                Batch<T> batch = intake.isEnded() ? null : intake.pull(deadlineNanos);
                if (batch == null) {
                    return intake.end();
                }
                if (batch.isEmpty()) {
                    return batch;
                }
                meter.in(batch.size());
                hold(batch);
            }
            Batch<T> out;
            boolean waits;
            elements.beginWork();
            try {
                out = admit();
                inside.set(held.size() - next);
                waits = paid;
            } finally {
                elements.endWork();
            }
            if (!out.isEmpty() || clock.hasPassed(deadlineNanos)) {
                return out;
            }
            if (waits) {
                long untilNanos = DeadlineArithmetic.earlier(deadlineNanos, readyNanos);
                if (StreamTurn.isAskedFor(turn, untilNanos)) {
                    return out;
                }
                await(untilNanos);
            }
        }
    }

    private boolean isHolding() {
        elements.beginWork();
        try {
            return next < held.size();
        } finally {
            elements.endWork();
        }
    }

    private void hold(Batch<T> batch) {
        elements.beginWork();
        try {
            held = batch;
            next = 0;
            inside.set(batch.size());
        } finally {
            elements.endWork();
        }
    }

    /** Waits until the given time, or until {@link #dropRevoked} is called. */
    private void await(long untilNanos) throws InterruptedException {
        waiting.begin();
        try {
            boolean ignored = elements.awaitCall(clock, untilNanos);
        } finally {
            waiting.end();
        }
    }

    @Override
    public @Nullable Kept find(AckTarget of, long ofToken) {
        return elements.find(() -> {
            for (int i = next; i < held.size(); i++) {
                if (held.target(i).standsFor(held.token(i), of, ofToken)) {
                    return new Kept(held.get(i), false);
                }
            }
            return null;
        });
    }

    @Override
    public void dropRevoked() {
        elements.dropRevoked();
    }

    private Batch<?> takeRevoked() {
        Batch<?> revoked = new Batch<>(0);
        int kept = next;
        for (int i = next; i < held.size(); i++) {
            if (held.isRevoked(i)) {
                revoked.add(held.get(i), held.target(i), held.token(i));
                paid &= i > next;
            } else {
                held.move(i, kept++);
            }
        }
        held.truncate(kept);
        inside.set(kept - next);
        return revoked;
    }

    /** Emits the elements that may pass now. A failure is passed on after these elements. */
    private Batch<T> admit() throws InterruptedException {
        long start = System.nanoTime();
        long now = clock.nanoTime();
        Batch<T> out = new Batch<>(Math.min(held.size() - next, 64));
        try {
            while (next < held.size()) {
                if (held.dropIfRevoked(next)) {
                    paid = false;
                    next++;
                    continue;
                }
                paid = paid || pay(now);
                if (paid && now - readyNanos < 0) {
                    break;
                }
                if (paid) {
                    out.add(held.get(next), held.target(next), held.token(next));
                    paid = false;
                }
                next++;
            }
        } catch (InterruptedException interrupted) {
            out.abandonAll();
            throw interrupted;
        } catch (RuntimeException | Error failure) {
            intake.fail(failure);
            abandonHeld();
        }
        meter.worked(0, out.size(), start);
        return out;
    }

    /** Takes the permits for the next element. Returns false if the element was dropped. */
    private boolean pay(long now) throws InterruptedException {
        long cost;
        try {
            cost = costOf(held.get(next));
        } catch (Throwable thrown) {
            Object outcome = supervised.after(thrown, this::costOf, held.get(next));
            if (outcome instanceof FailureVerdict verdict) {
                return drop(verdict);
            }
            cost = (long) outcome;
        }
        long waitNanos = bucket.take(cost, now);
        if (waitNanos > 0 && rate.mode == ThrottleMode.ENFORCING) {
            bucket.giveBack(cost);
            return drop(supervised.decide(
                    new RateExceededException(rate.permits, Duration.ofNanos(rate.perNanos), waitNanos)));
        }
        readyNanos = now + waitNanos;
        return true;
    }

    private long costOf(T element) {
        long cost = rate.cost == null ? 1 : rate.cost.applyAsLong(element);
        if (cost < 0) {
            throw new IllegalArgumentException("a cost must not be negative: " + cost);
        }
        bucket.check(cost);
        return cost;
    }

    private boolean drop(FailureVerdict verdict) {
        supervised.note(verdict, held, next);
        verdict.throwIfFails();
        verdict.settle(held.target(next), held.token(next));
        return false;
    }

    private void abandonHeld() {
        held.abandonFrom(next);
        next = held.size();
    }

    @Override
    public void close() {
        elements.beginWork();
        abandonHeld();
        inside.set(0);
        intake.close();
    }
}
