package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.HeldElements;
import dev.weir.stream.internal.waiting.DeadlineArithmetic;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Holds the latest element until it is due, and acknowledges the elements that it replaces. In {@code debounce}, each
 * element restarts the wait; {@code sample} emits at a fixed interval from the start. The last element is emitted
 * before the end or a failure of the input. Confined to the stage's thread.
 */
final class TimedLatestStage<T> implements Stage<T> {

    private final FlushingIntake<T> intake;
    private final long nanos;
    private final boolean sampling;
    private final StageMeter meter;
    private final Clock clock;
    private final long originNanos;

    private final HeldElements inside;

    private @Nullable T latest;
    private AckTarget target = AckTarget.NONE;
    private long token;
    private long dueNanos = NEVER;

    private TimedLatestStage(Stage<T> upstream, long nanos, boolean sampling, StageMeter meter, Clock clock) {
        this.intake = new FlushingIntake<>(upstream);
        this.nanos = nanos;
        this.sampling = sampling;
        this.meter = meter;
        this.clock = clock;
        this.originNanos = clock.nanoTime();
        this.inside = new HeldElements(meter);
    }

    static <T> BlueprintNode<T> debounce(BlueprintNode<T> above, long quietNanos) {
        return node("debounce", above, quietNanos, false);
    }

    static <T> BlueprintNode<T> sample(BlueprintNode<T> above, long intervalNanos) {
        return node("sample", above, intervalNanos, true);
    }

    private static <T> BlueprintNode<T> node(String name, BlueprintNode<T> above, long nanos, boolean sampling) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            return new TimedLatestStage<>(
                    upstream, nanos, sampling, assembly.fused(attributes).meter(), assembly.clock());
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        while (true) {
            if (latest != null && (intake.isEnded() || clock.hasPassed(dueNanos))) {
                return emit();
            }
            if (intake.isEnded()) {
                return intake.end();
            }
            Batch<T> batch = intake.pull(DeadlineArithmetic.earlier(deadlineNanos, dueNanos));
            if (batch == null) {
                continue;
            }
            boolean none = batch.isEmpty();
            if (!none) {
                take(batch);
            }
            // The input may return an empty batch before the deadline because it must not wait. Do not wait either.
            if ((none || clock.hasPassed(deadlineNanos)) && !clock.hasPassed(dueNanos)) {
                return new Batch<>(0);
            }
        }
    }

    private void take(Batch<T> batch) {
        long start = System.nanoTime();
        AckTarget replaced = latest == null ? AckTarget.NONE : target;
        long tokenReplaced = token;
        int last = batch.size() - 1;
        if (!sampling) {
            dueNanos = clock.after(nanos);
        } else if (latest == null) {
            dueNanos = clock.after(nanos - (clock.nanoTime() - originNanos) % nanos);
        }
        latest = batch.get(last);
        target = batch.target(last);
        token = batch.token(last);
        inside.set(1);
        try {
            replaced.ack(tokenReplaced);
        } finally {
            batch.ackRange(0, last);
        }
        meter.worked(batch.size(), 0, start);
    }

    private Batch<T> emit() {
        Batch<T> out = new Batch<>(1);
        out.add(Objects.requireNonNull(latest), target, token);
        latest = null;
        dueNanos = NEVER;
        inside.set(0);
        meter.out(1);
        return out;
    }

    @Override
    public void close() {
        inside.set(0);
        if (latest != null) {
            latest = null;
            target.abandon(token);
        }
        intake.close();
    }
}
