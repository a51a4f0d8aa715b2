package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Replaces each element in place; its acknowledgement stays beside it. */
final class MapStage<T, R> implements Stage<R> {

    private final Stage<T> upstream;
    private final Function<? super T, ? extends R> function;
    private final StageMeter meter;

    private MapStage(Stage<T> upstream, Function<? super T, ? extends R> function, StageMeter meter) {
        this.upstream = upstream;
        this.function = function;
        this.meter = meter;
    }

    static <T, R> Node<R> node(Node<T> above, Function<? super T, ? extends R> function) {
        return new Node<>("map", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            return new MapStage<>(upstream, function, assembly.fused(attributes).meter());
        });
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        Batch<T> batch = upstream.pull(deadlineNanos);
        if (batch == null) {
            return null;
        }
        int size = batch.size();
        if (size == 0) {
            return batch.retyped();
        }
        long start = System.nanoTime();
        for (int i = 0; i < size; i++) {
            R result = function.apply(batch.get(i));
            if (result == null) {
                throw new NullPointerException("the function of map returned null; use mapConcat or filter to drop");
            }
            batch.set(i, result);
        }
        meter.worked(size, size, start);
        return batch.retyped();
    }

    @Override
    public void close() {
        upstream.close();
    }
}
