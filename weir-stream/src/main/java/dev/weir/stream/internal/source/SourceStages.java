package dev.weir.stream.internal.source;

import dev.weir.stream.Action;
import dev.weir.stream.Handler;
import dev.weir.stream.Unfolded;
import dev.weir.stream.internal.run.BlueprintNode;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/** Factory methods for the sources of this package, called by the public API. Stateless. */
public final class SourceStages {

    private SourceStages() {}

    public static <T> BlueprintNode<T> iterable(String name, Iterable<? extends T> elements) {
        return IteratorSource.node(name, elements);
    }

    public static <T> BlueprintNode<T> empty() {
        return iterable("empty", List.of());
    }

    public static <T> BlueprintNode<T> failed(Throwable failure) {
        return FailedSource.node(failure);
    }

    public static <T> BlueprintNode<T> never() {
        return NeverSource.node();
    }

    public static <T> BlueprintNode<T> repeat(T element) {
        return iterable("repeat", () -> new Repeat<>(element));
    }

    public static <T> BlueprintNode<T> cycle(Iterable<? extends T> elements) {
        return iterable("cycle", () -> new Cycle<>(elements));
    }

    /** Creates a source of the numbers from {@code from} to {@code to}, exclusive, converted by {@code boxing}. */
    public static <T> BlueprintNode<T> range(long from, long to, LongFunction<T> boxing) {
        return iterable("range", () -> new Range<>(from, to, boxing));
    }

    public static <T> BlueprintNode<T> tick(Duration initialDelay, Duration interval, T element) {
        return TickSource.node(initialDelay, interval, element);
    }

    public static <S, T> BlueprintNode<T> unfold(S initial, Function<? super S, Optional<Unfolded<S, T>>> function) {
        return UnfoldSource.node(initial, function);
    }

    public static <S, T> BlueprintNode<T> unfoldAsync(
            S initial, Function<? super S, ? extends CompletionStage<Optional<Unfolded<S, T>>>> function) {
        return UnfoldAsyncSource.node("unfoldAsync", initial, function);
    }

    public static <R, T> BlueprintNode<T> resource(
            Callable<? extends R> open, Handler<? super R, Optional<T>> read, Action<? super R> close) {
        return ResourceSource.node(open, read, close);
    }

    public static <T> BlueprintNode<T> completionStage(CompletionStage<? extends T> stage) {
        return UnfoldAsyncSource.node("completionStage", true, first -> onlyOne(first, stage));
    }

    private static <T> CompletionStage<Optional<Unfolded<Boolean, T>>> onlyOne(
            boolean first, CompletionStage<? extends T> stage) {
        return first
                ? stage.thenApply(element -> Optional.of(new Unfolded<Boolean, T>(
                        false, Objects.requireNonNull(element, "completionStage was completed with null"))))
                : CompletableFuture.completedStage(Optional.empty());
    }

    public static <T> BlueprintNode<T> completionStageSource(CompletionStage<BlueprintNode<T>> stage) {
        return DeferredSource.node("completionStageSource", completionStage(stage));
    }

    public static <T> BlueprintNode<T> lazily(Supplier<BlueprintNode<T>> source) {
        return DeferredSource.node(
                "lazily",
                unfold(
                        true,
                        first -> first
                                ? Optional.of(new Unfolded<Boolean, BlueprintNode<T>>(false, source.get()))
                                : Optional.empty()));
    }

    private record Repeat<T>(T element) implements Iterator<T> {

        @Override
        public boolean hasNext() {
            return true;
        }

        @Override
        public T next() {
            return element;
        }
    }

    private static final class Range<T> implements Iterator<T> {

        private final long to;
        private final LongFunction<T> boxing;
        private long next;

        Range(long from, long to, LongFunction<T> boxing) {
            this.next = from;
            this.to = to;
            this.boxing = boxing;
        }

        @Override
        public boolean hasNext() {
            return next < to;
        }

        @Override
        public T next() {
            if (next >= to) {
                throw new NoSuchElementException();
            }
            return boxing.apply(next++);
        }
    }

    /** Iterates over {@code elements} again and again. Ends when an iteration has no elements. */
    private static final class Cycle<T> implements Iterator<T> {

        private final Iterable<? extends T> elements;
        private Iterator<? extends T> round;

        Cycle(Iterable<? extends T> elements) {
            this.elements = elements;
            this.round = round(elements);
        }

        private static <T> Iterator<? extends T> round(Iterable<? extends T> elements) {
            return Objects.requireNonNull(elements.iterator(), "cycle has null for an iterator");
        }

        @Override
        public boolean hasNext() {
            if (!round.hasNext()) {
                round = round(elements);
            }
            return round.hasNext();
        }

        @Override
        public T next() {
            return round.next();
        }
    }
}
