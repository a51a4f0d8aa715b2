package dev.weir.stream.internal.grouping;

import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.OverflowStrategy;
import dev.weir.stream.ThrottleMode;
import dev.weir.stream.internal.boundary.AsyncBoundary;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** The door of this package: one method for each operator, behind the facade's methods. Stateless. */
public final class Grouping {

    private Grouping() {}

    public static <T> Node<List<T>> grouped(Node<T> above, int count) {
        return GroupedStage.node("grouped", above, new GroupedStage.Limits<>(count, null, null, Stage.NEVER));
    }

    public static <T> Node<List<T>> groupedWithin(Node<T> above, int count, Duration window) {
        return GroupedStage.node(
                "groupedWithin",
                above,
                new GroupedStage.Limits<>(count, null, null, Deadlines.positiveNanos("window", window)));
    }

    public static <T> Node<List<T>> groupedWeighted(Node<T> above, long maxWeight, ToLongFunction<? super T> weight) {
        return GroupedStage.node(
                "groupedWeighted", above, new GroupedStage.Limits<>(maxWeight, weight, null, Stage.NEVER));
    }

    public static <T> Node<List<T>> groupedWeightedWithin(
            Node<T> above, long maxWeight, Duration window, ToLongFunction<? super T> weight) {
        return GroupedStage.node(
                "groupedWeightedWithin",
                above,
                new GroupedStage.Limits<>(maxWeight, weight, null, Deadlines.positiveNanos("window", window)));
    }

    public static <T> Node<List<T>> groupedAdjacentBy(Node<T> above, Function<? super T, ?> key, int max) {
        return GroupedStage.node("groupedAdjacentBy", above, new GroupedStage.Limits<>(max, null, key, Stage.NEVER));
    }

    public static <T> Node<List<T>> groupedAdjacentBy(
            Node<T> above, Function<? super T, ?> key, int max, Duration window) {
        return GroupedStage.node(
                "groupedAdjacentBy",
                above,
                new GroupedStage.Limits<>(max, null, key, Deadlines.positiveNanos("window", window)));
    }

    public static <T> Node<List<T>> sliding(Node<T> above, int size, int step) {
        return SlidingStage.node(above, size, step);
    }

    public static <T, A> Node<A> batch(
            Node<T> above,
            long max,
            Function<? super T, ? extends A> seed,
            BiFunction<? super A, ? super T, ? extends A> aggregate) {
        return Aggregation.node("batch", above, new Aggregation.Plan<>(max, null, seed, aggregate));
    }

    public static <T, A> Node<A> batchWeighted(
            Node<T> above,
            long maxWeight,
            ToLongFunction<? super T> weight,
            Function<? super T, ? extends A> seed,
            BiFunction<? super A, ? super T, ? extends A> aggregate) {
        return Aggregation.node("batchWeighted", above, new Aggregation.Plan<>(maxWeight, weight, seed, aggregate));
    }

    public static <T, A> Node<A> conflate(
            Node<T> above,
            Function<? super T, ? extends A> seed,
            BiFunction<? super A, ? super T, ? extends A> aggregate) {
        return Aggregation.node("conflate", above, new Aggregation.Plan<>(Long.MAX_VALUE, null, seed, aggregate));
    }

    public static <T, R> Node<R> expand(Node<T> above, Function<? super T, ? extends Iterator<? extends R>> expander) {
        return ExpandStage.node("expand", above, expander);
    }

    public static <T> Node<T> extrapolate(
            Node<T> above, Function<? super T, ? extends Iterator<? extends T>> extrapolator) {
        return ExpandStage.node("extrapolate", above, element -> new Extrapolation<>(element, extrapolator));
    }

    public static <T> Node<T> buffer(Node<T> above, int capacity, OverflowStrategy strategy) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity must be at least 1: capacity=" + capacity);
        }
        return strategy == OverflowStrategy.BACKPRESSURE
                ? AsyncBoundary.node(above, Dispatcher.virtual(), capacity).with(Attributes.named("buffer"))
                : DroppingBuffer.node(above, capacity, strategy);
    }

    public static <T> Node<T> throttle(Node<T> above, long elements, Duration per, long burst, ThrottleMode mode) {
        return ThrottleStage.node(
                above, new ThrottleStage.Rate<>(elements, Deadlines.positiveNanos("per", per), burst, null, mode));
    }

    public static <T> Node<T> throttle(
            Node<T> above, long elements, Duration per, long burst, ToLongFunction<? super T> cost, ThrottleMode mode) {
        return ThrottleStage.node(
                above, new ThrottleStage.Rate<>(elements, Deadlines.positiveNanos("per", per), burst, cost, mode));
    }

    public static <T> Node<T> throttlePerKey(
            Node<T> above, long elements, Duration per, long burst, Function<? super T, ?> key, int maxHeld) {
        return KeyedThrottleStage.node(
                above,
                new ThrottleStage.Rate<>(
                        elements, Deadlines.positiveNanos("per", per), burst, null, ThrottleMode.SHAPING),
                key,
                maxHeld);
    }

    public static <T> Node<T> delay(Node<T> above, Function<? super T, Duration> delay, int maxHeld) {
        return DelayStage.node(above, delay, maxHeld);
    }

    public static <T> Node<T> takeWithin(Node<T> above, Duration time) {
        return TakeWithinStage.node(above, Deadlines.nanos(time));
    }

    public static <T> Node<T> dropWithin(Node<T> above, Duration time) {
        return DropWithinStage.node(above, Deadlines.nanos(time));
    }

    public static <T> Node<T> initialDelay(Node<T> above, Duration delay) {
        return InitialDelayStage.node(above, Deadlines.nanos(delay));
    }

    public static <T> Node<T> debounce(Node<T> above, Duration quiet) {
        return LatestStage.debounce(above, Deadlines.positiveNanos("quiet", quiet));
    }

    public static <T> Node<T> sample(Node<T> above, Duration interval) {
        return LatestStage.sample(above, Deadlines.positiveNanos("interval", interval));
    }
}
