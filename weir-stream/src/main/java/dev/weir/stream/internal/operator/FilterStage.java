package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Keeps the elements that a predicate accepts and acknowledges the others. */
final class FilterStage<T> implements Stage<T> {

    private final Stage<T> upstream;
    private final Predicate<? super T> keep;
    private final StageMeter meter;
    private final Clock clock;

    private FilterStage(Stage<T> upstream, Predicate<? super T> keep, StageMeter meter, Clock clock) {
        this.upstream = upstream;
        this.keep = keep;
        this.meter = meter;
        this.clock = clock;
    }

    static <T> Node<T> node(Node<T> above, Predicate<? super T> keep) {
        return new Node<>("filter", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            return new FilterStage<>(upstream, keep, assembly.fused(attributes).meter(), assembly.clock());
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        Batch<T> batch;
        while ((batch = upstream.pull(deadlineNanos)) != null) {
            int size = batch.size();
            if (size == 0) {
                return batch;
            }
            sift(batch);
            if (!batch.isEmpty() || clock.hasPassed(deadlineNanos)) {
                return batch;
            }
            batch.release();
        }
        return null;
    }

    private void sift(Batch<T> batch) {
        long start = System.nanoTime();
        int size = batch.size();
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (!keep.test(batch.get(i))) {
                batch.ack(i);
            } else {
                if (kept < i) {
                    batch.move(i, kept);
                }
                kept++;
            }
        }
        batch.truncate(kept);
        meter.worked(size, kept, start);
    }

    @Override
    public void close() {
        upstream.close();
    }
}
