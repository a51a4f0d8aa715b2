package dev.weir.stream;

import dev.weir.stream.spi.Machinery;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Determines how a stage retries its function for an element: the number of attempts, the back-off between them, and
 * the exceptions that are retried. Immutable; thread-safe if the predicate is.
 */
public final class RetryPolicy {

    private final Values values;

    private RetryPolicy(int attempts, Backoff backoff, Predicate<? super Throwable> retriable) {
        this.values = new Values(attempts, backoff, retriable);
    }

    /** The maximum number of calls of the function for one element, including the first; at least 1. */
    public int attempts() {
        return values.attempts;
    }

    /** The delays between attempts. */
    public Backoff backoff() {
        return values.backoff;
    }

    /** Matches the exceptions after which the call is retried. */
    public Predicate<? super Throwable> retriable() {
        return values.retriable;
    }

    /** Creates a policy that makes up to {@code attempts} calls, regardless of the exception. */
    public static RetryPolicy of(int attempts, Backoff backoff) {
        return new RetryPolicy(attempts, backoff, failure -> true);
    }

    /** Returns this policy, limited to exceptions that match the predicate. */
    public RetryPolicy when(Predicate<? super Throwable> newRetriable) {
        return new RetryPolicy(values.attempts, values.backoff, newRetriable);
    }

    /**
     * Returns this policy, limited to exceptions of the given type.
     *
     * @throws IllegalArgumentException if exceptions of this type always fail the stream, so that they are never
     *     retried; see {@link Supervision}
     */
    public RetryPolicy on(Class<? extends Throwable> type) {
        if (Machinery.isAlwaysFailure(Objects.requireNonNull(type, "type"))) {
            throw new IllegalArgumentException("a retry on " + type.getSimpleName()
                    + " can have no effect: such an error always fails the pipeline; leave it out");
        }
        return when(type::isInstance);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RetryPolicy that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "RetryPolicy");
    }

    private record Values(int attempts, Backoff backoff, Predicate<? super Throwable> retriable) {

        Values {
            if (attempts < 1) {
                throw new IllegalArgumentException("attempts must be at least 1: attempts=" + attempts);
            }
            Objects.requireNonNull(backoff, "backoff");
            Objects.requireNonNull(retriable, "retriable");
        }
    }
}
