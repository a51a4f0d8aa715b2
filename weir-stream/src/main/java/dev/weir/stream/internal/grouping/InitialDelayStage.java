package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.operator.Wiring;
import dev.weir.stream.internal.run.Node;
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

    private boolean started;

    private InitialDelayStage(Wiring<T> wiring, long delayNanos) {
        this.upstream = wiring.upstream();
        this.clock = wiring.clock();
        this.startNanos = clock.after(delayNanos);
        this.meter = wiring.meter();
    }

    static <T> Node<T> node(Node<T> above, long delayNanos) {
        return Wiring.node("initialDelay", above, wiring -> new InitialDelayStage<>(wiring, delayNanos));
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        if (!started) {
            clock.sleepUntil(Deadlines.earlier(deadlineNanos, startNanos));
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
