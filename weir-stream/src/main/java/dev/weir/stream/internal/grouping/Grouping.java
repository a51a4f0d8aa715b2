package dev.weir.stream.internal.grouping;

import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.OverflowStrategy;
import dev.weir.stream.ThrottleMode;
import dev.weir.stream.internal.boundary.AsyncBoundary;
import dev.weir.stream.internal.run.Arguments;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The door of this package: one method for each operator, behind the facade's methods. Stateless. */
public final class Grouping {

    /** The time for which a throttle's default burst lasts. */
    private static final Duration DEFAULT_BURST_TIME = Duration.ofMillis(10);

    private Grouping() {}

    public static <T> Node<List<T>> grouped(Node<T> above, int count) {
        Arguments.atLeastOne("count", count);
        return GroupedStage.node("grouped", above, new GroupedStage.Limits<>(count, null, null, Stage.NEVER));
    }

    public static <T> Node<List<T>> groupedWithin(Node<T> above, int count, Duration window) {
        Arguments.atLeastOne("count", count);
        return GroupedStage.node(
                "groupedWithin",
                above,
                new GroupedStage.Limits<>(count, null, null, Arguments.positiveNanos("window", window)));
    }

    public static <T> Node<List<T>> groupedWeighted(Node<T> above, long maxWeight, ToLongFunction<? super T> weight) {
        Arguments.atLeastOne("maxWeight", maxWeight);
        return GroupedStage.node(
                "groupedWeighted", above, new GroupedStage.Limits<>(maxWeight, weight, null, Stage.NEVER));
    }

    public static <T> Node<List<T>> groupedWeightedWithin(
            Node<T> above, long maxWeight, Duration window, ToLongFunction<? super T> weight) {
        Arguments.atLeastOne("maxWeight", maxWeight);
        return GroupedStage.node(
                "groupedWeightedWithin",
                above,
                new GroupedStage.Limits<>(maxWeight, weight, null, Arguments.positiveNanos("window", window)));
    }

    public static <T> Node<List<T>> groupedAdjacentBy(Node<T> above, Function<? super T, ?> key, int max) {
        Arguments.atLeastOne("max", max);
        return GroupedStage.node("groupedAdjacentBy", above, new GroupedStage.Limits<>(max, null, key, Stage.NEVER));
    }

    public static <T> Node<List<T>> groupedAdjacentBy(
            Node<T> above, Function<? super T, ?> key, int max, Duration window) {
        Arguments.atLeastOne("max", max);
        return GroupedStage.node(
                "groupedAdjacentBy",
                above,
                new GroupedStage.Limits<>(max, null, key, Arguments.positiveNanos("window", window)));
    }

    public static <T> Node<List<T>> sliding(Node<T> above, int size, int step) {
        return SlidingStage.node(above, size, step);
    }

    public static <T, A> Node<A> batch(
            Node<T> above,
            long max,
            Function<? super T, ? extends A> seed,
            BiFunction<? super A, ? super T, ? extends A> aggregate) {
        Arguments.atLeastOne("max", max);
        return Aggregation.node("batch", above, new Aggregation.Plan<>(max, null, seed, aggregate));
    }

    public static <T, A> Node<A> batchWeighted(
            Node<T> above,
            long maxWeight,
            ToLongFunction<? super T> weight,
            Function<? super T, ? extends A> seed,
            BiFunction<? super A, ? super T, ? extends A> aggregate) {
        Arguments.atLeastOne("maxWeight", maxWeight);
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
        Arguments.atLeastOne("capacity", capacity);
        return strategy == OverflowStrategy.BACKPRESSURE
                ? AsyncBoundary.node(above, Dispatcher.virtual(), capacity).with(Attributes.named("buffer"))
                : DroppingBuffer.node(above, capacity, strategy);
    }

    /** With the burst that comes in 10 ms. */
    public static <T> Node<T> throttle(Node<T> above, long elements, Duration per) {
        long perNanos = Arguments.positiveNanos("per", per);
        double comes = (double) elements * DEFAULT_BURST_TIME.toNanos() / perNanos;
        long burst = Math.clamp((long) comes, 1, TokenBucket.maxBurst(Math.max(1, elements), perNanos));
        return throttle(above, elements, per, burst, ThrottleMode.SHAPING);
    }

    public static <T> Node<T> throttle(Node<T> above, long elements, Duration per, long burst, ThrottleMode mode) {
        Arguments.atLeastOne("elements", elements);
        return ThrottleStage.node(above, rate(elements, per, burst, null, mode));
    }

    public static <T> Node<T> throttle(
            Node<T> above, long costs, Duration per, long burst, ToLongFunction<? super T> cost, ThrottleMode mode) {
        Arguments.atLeastOne("costs", costs);
        return ThrottleStage.node(above, rate(costs, per, burst, cost, mode));
    }

    public static <T> Node<T> throttlePerKey(
            Node<T> above, long elements, Duration per, long burst, Function<? super T, ?> key, int maxHeld) {
        Arguments.atLeastOne("elements", elements);
        return KeyedThrottleStage.node(above, rate(elements, per, burst, null, ThrottleMode.SHAPING), key, maxHeld);
    }

    private static <T> ThrottleStage.Rate<T> rate(
            long permits, Duration per, long burst, @Nullable ToLongFunction<? super T> cost, ThrottleMode mode) {
        long perNanos = Arguments.positiveNanos("per", per);
        long maxBurst = TokenBucket.maxBurst(permits, perNanos);
        if (burst < 1 || burst > maxBurst) {
            throw new IllegalArgumentException(
                    "burst must be 1 to " + maxBurst + " at a rate of " + permits + " per " + per + ": burst=" + burst);
        }
        return new ThrottleStage.Rate<>(permits, perNanos, burst, cost, mode);
    }

    public static <T> Node<T> delay(Node<T> above, Function<? super T, Duration> delay, int maxHeld) {
        return DelayStage.node(above, delay, maxHeld);
    }

    public static <T> Node<T> takeWithin(Node<T> above, Duration time) {
        return TakeWithinStage.node(above, Arguments.nanos(time));
    }

    public static <T> Node<T> dropWithin(Node<T> above, Duration time) {
        return DropWithinStage.node(above, Arguments.nanos(time));
    }

    public static <T> Node<T> initialDelay(Node<T> above, Duration delay) {
        return InitialDelayStage.node(above, Arguments.nanos(delay));
    }

    public static <T> Node<T> debounce(Node<T> above, Duration quiet) {
        return TimedLatestStage.debounce(above, Arguments.positiveNanos("quiet", quiet));
    }

    public static <T> Node<T> sample(Node<T> above, Duration interval) {
        return TimedLatestStage.sample(above, Arguments.positiveNanos("interval", interval));
    }
}
