package dev.weir.stream;

import java.util.Objects;
import java.util.function.Predicate;

/**
 * When and how often a stage's function is called again for an element for which it threw. Immutable; thread-safe if
 * the predicate is.
 *
 * @param attempts how often the function is called for one element at most, the first call included; at least 1
 * @param backoff the waits in between
 * @param retriable which exceptions are worth another attempt
 */
public record RetryPolicy(int attempts, Backoff backoff, Predicate<? super Throwable> retriable) {

    /** Checks. */
    public RetryPolicy {
        if (attempts < 1) {
            throw new IllegalArgumentException("attempts must be at least 1: attempts=" + attempts);
        }
        Objects.requireNonNull(backoff, "backoff");
        Objects.requireNonNull(retriable, "retriable");
    }

    /** Up to {@code attempts} calls, whatever the exception. */
    public static RetryPolicy of(int attempts, Backoff backoff) {
        return new RetryPolicy(attempts, backoff, failure -> true);
    }

    /** The same for the exceptions that {@code retriable} accepts. */
    public RetryPolicy when(Predicate<? super Throwable> newRetriable) {
        return new RetryPolicy(attempts, backoff, newRetriable);
    }

    /** The same for exceptions of this type. */
    public RetryPolicy on(Class<? extends Throwable> type) {
        return when(Objects.requireNonNull(type, "type")::isInstance);
    }
}
