package dev.weir.stream.internal.run;

import java.util.concurrent.CompletionException;

/** How a failure of one thread is thrown on another. Stateless. */
public final class Failures {

    private Failures() {}

    /** Throws {@code failure} as it is if that needs no declaration, else as the cause of a CompletionException. */
    public static RuntimeException rethrow(Throwable failure) {
        switch (failure) {
            case Error error -> throw error;
            case RuntimeException unchecked -> throw unchecked;
            default -> throw new CompletionException(failure);
        }
    }
}
