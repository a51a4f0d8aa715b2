package dev.weir.stream.internal.run;

import java.util.concurrent.CompletionException;

/** How a failure of one thread is thrown on another. Stateless. */
public final class Failures {

    private Failures() {}

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
