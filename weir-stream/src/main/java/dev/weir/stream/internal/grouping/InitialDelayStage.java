package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.operator.Wiring;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.internal.waiting.Deadlines;
import dev.weir.stream.internal.waiting.Turn;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.jspecify.annotations.Nullable;

/** Pulls nothing before a time has passed since the start of the run. Confined to the thread of its segment. */
final class InitialDelayStage<T> implements Stage<T> {

    private final Stage<T> upstream;
    private final Clock clock;
    private final long startNanos;
    private final StageMeter meter;

    private final @Nullable Turn turn;

    private boolean started;

    private InitialDelayStage(Wiring<T> wiring, @Nullable Turn turn, long delayNanos) {
        this.upstream = wiring.upstream();
        this.clock = wiring.clock();
        this.startNanos = clock.after(delayNanos);
        this.meter = wiring.meter();
        this.turn = turn;
    }

    static <T> Node<T> node(Node<T> above, long delayNanos) {
        return new Node<>("initialDelay", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            Wiring<T> wiring = new Wiring<>(upstream, assembly.fused(attributes), attributes);
            return new InitialDelayStage<>(wiring, assembly.turn(), delayNanos);
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        if (!started) {
            long untilNanos = Deadlines.earlier(deadlineNanos, startNanos);
            if (clock.hasPassed(startNanos) || !Turn.isAskedFor(turn, untilNanos)) {
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
