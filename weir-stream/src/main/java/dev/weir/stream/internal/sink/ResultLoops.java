package dev.weir.stream.internal.sink;

import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayDeque;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collector;

/** Creates the loops of sinks that have a result. Called by the public API. Stateless. */
public final class ResultLoops {

    private ResultLoops() {}

    /** Combines all elements, starting with a new initial value in each run. */
    public static <T, A, R> ResultLoop<T, R> fold(
            Supplier<? extends A> start,
            BiFunction<? super A, ? super T, ? extends A> function,
            Function<? super A, ? extends R> finish) {
        return (upstream, meter, supervised) ->
                finish.apply(new Folding<T, A>(start, function, supervised).run(upstream, meter));
    }

    /** Combines all elements with a collector. */
    public static <T, A, R> ResultLoop<T, R> collect(Collector<? super T, A, ? extends R> collector) {
        var accumulator = collector.accumulator();
        return fold(
                collector.supplier(),
                (container, element) -> {
                    accumulator.accept(container, element);
                    return container;
                },
                collector.finisher());
    }

    /** Combines all elements, starting with the first element. */
    public static <T> ResultLoop<T, Optional<T>> reduce(BiFunction<? super T, ? super T, ? extends T> function) {
        return ResultLoops.<T, Optional<T>, Optional<T>>fold(
                Optional::empty,
                (combined, element) ->
                        Optional.of(combined.isEmpty() ? element : function.apply(combined.get(), element)),
                Function.identity());
    }

    public static <T> ResultLoop<T, Long> count() {
        return (upstream, meter, supervised) -> {
            long count = 0;
            Batch<T> batch;
            while ((batch = upstream.pull(Stage.NEVER)) != null) {
                count += batch.size();
                finish(batch, meter);
            }
            return count;
        };
    }

    /** Returns the first element. Later elements of its batch are not acknowledged. */
    public static <T> ResultLoop<T, Optional<T>> head() {
        return (upstream, meter, supervised) -> {
            Batch<T> batch;
            while ((batch = upstream.pull(Stage.NEVER)) != null) {
                if (!batch.isEmpty()) {
                    meter.in(1);
                    try {
                        batch.ack(0);
                    } finally {
                        batch.forgoFrom(1);
                    }
                    return Optional.of(batch.get(0));
                }
            }
            return Optional.empty();
        };
    }

    /** Fails instead of returning an empty result. */
    public static <T> ResultLoop<T, T> orElseThrow(ResultLoop<T, Optional<T>> loop) {
        return (upstream, meter, supervised) -> loop.run(upstream, meter, supervised)
                .orElseThrow(() -> new NoSuchElementException("the stream ended without an element"));
    }

    public static <T> ResultLoop<T, Optional<T>> last() {
        return (upstream, meter, supervised) -> {
            Optional<T> last = Optional.empty();
            Batch<T> batch;
            while ((batch = upstream.pull(Stage.NEVER)) != null) {
                if (!batch.isEmpty()) {
                    last = Optional.of(batch.get(batch.size() - 1));
                    finish(batch, meter);
                }
            }
            return last;
        };
    }

    public static <T> ResultLoop<T, List<T>> lastOf(int count) {
        return ResultLoops.<T, ArrayDeque<T>, List<T>>fold(
                ArrayDeque::new,
                (last, element) -> {
                    if (last.size() == count) {
                        last.removeFirst();
                    }
                    last.add(element);
                    return last;
                },
                List::copyOf);
    }

    private static void finish(Batch<?> batch, StageMeter meter) {
        long startNanos = System.nanoTime();
        batch.ackAll();
        meter.worked(batch.size(), batch.size(), startNanos);
        batch.release();
    }

    /** One run of a fold. */
    private static final class Folding<T, A> {

        private final Supplier<? extends A> start;
        private final BiFunction<? super A, ? super T, ? extends A> function;
        private final SupervisedCall supervised;
        private A combined;

        Folding(
                Supplier<? extends A> start,
                BiFunction<? super A, ? super T, ? extends A> function,
                SupervisedCall supervised) {
            this.start = start;
            this.function = function;
            this.supervised = supervised;
            this.combined = start.get();
        }

        A run(Stage<T> upstream, StageMeter meter) throws InterruptedException {
            Batch<T> batch;
            while ((batch = upstream.pull(Stage.NEVER)) != null) {
                long startNanos = System.nanoTime();
                int size = batch.size();
                meter.beginPass(batch, true, startNanos);
                for (int i = 0; i < size; i++) {
                    takeIn(batch, i);
                }
                meter.endPass();
                meter.worked(size, size, startNanos);
                batch.release();
            }
            return combined;
        }

        /**
         * Adds an element to the result, or drops it if the function failed and the supervision decides so. Ends the
         * element's acknowledgement.
         */
        private void takeIn(Batch<T> batch, int index) throws InterruptedException {
            T element = batch.get(index);
            try {
                combined = combine(element);
            } catch (Throwable thrown) {
                if (supervised.after(thrown, again -> combined = combine(again), element)
                        instanceof FailureVerdict verdict) {
                    supervised.note(verdict, batch, index);
                    verdict.throwIfFails();
                    verdict.settle(batch.target(index), batch.token(index));
                    if (verdict.restarts()) {
                        combined = start.get();
                    }
                    return;
                }
            }
            batch.ack(index);
        }

        private A combine(T element) {
            return Objects.requireNonNull(function.apply(combined, element), "a sink combined to null");
        }
    }
}
