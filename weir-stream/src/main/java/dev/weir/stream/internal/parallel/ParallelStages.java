package dev.weir.stream.internal.parallel;

import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import dev.weir.stream.internal.run.BlueprintNode;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Factory methods for the operators of this package, called by the public API. Stateless. */
public final class ParallelStages {

    private ParallelStages() {}

    public static <T, R> BlueprintNode<R> mapAsync(
            BlueprintNode<T> above,
            Parallelism parallelism,
            Ordering<? super T> ordering,
            Function<? super T, ? extends CompletionStage<? extends R>> function) {
        return AsyncStage.node(above, parallelism, ordering, function);
    }

    public static <T, R> BlueprintNode<R> scanAsync(
            BlueprintNode<T> above,
            R initial,
            BiFunction<? super R, ? super T, ? extends CompletionStage<? extends R>> function) {
        return AsyncFold.scan(above, initial, function);
    }

    public static <T, R> BlueprintNode<R> foldAsync(
            BlueprintNode<T> above,
            R initial,
            BiFunction<? super R, ? super T, ? extends CompletionStage<? extends R>> function) {
        return AsyncFold.fold(above, initial, function);
    }
}
