package dev.weir.stream.internal.operator;

import dev.weir.stream.Action;
import dev.weir.stream.Indexed;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.ElementOperator;
import dev.weir.stream.spi.OperatorFactory;
import dev.weir.stream.spi.SinkFactory;
import dev.weir.stream.spi.SourceFactory;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Factory methods for the operators of this package, called by the public API. Stateless. */
public final class ElementStages {

    private ElementStages() {}

    public static <T> BlueprintNode<T> custom(String name, SourceFactory<T> factory) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            StageContext context = assembly.fused(attributes);
            return assembly.source(() -> factory.create(context));
        });
    }

    public static <T, R> BlueprintNode<R> stage(String name, BlueprintNode<T> above, OperatorFactory<T, R> factory) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            StageContext context = assembly.fused(attributes);
            return assembly.made(() -> factory.create(upstream, context));
        });
    }

    public static <T, R> BlueprintNode<R> operator(
            String name, BlueprintNode<T> above, Supplier<? extends ElementOperator<? super T, R>> operators) {
        return ElementOperatorStage.node(name, above, operators);
    }

    public static <T, R> BlueprintNode<R> map(BlueprintNode<T> above, Function<? super T, ? extends R> function) {
        return MapStage.node(above, function);
    }

    public static <T> BlueprintNode<T> filter(BlueprintNode<T> above, Predicate<? super T> keep) {
        return FilterStage.node("filter", above, keep, true);
    }

    public static <T> BlueprintNode<T> filterNot(BlueprintNode<T> above, Predicate<? super T> drop) {
        return FilterStage.node("filterNot", above, drop, false);
    }

    public static <T, R> BlueprintNode<R> mapConcat(
            BlueprintNode<T> above, Function<? super T, ? extends Iterable<? extends R>> function) {
        return MapConcatStage.node(above, function);
    }

    public static <T, R> BlueprintNode<R> collect(BlueprintNode<T> above, Function<? super T, @Nullable R> function) {
        return CollectStage.node(above, function);
    }

    /** See {@link dev.weir.stream.Source#statefulMap(Supplier, BiFunction, Function, Consumer)}. */
    public static <S, T, R> BlueprintNode<R> statefulMap(
            BlueprintNode<T> above,
            Supplier<? extends S> create,
            BiFunction<? super S, ? super T, @Nullable R> apply,
            Function<? super S, Optional<R>> onComplete,
            Action<? super S> close) {
        return StatefulMapStage.node(above, new StatefulMapStage.Functions<>(create, apply, onComplete, close));
    }

    public static <T, R> BlueprintNode<R> scan(
            BlueprintNode<T> above, R initial, BiFunction<? super R, ? super T, ? extends R> function) {
        return ScanStage.node(above, initial, function);
    }

    public static <T, R> BlueprintNode<R> fold(
            BlueprintNode<T> above, R initial, BiFunction<? super R, ? super T, ? extends R> function) {
        return FoldStage.fold(above, initial, function);
    }

    public static <T> BlueprintNode<T> reduce(
            BlueprintNode<T> above, BiFunction<? super T, ? super T, ? extends T> function) {
        return FoldStage.reduce(above, function);
    }

    public static <T> BlueprintNode<T> take(BlueprintNode<T> above, long count) {
        return TakeStage.node(above, count);
    }

    public static <T> BlueprintNode<T> takeWhile(
            BlueprintNode<T> above, Predicate<? super T> predicate, boolean inclusive) {
        return TakeWhileStage.node(above, predicate, inclusive);
    }

    public static <T> BlueprintNode<T> drop(BlueprintNode<T> above, long count) {
        return DropStage.node(above, count);
    }

    public static <T> BlueprintNode<T> dropWhile(BlueprintNode<T> above, Predicate<? super T> predicate) {
        return FilterStage.dropWhile(above, predicate);
    }

    public static <T> BlueprintNode<T> limit(BlueprintNode<T> above, long limit) {
        return LimitStage.node(above, limit);
    }

    public static <T> BlueprintNode<T> limitWeighted(
            BlueprintNode<T> above, long maxWeight, ToLongFunction<? super T> weight) {
        return LimitWeightedStage.node(above, maxWeight, weight);
    }

    public static <T> BlueprintNode<Indexed<T>> zipWithIndex(BlueprintNode<T> above) {
        return ZipWithIndexStage.node(above);
    }

    /** See {@link dev.weir.stream.Source#intersperse}. A null start or end is not emitted. */
    public static <T> BlueprintNode<T> intersperse(
            BlueprintNode<T> above, @Nullable T start, T between, @Nullable T end) {
        return IntersperseStage.node(above, start, between, end);
    }

    public static <T> BlueprintNode<T> deduplicate(BlueprintNode<T> above, Function<? super T, ?> key, int window) {
        return NewKeys.deduplicate(above, key, window);
    }

    public static <T> BlueprintNode<T> dropRepeated(BlueprintNode<T> above, Function<? super T, ?> key) {
        return NewKeys.dropRepeated(above, key);
    }

    public static <T> BlueprintNode<T> tap(BlueprintNode<T> above, Action<? super T> action) {
        return TapStage.node(above, action);
    }

    public static <T> BlueprintNode<T> log(BlueprintNode<T> above, System.Logger logger, System.Logger.Level level) {
        return LogStage.node(above, logger, level);
    }

    /** Creates a sink that hands each element to {@code action} and acknowledges it when the action returns. */
    public static <T> SinkFactory<T> forEach(Action<? super T> action) {
        return context -> new ForEachSink<>(action, context.meter());
    }

    public static <T> SinkFactory<T> ignore() {
        return context -> upstream -> {
            Batch<T> batch;
            while ((batch = upstream.pull(Stage.NEVER)) != null) {
                long start = System.nanoTime();
                batch.ackAll();
                context.meter().worked(batch.size(), batch.size(), start);
                batch.release();
            }
        };
    }
}
