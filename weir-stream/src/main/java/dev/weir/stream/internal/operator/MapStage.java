package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.Supervised;
import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Failures;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Replaces each element in place; its acknowledgement stays beside it. A failure leaves after the elements before it.
 */
final class MapStage<T, R> implements Stage<R> {

    private final Stage<T> upstream;
    private final Function<? super T, ? extends R> function;
    private final StageMeter meter;
    private final Supervised supervised;
    private final Clock clock;

    private @Nullable Throwable failure;

    private MapStage(
            Stage<T> upstream,
            Function<? super T, ? extends R> function,
            StageMeter meter,
            Supervised supervised,
            Clock clock) {
        this.upstream = upstream;
        this.function = function;
        this.meter = meter;
        this.supervised = supervised;
        this.clock = clock;
    }

    static <T, R> Node<R> node(Node<T> above, Function<? super T, ? extends R> function) {
        return new Node<>("map", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            Clock clock = assembly.clock();
            return new MapStage<>(
                    upstream, function, assembly.fused(attributes).meter(), Supervised.by(attributes, clock), clock);
        });
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        while (failure == null) {
            Batch<T> batch = upstream.pull(deadlineNanos);
            if (batch == null) {
                return null;
            }
            int size = batch.size();
            if (size == 0) {
                return batch.retyped();
            }
            replace(batch);
            if (!batch.isEmpty() || (failure == null && clock.hasPassed(deadlineNanos))) {
                return batch.retyped();
            }
        }
        throw Failures.rethrowFromAbove(failure);
    }

    private void replace(Batch<T> batch) throws InterruptedException {
        long start = System.nanoTime();
        int size = batch.size();
        int dropped = 0;
        int i = 0;
        while (i < size && failure == null) {
            try {
                // All that a batch costs in which nothing is thrown.
                for (; i < size; i++) {
                    R result = call(batch.get(i));
                    if (dropped > 0) {
                        batch.move(i, i - dropped);
                    }
                    batch.set(i - dropped, result);
                }
            } catch (Throwable thrown) {
                Object outcome = supervised.after(thrown, this::call, batch.get(i));
                if (!(outcome instanceof Verdict verdict)) {
                    batch.move(i, i - dropped);
                    batch.set(i - dropped, outcome);
                    i++;
                } else if (verdict.fails()) {
                    failure = verdict.failure();
                } else {
                    verdict.settle(batch.target(i), batch.token(i));
                    i++;
                    dropped++;
                }
            }
        }
        int kept = i - dropped;
        if (kept < size) {
            batch.truncate(kept);
        }
        meter.worked(size, kept, start);
    }

    private R call(T element) {
        R result = function.apply(element);
        if (result == null) {
            throw new NullPointerException("the function of map returned null; use mapConcat or filter to drop");
        }
        return result;
    }

    @Override
    public void close() {
        upstream.close();
    }
}
