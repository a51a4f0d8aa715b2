package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.ack.JointAck;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.HeldElements;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.internal.waiting.DeadlineArithmetic;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Groups elements into lists up to a weight, optionally with one key per list and within a time window from the list's
 * first element. The members of a list are acknowledged together. An incomplete list is emitted before the end or a
 * failure. Confined to the stage's thread.
 */
final class GroupedStage<T> implements Stage<List<T>> {

    /** Limits of a list. Without a weigher, each element weighs 1; without a key, all elements have the same key. */
    record Limits<T>(
            long weight,
            @Nullable ToLongFunction<? super T> weigher,
            @Nullable Function<? super T, ?> key,
            long windowNanos) {

        private long weightOf(T element) {
            long own = weigher == null ? 1 : weigher.applyAsLong(element);
            if (own < 0) {
                throw new IllegalArgumentException("a weight must not be negative: " + own);
            }
            return own;
        }
    }

    private final FlushingIntake<T> intake;
    private final Limits<T> limits;
    private final SupervisedCall supervised;
    private final StageMeter meter;
    private final Clock clock;

    private final HeldElements inside;

    private List<T> members;
    private JointAck acks;
    private long weight;
    private @Nullable Object key;
    private @Nullable Object nextKey;
    private boolean keyChanges;
    private long windowEndNanos = NEVER;

    private GroupedStage(
            Stage<T> upstream, Limits<T> limits, SupervisedCall supervised, StageMeter meter, Clock clock) {
        this.intake = new FlushingIntake<>(upstream);
        this.limits = limits;
        this.supervised = supervised;
        this.meter = meter;
        this.clock = clock;
        this.inside = new HeldElements(meter);
        this.members = new ArrayList<>(room());
        this.acks = new JointAck(room());
    }

    static <T> BlueprintNode<List<T>> node(String name, BlueprintNode<T> above, Limits<T> limits) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            StageAttributes heeded =
                    limits.weigher == null && limits.key == null ? StageAttributes.named(name) : attributes;
            return new GroupedStage<>(
                    upstream,
                    limits,
                    SupervisedCall.by(heeded, assembly.clock()),
                    assembly.fused(attributes).meter(),
                    assembly.clock());
        });
    }

    private int room() {
        return limits.weigher == null && limits.key == null
                ? (int) Math.min(limits.weight, Batch.DEFAULT_CAPACITY)
                : 16;
    }

    @Override
    public @Nullable Batch<List<T>> pull(long deadlineNanos) throws InterruptedException {
        while (true) {
            Batch<List<T>> out = new Batch<>(8);
            if (clock.hasPassed(windowEndNanos) || (intake.isEnded() && !members.isEmpty())) {
                emitInto(out);
                inside.set(0);
                meter.out(1);
                return out;
            }
            if (intake.isEnded()) {
                return intake.end();
            }
            Batch<T> batch = intake.pull(DeadlineArithmetic.earlier(deadlineNanos, windowEndNanos));
            if (batch == null) {
                continue;
            }
            if (batch.isEmpty()) {
                if (clock.hasPassed(windowEndNanos)) {
                    continue;
                }
                return out;
            }
            long start = System.nanoTime();
            inside.set(members.size() + batch.size());
            try {
                gather(batch, out);
            } catch (InterruptedException interrupted) {
                out.abandonAll();
                throw interrupted;
            }
            meter.worked(batch.size(), out.size(), start);
            inside.set(members.size());
            if (!out.isEmpty() || clock.hasPassed(deadlineNanos)) {
                return out;
            }
        }
    }

    private void gather(Batch<T> batch, Batch<List<T>> out) throws InterruptedException {
        // All elements of a batch count as arriving now.
        boolean beganBefore = !members.isEmpty();
        for (int i = 0; i < batch.size() && !intake.isEnded(); i++) {
            long own = weigh(batch, i);
            if (own < 0) {
                beganBefore &= !members.isEmpty();
                continue;
            }
            if ((own > limits.weight - weight || keyChanges) && !members.isEmpty()) {
                emitInto(out);
                beganBefore = false;
            }
            members.add(batch.get(i));
            acks.add(batch.target(i), batch.token(i));
            weight += own;
            key = nextKey;
            if (weight >= limits.weight) {
                emitInto(out);
                beganBefore = false;
            }
        }
        if (!beganBefore && !members.isEmpty() && limits.windowNanos != NEVER) {
            windowEndNanos = clock.after(limits.windowNanos);
        }
    }

    private long lookAt(T element) {
        if (limits.key != null) {
            nextKey = Objects.requireNonNull(limits.key.apply(element), "a key of groupedAdjacentBy is null");
            keyChanges = !nextKey.equals(key);
        }
        return limits.weightOf(element);
    }

    /** Returns the weight of an element, or -1 if it was dropped or fails the stream. Also stores its key. */
    private long weigh(Batch<T> batch, int index) throws InterruptedException {
        try {
            return lookAt(batch.get(index));
        } catch (Throwable thrown) {
            Object outcome = supervised.after(thrown, this::lookAt, batch, 0, index);
            if (!(outcome instanceof FailureVerdict verdict)) {
                return (long) outcome;
            }
            if (verdict.fails()) {
                intake.fail(verdict.failure());
            }
            verdict.settle(batch.target(index), batch.token(index));
            if (verdict.restarts()) {
                acks.asTarget().ack(0);
                begin();
            }
            return -1;
        }
    }

    private void emitInto(Batch<List<T>> out) {
        out.add(members, acks.asTarget(), 0);
        begin();
    }

    private void begin() {
        members = new ArrayList<>(room());
        acks = new JointAck(room());
        weight = 0;
        windowEndNanos = NEVER;
    }

    @Override
    public void close() {
        inside.set(0);
        acks.asTarget().abandon(0);
        acks = new JointAck(0);
        intake.close();
    }
}
