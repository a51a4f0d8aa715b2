package dev.weir.stream.internal.source;

import dev.weir.stream.internal.run.ArgumentChecks;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Emits the same element at a fixed rate. Ticks without demand are skipped. Confined to the stage's thread, except for
 * the stop.
 */
final class TickSource<T> implements Stage<T> {

    private static final long NOT_STARTED = Long.MIN_VALUE;

    private final T element;
    private final long initialDelayNanos;
    private final long intervalNanos;
    private final Clock clock;
    private final StageContext context;
    private final SourceSignal signal;

    private long nextTickNanos = NOT_STARTED;
    private volatile boolean stopped;

    private TickSource(T element, long initialDelayNanos, long intervalNanos, StageContext context) {
        this.element = element;
        this.initialDelayNanos = initialDelayNanos;
        this.intervalNanos = intervalNanos;
        this.clock = context.clock();
        this.context = context;
        this.signal = new SourceSignal(context);
    }

    static <T> BlueprintNode<T> node(Duration initialDelay, Duration interval, T element) {
        if (initialDelay.isNegative()) {
            throw new IllegalArgumentException("initialDelay must not be negative: initialDelay=" + initialDelay);
        }
        long initialDelayNanos = ArgumentChecks.nanos(initialDelay);
        long intervalNanos = ArgumentChecks.positiveNanos("interval", interval);
        return new BlueprintNode<>("tick", (assembly, attributes) -> {
            var entry = assembly.fused(attributes);
            TickSource<T> source = new TickSource<>(element, initialDelayNanos, intervalNanos, entry);
            entry.onStop(source::stop);
            return assembly.polled(source);
        });
    }

    private void stop() {
        stopped = true;
        signal.raise();
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        if (nextTickNanos == NOT_STARTED) {
            nextTickNanos = clock.after(initialDelayNanos);
        }
        boolean tickIsFirst = nextTickNanos != NEVER && (deadlineNanos == NEVER || nextTickNanos - deadlineNanos <= 0);
        if (signal.await(() -> stopped, tickIsFirst ? nextTickNanos : deadlineNanos)) {
            return null;
        }
        Batch<T> batch = new Batch<>(1);
        if (clock.hasPassed(nextTickNanos)) {
            long missed = (clock.nanoTime() - nextTickNanos) / intervalNanos;
            nextTickNanos = intervalNanos == NEVER ? NEVER : nextTickNanos + (missed + 1) * intervalNanos;
            batch.add(element);
            context.meter().out(1);
        }
        return batch;
    }

    @Override
    public void close() {}
}
