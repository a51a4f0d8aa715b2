package dev.weir.stream.internal.run;

import dev.weir.stream.Action;
import dev.weir.stream.spi.Thrown;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Rethrows failures, on another thread or after further actions. Stateless. */
public final class FailureTransfer {

    private FailureTransfer() {}

    /** Calls {@code action} and rethrows any exception as {@link #rethrow} does. */
    public static <T> void call(Action<? super T> action, T target) {
        try {
            action.accept(target);
        } catch (Exception failure) {
            throw rethrow(failure);
        }
    }

    /** Runs all actions, even if some of them fail, and then throws the first failure. */
    public static void runAll(List<Runnable> actions) {
        Throwable failure = null;
        for (Runnable action : actions) {
            try {
                action.run();
            } catch (RuntimeException | Error thrown) {
                failure = first(failure, thrown);
            }
        }
        rethrowIfAny(failure);
    }

    /** Returns the earlier failure, or {@code thrown} if there is none; the later failure is added as suppressed. */
    public static Throwable first(@Nullable Throwable before, Throwable thrown) {
        if (before == null) {
            return thrown;
        }
        if (before != thrown) {
            before.addSuppressed(thrown);
        }
        return before;
    }

    public static void rethrowIfAny(@Nullable Throwable failure) {
        if (failure != null) {
            throw rethrow(failure);
        }
    }

    /** Rethrows a failure of the upstream thread. An interrupt of that thread is thrown as an InterruptedException. */
    public static RuntimeException rethrowFromAbove(Throwable failure) throws InterruptedException {
        if (failure instanceof InterruptedException) {
            throw new InterruptedException();
        }
        throw rethrow(failure);
    }

    /**
     * Completes {@code copy} when {@code of} completes, and returns {@code copy}. Unlike
     * {@link CompletableFuture#copy}, calls no method of a failure.
     */
    static <T> CompletableFuture<T> copyOf(CompletableFuture<T> of, CompletableFuture<T> copy) {
        var ignored = of.handle((value, failure) ->
                failure == null ? copy.complete(value) : copy.completeExceptionally(wrapped(failure)));
        return copy;
    }

    private static CompletionException wrapped(Throwable failure) {
        // Give the message explicitly. The other constructor calls the exception's own methods.
        return failure instanceof CompletionException known
                ? known
                : new CompletionException(Thrown.text(failure), failure);
    }

    /**
     * Throws {@code failure} itself if it is unchecked. Otherwise throws a CompletionException with {@code failure} as
     * its cause.
     */
    public static RuntimeException rethrow(Throwable failure) {
        switch (failure) {
            case Error error -> throw error;
            case RuntimeException unchecked -> throw unchecked;
            default -> throw wrapped(failure);
        }
    }
}
