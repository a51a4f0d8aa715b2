package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.operator.StageWiring;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.waiting.DeadlineArithmetic;
import dev.weir.stream.internal.waiting.StreamTurn;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.jspecify.annotations.Nullable;

/** Pulls no elements until a time has passed since the start of the run. Confined to the stage's thread. */
final class InitialDelayStage<T> implements Stage<T> {

    private final Stage<T> upstream;
    private final Clock clock;
    private final long startNanos;
    private final StageMeter meter;

    private final @Nullable StreamTurn turn;

    private boolean started;

    private InitialDelayStage(StageWiring<T> wiring, @Nullable StreamTurn turn, long delayNanos) {
        this.upstream = wiring.upstream();
        this.clock = wiring.clock();
        this.startNanos = clock.after(delayNanos);
        this.meter = wiring.meter();
        this.turn = turn;
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, long delayNanos) {
        return new BlueprintNode<>("initialDelay", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            StageWiring<T> wiring = new StageWiring<>(upstream, assembly.fused(attributes), attributes);
            return new InitialDelayStage<>(wiring, assembly.turn(), delayNanos);
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        if (!started) {
            long untilNanos = DeadlineArithmetic.earlier(deadlineNanos, startNanos);
            if (clock.hasPassed(startNanos) || !StreamTurn.isAskedFor(turn, untilNanos)) {
                clock.sleepUntil(untilNanos);
            }
            if (!clock.hasPassed(startNanos)) {
                return new Batch<>(0);
            }
            started = true;
        }
        Batch<T> batch = upstream.pull(deadlineNanos);
        if (batch != null) {
            meter.in(batch.size());
            meter.out(batch.size());
        }
        return batch;
    }

    @Override
    public void close() {
        upstream.close();
    }
}
