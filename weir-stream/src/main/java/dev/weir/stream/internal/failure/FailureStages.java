package dev.weir.stream.internal.failure;

import dev.weir.stream.Action;
import dev.weir.stream.RestartSettings;
import dev.weir.stream.StreamEnd;
import dev.weir.stream.StreamTimeoutException.Kind;
import dev.weir.stream.internal.run.Arguments;
import dev.weir.stream.internal.run.Branch;
import dev.weir.stream.internal.run.Node;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The door of this package: one method for each operator, behind the facade's methods. Stateless. */
public final class FailureStages {

    private FailureStages() {}

    public static <T> Node<T> recover(Node<T> above, Function<? super Throwable, ? extends @Nullable T> function) {
        return RecoverStage.lastElement(above, function);
    }

    public static <T> Node<T> recoverWith(
            Node<T> above, int attempts, Function<? super Throwable, ? extends @Nullable Node<T>> replacement) {
        return RecoverStage.source(above, attempts, replacement);
    }

    public static <T> Node<T> onErrorComplete(Node<T> above, Predicate<? super Throwable> harmless) {
        return RecoverStage.end(above, harmless);
    }

    public static <T> Node<T> mapError(Node<T> above, Function<? super Throwable, ? extends Throwable> function) {
        return MapErrorStage.node(above, function);
    }

    public static <T> Node<T> restart(RestartSettings settings, Supplier<Node<T>> section) {
        return RestartStage.node(settings, section);
    }

    public static <T, R> Node<R> restart(Node<T> above, RestartSettings settings, Branch<T, R> section) {
        return RestartedSection.node(above, settings, section);
    }

    public static <T> Node<T> idleTimeout(Node<T> above, Duration timeout) {
        return TimeoutStage.node(above, "idleTimeout", Kind.IDLE, positive("timeout", timeout));
    }

    public static <T> Node<T> initialTimeout(Node<T> above, Duration timeout) {
        return TimeoutStage.node(above, "initialTimeout", Kind.INITIAL, positive("timeout", timeout));
    }

    public static <T> Node<T> completionTimeout(Node<T> above, Duration timeout) {
        return TimeoutStage.node(above, "completionTimeout", Kind.COMPLETION, positive("timeout", timeout));
    }

    public static <T> Node<T> backpressureTimeout(Node<T> above, Duration timeout) {
        return BackPressureTimeoutStage.node(above, positive("timeout", timeout));
    }

    public static <T> Node<T> keepAlive(Node<T> above, Duration interval, Supplier<? extends T> supplier) {
        return KeepAliveStage.node(above, positive("interval", interval), supplier);
    }

    public static <T> Node<T> watch(Node<T> above, Action<? super StreamEnd> onEnd) {
        return WatchStage.node(above, onEnd);
    }

    public static <T> Node<T> killSwitch(Node<T> above, Switch core) {
        return KillSwitchStage.node(above, core);
    }

    private static Duration positive(String name, Duration duration) {
        return Arguments.positiveNanos(name, duration) < LONGEST.toNanos() ? duration : LONGEST;
    }

    /** A century stands for ever: no clock that counts nanoseconds overflows by it. */
    private static final Duration LONGEST = Duration.ofDays(36_500);
}
