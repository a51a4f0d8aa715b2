package dev.weir.stream.internal.run;

import dev.weir.stream.Action;
import dev.weir.stream.spi.Thrown;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Methods that rethrow a failure, on another thread or after further actions have run. Stateless. */
public final class FailureTransfer {

    private FailureTransfer() {}

    /**
     * Calls {@code action} and rethrows any exception as {@link #rethrow} does. Used by callers that declare no checked
     * exceptions.
     */
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

    /** Returns the first of two failures; the later one is added to it as suppressed. {@code before} may be null. */
    public static Throwable first(@Nullable Throwable before, Throwable thrown) {
        if (before == null) {
            return thrown;
        }
        if (before != thrown) {
            before.addSuppressed(thrown);
        }
        return before;
    }

    /** Rethrows a failure as {@link #rethrow} does, unless it is null. */
    public static void rethrowIfAny(@Nullable Throwable failure) {
        if (failure != null) {
            throw rethrow(failure);
        }
    }

    /**
     * Rethrows a failure of the upstream thread as {@link #rethrow} does. If that thread was interrupted, throws an
     * InterruptedException, as if the calling thread had been interrupted.
     */
    public static RuntimeException rethrowFromAbove(Throwable failure) throws InterruptedException {
        if (failure instanceof InterruptedException) {
            throw new InterruptedException();
        }
        throw rethrow(failure);
    }

    /**
     * Makes {@code copy} complete when {@code of} completes, and returns {@code copy}. Dependent stages of the copy see
     * a wrapped failure, as with {@link CompletableFuture#copy}. Unlike that method, this one does not call the
     * failure's own methods, which may throw.
     */
    static <T> CompletableFuture<T> copyOf(CompletableFuture<T> of, CompletableFuture<T> copy) {
        var ignored = of.handle((value, failure) ->
                failure == null ? copy.complete(value) : copy.completeExceptionally(wrapped(failure)));
        return copy;
    }

    private static CompletionException wrapped(Throwable failure) {
        // The message is given explicitly, because the constructor would otherwise call the exception's methods.
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
