package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.Supervised;
import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Failures;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.internal.run.Specialised;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.lang.invoke.MethodHandles;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Replaces each element in place; its acknowledgement stays beside it. A failure leaves after the elements before it.
 */
final class MapStage<T, R> implements Stage<R> {

    private static final Specialised<Loop<?, ?>> LOOPS = Specialised.of(MethodHandles.lookup(), new MapLoop<>());

    private final Stage<T> upstream;
    private final Loop<T, MapStage<T, R>> loop;
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
        this.loop = Loop.of(LOOPS, function);
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
            long start = System.nanoTime();
            int kept = loop.run(batch, this);
            batch.truncate(kept);
            meter.worked(size, kept, start);
            if (kept > 0 || (failure == null && clock.hasPassed(deadlineNanos))) {
                return batch.retyped();
            }
            batch.release();
        }
        throw Failures.rethrowFromAbove(failure);
    }

    @Override
    public void close() {
        upstream.close();
    }

    /** Calls the function for each element. */
    private static final class MapLoop<T, R> implements Loop<T, MapStage<T, R>> {

        @Override
        public int run(Batch<T> batch, MapStage<T, R> stage) throws InterruptedException {
            Function<? super T, ? extends R> function = stage.function;
            int size = batch.size();
            int kept = 0;
            for (int i = 0; i < size; i++) {
                T element = batch.get(i);
                Object result;
                try {
                    result = notNull(function.apply(element));
                } catch (Throwable thrown) {
                    result = stage.supervised.after(thrown, again -> notNull(function.apply(again)), element);
                    if (result instanceof Verdict verdict) {
                        if (verdict.fails()) {
                            stage.failure = verdict.failure();
                            break;
                        }
                        verdict.settle(batch.target(i), batch.token(i));
                        continue;
                    }
                }
                batch.move(i, kept);
                batch.set(kept++, result);
            }
            return kept;
        }

        private static <R> R notNull(R result) {
            if (result == null) {
                throw new NullPointerException("the function of map returned null; use mapConcat or filter to drop");
            }
            return result;
        }
    }
}
