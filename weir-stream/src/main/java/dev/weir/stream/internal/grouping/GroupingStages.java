package dev.weir.stream.internal.grouping;

import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.OverflowStrategy;
import dev.weir.stream.ThrottleMode;
import dev.weir.stream.internal.boundary.AsyncBoundary;
import dev.weir.stream.internal.run.ArgumentChecks;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Factory methods for the operators of this package, called by the public API. Stateless. */
public final class GroupingStages {

    /** The default burst of a throttle is the number of elements that its rate allows in this time. */
    private static final Duration DEFAULT_BURST_TIME = Duration.ofMillis(10);

    private GroupingStages() {}

    public static <T> BlueprintNode<List<T>> grouped(BlueprintNode<T> above, int count) {
        ArgumentChecks.atLeastOne("count", count);
        return GroupedStage.node("grouped", above, new GroupedStage.Limits<>(count, null, null, Stage.NEVER));
    }

    public static <T> BlueprintNode<List<T>> groupedWithin(BlueprintNode<T> above, int count, Duration window) {
        ArgumentChecks.atLeastOne("count", count);
        return GroupedStage.node(
                "groupedWithin",
                above,
                new GroupedStage.Limits<>(count, null, null, ArgumentChecks.positiveNanos("window", window)));
    }

    public static <T> BlueprintNode<List<T>> groupedWeighted(
            BlueprintNode<T> above, long maxWeight, ToLongFunction<? super T> weight) {
        ArgumentChecks.atLeastOne("maxWeight", maxWeight);
        return GroupedStage.node(
                "groupedWeighted", above, new GroupedStage.Limits<>(maxWeight, weight, null, Stage.NEVER));
    }

    public static <T> BlueprintNode<List<T>> groupedWeightedWithin(
            BlueprintNode<T> above, long maxWeight, Duration window, ToLongFunction<? super T> weight) {
        ArgumentChecks.atLeastOne("maxWeight", maxWeight);
        return GroupedStage.node(
                "groupedWeightedWithin",
                above,
                new GroupedStage.Limits<>(maxWeight, weight, null, ArgumentChecks.positiveNanos("window", window)));
    }

    public static <T> BlueprintNode<List<T>> groupedAdjacentBy(
            BlueprintNode<T> above, Function<? super T, ?> key, int max) {
        ArgumentChecks.atLeastOne("max", max);
        return GroupedStage.node("groupedAdjacentBy", above, new GroupedStage.Limits<>(max, null, key, Stage.NEVER));
    }

    public static <T> BlueprintNode<List<T>> groupedAdjacentBy(
            BlueprintNode<T> above, Function<? super T, ?> key, int max, Duration window) {
        ArgumentChecks.atLeastOne("max", max);
        return GroupedStage.node(
                "groupedAdjacentBy",
                above,
                new GroupedStage.Limits<>(max, null, key, ArgumentChecks.positiveNanos("window", window)));
    }

    public static <T> BlueprintNode<List<T>> sliding(BlueprintNode<T> above, int size, int step) {
        return SlidingStage.node(above, size, step);
    }

    public static <T, A> BlueprintNode<A> batch(
            BlueprintNode<T> above,
            long max,
            Function<? super T, ? extends A> seed,
            BiFunction<? super A, ? super T, ? extends A> aggregate) {
        ArgumentChecks.atLeastOne("max", max);
        return AggregationBuffer.node("batch", above, new AggregationBuffer.Plan<>(max, null, seed, aggregate));
    }

    public static <T, A> BlueprintNode<A> batchWeighted(
            BlueprintNode<T> above,
            long maxWeight,
            ToLongFunction<? super T> weight,
            Function<? super T, ? extends A> seed,
            BiFunction<? super A, ? super T, ? extends A> aggregate) {
        ArgumentChecks.atLeastOne("maxWeight", maxWeight);
        return AggregationBuffer.node(
                "batchWeighted", above, new AggregationBuffer.Plan<>(maxWeight, weight, seed, aggregate));
    }

    public static <T, A> BlueprintNode<A> conflate(
            BlueprintNode<T> above,
            Function<? super T, ? extends A> seed,
            BiFunction<? super A, ? super T, ? extends A> aggregate) {
        return AggregationBuffer.node(
                "conflate", above, new AggregationBuffer.Plan<>(Long.MAX_VALUE, null, seed, aggregate));
    }

    public static <T, R> BlueprintNode<R> expand(
            BlueprintNode<T> above, Function<? super T, ? extends Iterator<? extends R>> expander) {
        return ExpandStage.node("expand", above, expander);
    }

    public static <T> BlueprintNode<T> extrapolate(
            BlueprintNode<T> above, Function<? super T, ? extends Iterator<? extends T>> extrapolator) {
        return ExpandStage.node("extrapolate", above, element -> new ExtrapolatedElement<>(element, extrapolator));
    }

    public static <T> BlueprintNode<T> buffer(BlueprintNode<T> above, int capacity, OverflowStrategy strategy) {
        ArgumentChecks.atLeastOne("capacity", capacity);
        return strategy == OverflowStrategy.BACKPRESSURE
                ? AsyncBoundary.node(above, Dispatcher.virtual(), capacity).with(Attributes.named("buffer"))
                : DroppingBuffer.node(above, capacity, strategy);
    }

    /** Throttles with a burst of the elements that the rate allows in 10 ms, at least 1. */
    public static <T> BlueprintNode<T> throttle(BlueprintNode<T> above, long elements, Duration per) {
        long perNanos = ArgumentChecks.positiveNanos("per", per);
        double comes = (double) elements * DEFAULT_BURST_TIME.toNanos() / perNanos;
        long burst = Math.clamp((long) comes, 1, TokenBucket.maxBurst(Math.max(1, elements), perNanos));
        return throttle(above, elements, per, burst, ThrottleMode.SHAPING);
    }

    public static <T> BlueprintNode<T> throttle(
            BlueprintNode<T> above, long elements, Duration per, long burst, ThrottleMode mode) {
        ArgumentChecks.atLeastOne("elements", elements);
        return ThrottleStage.node(above, rate(elements, per, burst, null, mode));
    }

    public static <T> BlueprintNode<T> throttle(
            BlueprintNode<T> above,
            long costs,
            Duration per,
            long burst,
            ToLongFunction<? super T> cost,
            ThrottleMode mode) {
        ArgumentChecks.atLeastOne("costs", costs);
        return ThrottleStage.node(above, rate(costs, per, burst, cost, mode));
    }

    public static <T> BlueprintNode<T> throttlePerKey(
            BlueprintNode<T> above, long elements, Duration per, long burst, Function<? super T, ?> key, int maxHeld) {
        ArgumentChecks.atLeastOne("elements", elements);
        return KeyedThrottleStage.node(above, rate(elements, per, burst, null, ThrottleMode.SHAPING), key, maxHeld);
    }

    private static <T> ThrottleStage.Rate<T> rate(
            long permits, Duration per, long burst, @Nullable ToLongFunction<? super T> cost, ThrottleMode mode) {
        long perNanos = ArgumentChecks.positiveNanos("per", per);
        long maxBurst = TokenBucket.maxBurst(permits, perNanos);
        if (burst < 1 || burst > maxBurst) {
            throw new IllegalArgumentException(
                    "burst must be 1 to " + maxBurst + " at a rate of " + permits + " per " + per + ": burst=" + burst);
        }
        return new ThrottleStage.Rate<>(permits, perNanos, burst, cost, mode);
    }

    public static <T> BlueprintNode<T> delay(BlueprintNode<T> above, Function<? super T, Duration> delay, int maxHeld) {
        return DelayStage.node(above, delay, maxHeld);
    }

    public static <T> BlueprintNode<T> takeWithin(BlueprintNode<T> above, Duration time) {
        return TakeWithinStage.node(above, ArgumentChecks.nanos(time));
    }

    public static <T> BlueprintNode<T> dropWithin(BlueprintNode<T> above, Duration time) {
        return DropWithinStage.node(above, ArgumentChecks.nanos(time));
    }

    public static <T> BlueprintNode<T> initialDelay(BlueprintNode<T> above, Duration delay) {
        return InitialDelayStage.node(above, ArgumentChecks.nanos(delay));
    }

    public static <T> BlueprintNode<T> debounce(BlueprintNode<T> above, Duration quiet) {
        return TimedLatestStage.debounce(above, ArgumentChecks.positiveNanos("quiet", quiet));
    }

    public static <T> BlueprintNode<T> sample(BlueprintNode<T> above, Duration interval) {
        return TimedLatestStage.sample(above, ArgumentChecks.positiveNanos("interval", interval));
    }
}
