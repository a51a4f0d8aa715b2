package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.operator.StageWiring;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.waiting.DeadlineArithmetic;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.jspecify.annotations.Nullable;

/**
 * Lets elements pass until a time has passed since the start of the run, and then ends the stream. Confined to the
 * stage's thread.
 */
final class TakeWithinStage<T> implements Stage<T> {

    private final Stage<T> upstream;
    private final Clock clock;
    private final long endNanos;
    private final StageMeter meter;

    private boolean ended;

    private TakeWithinStage(StageWiring<T> wiring, long nanos) {
        this.upstream = wiring.upstream();
        this.clock = wiring.clock();
        this.endNanos = clock.after(nanos);
        this.meter = wiring.meter();
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, long nanos) {
        return StageWiring.node("takeWithin", above, wiring -> new TakeWithinStage<>(wiring, nanos));
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        if (ended) {
            return null;
        }
        Batch<T> batch =
                clock.hasPassed(endNanos) ? null : upstream.pull(DeadlineArithmetic.earlier(deadlineNanos, endNanos));
        if (batch != null && !clock.hasPassed(endNanos)) {
            meter.in(batch.size());
            meter.out(batch.size());
            return batch;
        }
        if (batch != null) {
            batch.forgoFrom(0);
        }
        close();
        return null;
    }

    @Override
    public void close() {
        if (!ended) {
            ended = true;
            upstream.close();
        }
    }
}
