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

    /** {@link #rethrow} for what came down from the segment above, whose interruption is one of the pipeline. */
    public static RuntimeException rethrowFromAbove(Throwable failure) throws InterruptedException {
        if (failure instanceof InterruptedException) {
            throw new InterruptedException();
        }
        throw rethrow(failure);
    }

    /**
     * A future that completes as {@link CompletableFuture#copy} does, so that stages that depend on it see the failure
     * wrapped; but the failure's own methods are not called, which may throw.
     */
    static <T> CompletableFuture<T> copyOf(CompletableFuture<T> of) {
        CompletableFuture<T> copy = new CompletableFuture<>();
        var ignored = of.handle((value, failure) ->
                failure == null ? copy.complete(value) : copy.completeExceptionally(wrapped(failure)));
        return copy;
    }

    private static CompletionException wrapped(Throwable failure) {
        // With a text, as the exception would be asked for its own.
        return failure instanceof CompletionException known
                ? known
                : new CompletionException(Thrown.text(failure), failure);
    }

    /** Throws {@code failure} as it is if that needs no declaration, else as the cause of a CompletionException. */
    public static RuntimeException rethrow(Throwable failure) {
        switch (failure) {
            case Error error -> throw error;
            case RuntimeException unchecked -> throw unchecked;
            default -> throw wrapped(failure);
        }
    }
}
