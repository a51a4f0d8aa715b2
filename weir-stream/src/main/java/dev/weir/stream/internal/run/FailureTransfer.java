package dev.weir.stream.internal.run;

import dev.weir.stream.Action;
import dev.weir.stream.spi.Thrown;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Throws a failure of one thread on another. Stateless. */
public final class FailureTransfer {

    private FailureTransfer() {}

    /** Calls {@code action}, for callers that declare no exception; what it throws comes out as by {@link #rethrow}. */
    public static <T> void call(Action<? super T> action, T target) {
        try {
            action.accept(target);
        } catch (Exception failure) {
            throw rethrow(failure);
        }
    }

    /**
     * Rethrows a failure from the upstream segment, whose interruption counts as one of the pipeline; see
     * {@link #rethrow}.
     */
    public static RuntimeException rethrowFromAbove(Throwable failure) throws InterruptedException {
        if (failure instanceof InterruptedException) {
            throw new InterruptedException();
        }
        throw rethrow(failure);
    }

    /**
     * A copy like {@link CompletableFuture#copy}, whose dependent stages see a wrapped failure, but without calling the
     * failure's own methods, which may throw.
     */
    static <T> CompletableFuture<T> copyOf(CompletableFuture<T> of) {
        CompletableFuture<T> copy = new CompletableFuture<>();
        var ignored = of.handle((value, failure) ->
                failure == null ? copy.complete(value) : copy.completeExceptionally(wrapped(failure)));
        return copy;
    }

    private static CompletionException wrapped(Throwable failure) {
        // With an explicit message, because the constructor would otherwise call the exception's methods.
        return failure instanceof CompletionException known
                ? known
                : new CompletionException(Thrown.text(failure), failure);
    }

    /** Throws {@code failure} itself if unchecked, otherwise as the cause of a CompletionException. */
    public static RuntimeException rethrow(Throwable failure) {
        switch (failure) {
            case Error error -> throw error;
            case RuntimeException unchecked -> throw unchecked;
            default -> throw wrapped(failure);
        }
    }
}
