package dev.weir.stream.internal.failure;

import dev.weir.stream.Handler;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.waiting.DeadlineArithmetic;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Emits a supplied element whenever no element has arrived for a while. Supplied elements have no pending
 * acknowledgement. Confined to the stage's thread.
 */
final class KeepAliveStage<T> implements Stage<T> {

    private final Stage<T> upstream;
    private final long intervalNanos;
    private final Handler<Object, T> supplier;
    private final StageMeter meter;
    private final SupervisedCall supervised;
    private final Clock clock;

    private long dueNanos;

    private KeepAliveStage(
            Stage<T> upstream,
            Duration interval,
            Supplier<? extends T> supplier,
            StageMeter meter,
            SupervisedCall supervised,
            Clock clock) {
        this.upstream = upstream;
        this.intervalNanos = interval.toNanos();
        this.supplier = nothing -> Objects.requireNonNull(supplier.get(), "the supplier of keepAlive returned null");
        this.meter = meter;
        this.supervised = supervised;
        this.clock = clock;
        this.dueNanos = clock.after(intervalNanos);
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, Duration interval, Supplier<? extends T> supplier) {
        return new BlueprintNode<>("keepAlive", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            Clock clock = assembly.clock();
            return new KeepAliveStage<>(
                    upstream,
                    interval,
                    supplier,
                    assembly.fused(attributes).meter(),
                    SupervisedCall.by(attributes, clock),
                    clock);
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        Batch<T> batch = upstream.pull(DeadlineArithmetic.earlier(deadlineNanos, dueNanos));
        if (batch == null) {
            return null;
        }
        meter.in(batch.size());
        if (batch.isEmpty()) {
            if (!clock.hasPassed(dueNanos)) {
                return batch;
            }
            batch = signOfLife();
        }
        dueNanos = clock.after(intervalNanos);
        meter.out(batch.size());
        return batch;
    }

    /** Returns a batch with the supplied element, or an empty batch if a failure of the supplier was skipped. */
    private Batch<T> signOfLife() throws InterruptedException {
        Object outcome;
        try {
            outcome = supplier.handle(this);
        } catch (Throwable thrown) {
            outcome = supervised.after(thrown, supplier, this);
        }
        if (!(outcome instanceof FailureVerdict verdict)) {
            return Batch.unacknowledged(new Object[] {outcome}, 1);
        }
        if (verdict.fails()) {
            throw FailureTransfer.rethrowFromAbove(verdict.failure());
        }
        return new Batch<>(0);
    }

    @Override
    public void close() {
        upstream.close();
    }
}
