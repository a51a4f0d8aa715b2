package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.Supervised;
import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Failures;
import dev.weir.stream.internal.run.HeldElements;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.internal.run.Specialised;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.lang.invoke.MethodHandles;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the elements that a predicate accepts, or those that it refuses, and acknowledges the others. A failure leaves after the elements before it.
 */
final class FilterStage<T> implements Stage<T> {

    private static final Specialised<Loop<?, ?>> LOOPS = Specialised.of(MethodHandles.lookup(), new FilterLoop<>());

    private final Stage<T> upstream;
    private final Loop<T, FilterStage<T>> loop;
    private final Predicate<? super T> predicate;
    private final boolean wanted;
    private final StageMeter meter;
    private final Supervised supervised;
    private final Clock clock;
    private final HeldElements inside;

    private @Nullable Throwable failure;

    private FilterStage(
            Stage<T> upstream,
            Predicate<? super T> predicate,
            boolean wanted,
            StageMeter meter,
            Supervised supervised,
            Clock clock) {
        this.upstream = upstream;
        this.loop = Loop.of(LOOPS, predicate);
        this.predicate = predicate;
        this.wanted = wanted;
        this.meter = meter;
        this.supervised = supervised;
        this.clock = clock;
        this.inside = new HeldElements(meter);
    }

    /** Keeps the elements for which {@code predicate} says {@code wanted}. */
    static <T> Node<T> node(String name, Node<T> above, Predicate<? super T> predicate, boolean wanted) {
        return new Node<>(name, (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            Clock clock = assembly.clock();
            return new FilterStage<>(
                    upstream,
                    predicate,
                    wanted,
                    assembly.fused(attributes).meter(),
                    Supervised.by(attributes, clock),
                    clock);
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        while (failure == null) {
            Batch<T> batch = upstream.pull(deadlineNanos);
            if (batch == null || batch.isEmpty()) {
                return batch;
            }
            int size = batch.size();
            long start = System.nanoTime();
            inside.set(size);
            int kept = loop.run(batch, this);
            inside.set(0);
            batch.truncate(kept);
            meter.worked(size, kept, start);
            if (kept > 0 || (failure == null && clock.hasPassed(deadlineNanos))) {
                return batch;
            }
            batch.release();
        }
        throw Failures.rethrowFromAbove(failure);
    }

    @Override
    public void close() {
        inside.set(0);
        upstream.close();
    }

    /** Asks the predicate about each element. */
    private static final class FilterLoop<T> implements Loop<T, FilterStage<T>> {

        @Override
        public int run(Batch<T> batch, FilterStage<T> stage) throws InterruptedException {
            Predicate<? super T> predicate = stage.predicate;
            boolean wanted = stage.wanted;
            int size = batch.size();
            int kept = 0;
            for (int i = 0; i < size; i++) {
                T element = batch.get(i);
                boolean answer;
                try {
                    answer = predicate.test(element);
                } catch (Throwable thrown) {
                    Object later = stage.supervised.after(thrown, predicate::test, batch, kept, i);
                    if (later instanceof Verdict verdict) {
                        if (verdict.fails()) {
                            stage.failure = verdict.failure();
                            break;
                        }
                        verdict.settle(batch.target(i), batch.token(i));
                        continue;
                    }
                    answer = (boolean) later;
                }
                if (answer == wanted) {
                    batch.move(i, kept++);
                } else {
                    batch.ack(i);
                }
            }
            return kept;
        }
    }
}
