package dev.weir.stream.internal.failure;

import dev.weir.stream.Action;
import dev.weir.stream.RestartSettings;
import dev.weir.stream.StreamEnd;
import dev.weir.stream.StreamTimeoutException.Kind;
import dev.weir.stream.internal.run.ArgumentChecks;
import dev.weir.stream.internal.run.BlueprintBranch;
import dev.weir.stream.internal.run.BlueprintNode;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Factory methods for the operators of this package, called by the public API. Stateless. */
public final class FailureStages {

    private FailureStages() {}

    public static <T> BlueprintNode<T> recover(
            BlueprintNode<T> above, Function<? super Throwable, ? extends @Nullable T> function) {
        return RecoverStage.lastElement(above, function);
    }

    public static <T> BlueprintNode<T> recoverWith(
            BlueprintNode<T> above,
            int attempts,
            Function<? super Throwable, ? extends @Nullable BlueprintNode<T>> replacement) {
        return RecoverStage.source(above, attempts, replacement);
    }

    public static <T> BlueprintNode<T> onErrorComplete(BlueprintNode<T> above, Predicate<? super Throwable> harmless) {
        return RecoverStage.end(above, harmless);
    }

    public static <T> BlueprintNode<T> mapError(
            BlueprintNode<T> above, Function<? super Throwable, ? extends Throwable> function) {
        return MapErrorStage.node(above, function);
    }

    public static <T> BlueprintNode<T> restart(RestartSettings settings, Supplier<BlueprintNode<T>> section) {
        return RestartStage.node(settings, section);
    }

    public static <T, R> BlueprintNode<R> restart(
            BlueprintNode<T> above, RestartSettings settings, BlueprintBranch<T, R> section) {
        return RestartedSection.node(above, settings, section);
    }

    public static <T> BlueprintNode<T> idleTimeout(BlueprintNode<T> above, Duration timeout) {
        return TimeoutStage.node(above, "idleTimeout", Kind.IDLE, positive("timeout", timeout));
    }

    public static <T> BlueprintNode<T> initialTimeout(BlueprintNode<T> above, Duration timeout) {
        return TimeoutStage.node(above, "initialTimeout", Kind.INITIAL, positive("timeout", timeout));
    }

    public static <T> BlueprintNode<T> completionTimeout(BlueprintNode<T> above, Duration timeout) {
        return TimeoutStage.node(above, "completionTimeout", Kind.COMPLETION, positive("timeout", timeout));
    }

    public static <T> BlueprintNode<T> backpressureTimeout(BlueprintNode<T> above, Duration timeout) {
        return BackPressureTimeoutStage.node(above, positive("timeout", timeout));
    }

    public static <T> BlueprintNode<T> keepAlive(
            BlueprintNode<T> above, Duration interval, Supplier<? extends T> supplier) {
        return KeepAliveStage.node(above, positive("interval", interval), supplier);
    }

    public static <T> BlueprintNode<T> watch(BlueprintNode<T> above, Action<? super StreamEnd> onEnd) {
        return WatchStage.node(above, onEnd);
    }

    public static <T> BlueprintNode<T> killSwitch(BlueprintNode<T> above, KillSwitchState core) {
        return KillSwitchStage.node(above, core);
    }

    private static Duration positive(String name, Duration duration) {
        return ArgumentChecks.positiveNanos(name, duration) < LONGEST.toNanos() ? duration : LONGEST;
    }

    /** Maximum duration: 100 years. Adding a longer one to a time in nanoseconds could overflow. */
    private static final Duration LONGEST = Duration.ofDays(36_500);
}
