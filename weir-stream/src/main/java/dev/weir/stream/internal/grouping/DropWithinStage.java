package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.jspecify.annotations.Nullable;

/**
 * Drops and acknowledges what comes before a time has passed since the start of the run. Confined to the thread of its
 * segment.
 */
final class DropWithinStage<T> implements Stage<T> {

    private final Stage<T> upstream;
    private final Clock clock;
    private final long endNanos;
    private final StageMeter meter;

    private DropWithinStage(Stage<T> upstream, Clock clock, long nanos, StageMeter meter) {
        this.upstream = upstream;
        this.clock = clock;
        this.endNanos = clock.after(nanos);
        this.meter = meter;
    }

    static <T> Node<T> node(Node<T> above, long nanos) {
        return new Node<>("dropWithin", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            return new DropWithinStage<>(
                    upstream,
                    assembly.clock(),
                    nanos,
                    assembly.fused(attributes).meter());
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        while (true) {
            Batch<T> batch = upstream.pull(deadlineNanos);
            if (batch == null || batch.isEmpty()) {
                return batch;
            }
            meter.in(batch.size());
            if (clock.hasPassed(endNanos)) {
                meter.out(batch.size());
                return batch;
            }
            batch.ackAll();
            batch.release();
            if (clock.hasPassed(deadlineNanos)) {
                return new Batch<>(0);
            }
        }
    }

    @Override
    public void close() {
        upstream.close();
    }
}
