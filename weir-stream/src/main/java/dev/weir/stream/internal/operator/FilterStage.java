package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.Supervised;
import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Failures;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the elements that a predicate accepts and acknowledges the others. A failure leaves after the elements before it.
 */
final class FilterStage<T> implements Stage<T> {

    private final Stage<T> upstream;
    private final Predicate<? super T> keep;
    private final StageMeter meter;
    private final Supervised supervised;
    private final Clock clock;

    private @Nullable Throwable failure;

    private FilterStage(
            Stage<T> upstream, Predicate<? super T> keep, StageMeter meter, Supervised supervised, Clock clock) {
        this.upstream = upstream;
        this.keep = keep;
        this.meter = meter;
        this.supervised = supervised;
        this.clock = clock;
    }

    static <T> Node<T> node(Node<T> above, Predicate<? super T> keep) {
        return new Node<>("filter", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            Clock clock = assembly.clock();
            return new FilterStage<>(
                    upstream, keep, assembly.fused(attributes).meter(), Supervised.by(attributes, clock), clock);
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        while (failure == null) {
            Batch<T> batch = upstream.pull(deadlineNanos);
            if (batch == null || batch.isEmpty()) {
                return batch;
            }
            sift(batch);
            if (!batch.isEmpty() || (failure == null && clock.hasPassed(deadlineNanos))) {
                return batch;
            }
            batch.release();
        }
        throw Failures.rethrowFromAbove(failure);
    }

    private void sift(Batch<T> batch) throws InterruptedException {
        long start = System.nanoTime();
        int size = batch.size();
        int kept = 0;
        for (int i = 0; i < size; i++) {
            T element = batch.get(i);
            boolean keeps;
            try {
                keeps = keep.test(element);
            } catch (Throwable thrown) {
                Object answer = supervised.after(thrown, keep::test, element);
                if (answer instanceof Verdict verdict) {
                    if (verdict.fails()) {
                        failure = verdict.failure();
                        break;
                    }
                    verdict.settle(batch.target(i), batch.token(i));
                    continue;
                }
                keeps = (boolean) answer;
            }
            if (!keeps) {
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
