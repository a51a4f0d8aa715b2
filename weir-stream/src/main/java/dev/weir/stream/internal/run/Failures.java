package dev.weir.stream.internal.run;

import dev.weir.stream.Action;
import java.util.concurrent.CompletionException;

/** How a failure of one thread is thrown on another. Stateless. */
public final class Failures {

    private Failures() {}

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

    /** Throws {@code failure} as it is if that needs no declaration, else as the cause of a CompletionException. */
    public static RuntimeException rethrow(Throwable failure) {
        switch (failure) {
            case Error error -> throw error;
            case RuntimeException unchecked -> throw unchecked;
            default -> throw new CompletionException(failure);
        }
    }
}
