package dev.weir.stream.internal.sink;

import dev.weir.stream.Supervision;
import dev.weir.stream.internal.run.Failures;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collector;

/** The door of this package: the loops of sinks with a result. Stateless. */
public final class ResultLoops {

    private ResultLoops() {}

    /** Combines all elements, from a new start in each run. */
    public static <T, A, R> ResultLoop<T, R> fold(
            Supplier<? extends A> start,
            BiFunction<? super A, ? super T, ? extends A> function,
            Function<? super A, ? extends R> finish) {
        return (upstream, meter, supervision) ->
                finish.apply(new Folding<T, A>(start, function, supervision).run(upstream, meter));
    }

    /** Combines all elements as a collector does. */
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

    /** Combines all elements, starting with the first. */
    public static <T> ResultLoop<T, Optional<T>> reduce(BiFunction<? super T, ? super T, ? extends T> function) {
        return ResultLoops.<T, Optional<T>, Optional<T>>fold(
                Optional::empty,
                (combined, element) ->
                        Optional.of(combined.isEmpty() ? element : function.apply(combined.get(), element)),
                Function.identity());
    }

    /** Counts the elements. */
    public static <T> ResultLoop<T, Long> count() {
        return (upstream, meter, supervision) -> {
            long count = 0;
            Batch<T> batch;
            while ((batch = upstream.pull(Stage.NEVER)) != null) {
                count += batch.size();
                finish(batch, meter);
            }
            return count;
        };
    }

    /** The first element; the others are not asked for, or not acknowledged if they came with it. */
    public static <T> ResultLoop<T, Optional<T>> head() {
        return (upstream, meter, supervision) -> {
            Batch<T> batch;
            while ((batch = upstream.pull(Stage.NEVER)) != null) {
                if (!batch.isEmpty()) {
                    meter.in(1);
                    batch.ack(0);
                    return Optional.of(batch.get(0));
                }
            }
            return Optional.empty();
        };
    }

    /** The same loop, for which no result is a failure. */
    public static <T> ResultLoop<T, T> orElseThrow(ResultLoop<T, Optional<T>> loop) {
        return (upstream, meter, supervision) -> loop.run(upstream, meter, supervision)
                .orElseThrow(() -> new NoSuchElementException("the stream ended without an element"));
    }

    /** The last element. */
    public static <T> ResultLoop<T, Optional<T>> last() {
        return (upstream, meter, supervision) -> {
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
        private final Supervision supervision;
        private A combined;

        Folding(
                Supplier<? extends A> start,
                BiFunction<? super A, ? super T, ? extends A> function,
                Supervision supervision) {
            this.start = start;
            this.function = function;
            this.supervision = supervision;
            this.combined = start.get();
        }

        A run(Stage<T> upstream, StageMeter meter) throws InterruptedException {
            Batch<T> batch;
            while ((batch = upstream.pull(Stage.NEVER)) != null) {
                long startNanos = System.nanoTime();
                int size = batch.size();
                for (int i = 0; i < size; i++) {
                    if (takesIn(batch.get(i))) {
                        batch.ack(i);
                    }
                }
                meter.worked(size, size, startNanos);
                batch.release();
            }
            return combined;
        }

        /** Adds an element, and returns whether it is to be acknowledged. */
        private boolean takesIn(T element) {
            try {
                combined = Objects.requireNonNull(function.apply(combined, element), "a sink combined to null");
                return true;
            } catch (Throwable thrown) {
                return switch (supervision.decide(thrown)) {
                    case FAIL -> throw Failures.rethrow(thrown);
                    case SKIP -> true;
                    case SKIP_UNACKNOWLEDGED -> false;
                    case RESTART -> {
                        combined = start.get();
                        yield true;
                    }
                };
            }
        }
    }
}
