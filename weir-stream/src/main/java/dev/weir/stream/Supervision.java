package dev.weir.stream;

import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides about an element for which a stage's function threw: whether the function is called again, and how to go on
 * if that is of no use. Thread-safe if its decider is.
 *
 * <p>Failures of the machinery (interruption, a failed stage above, {@link LinkageError}, {@link VirtualMachineError}
 * other than {@link StackOverflowError}) are not asked about, nor is anything that is thrown while the pipeline is
 * being cancelled.
 */
public final class Supervision {

    /** A decision about a failed element. */
    public enum Decision {
        /** The stream fails; the element stays unacknowledged. */
        FAIL,
        /** The element is dropped and acknowledged; the stage goes on. */
        SKIP,
        /**
         * The element is dropped and stays unacknowledged, so that the source delivers it again some day; commits do
         * not move past it. The stage goes on.
         */
        SKIP_UNACKNOWLEDGED,
        /** As {@link #SKIP}, and the stage forgets its state: sums, groups, seen keys. */
        RESTART
    }

    private static final Supervision FAIL = of(failure -> Decision.FAIL);
    private static final Supervision SKIP = of(failure -> Decision.SKIP);

    private final Function<? super Throwable, Decision> decider;
    private final @Nullable RetryPolicy retryPolicy;

    private Supervision(Function<? super Throwable, Decision> decider, @Nullable RetryPolicy retryPolicy) {
        this.decider = Objects.requireNonNull(decider, "decider");
        this.retryPolicy = retryPolicy;
    }

    /** Fails the stream at the first exception: the default. */
    public static Supervision fail() {
        return FAIL;
    }

    /** Drops and acknowledges each element that throws. */
    public static Supervision skip() {
        return SKIP;
    }

    /** Decides by the exception. */
    public static Supervision of(Function<? super Throwable, Decision> decider) {
        return new Supervision(decider, null);
    }

    /**
     * Calls the function again for the same element, as {@code policy} says, then decides by {@code then} on the last
     * exception. Order is kept: elements that wait for this one, by key or by input, go on waiting. A stage with
     * threads of its own waits on one of them; a fused stage holds up its whole segment meanwhile.
     *
     * @param then a supervision that does not retry
     */
    public static Supervision retry(RetryPolicy policy, Supervision then) {
        if (then.retryPolicy != null) {
            throw new IllegalArgumentException("what follows a retry must not retry itself");
        }
        return new Supervision(then.decider, Objects.requireNonNull(policy, "policy"));
    }

    /** The retries before anything is decided, or null. */
    public @Nullable RetryPolicy retryPolicy() {
        return retryPolicy;
    }

    /** Decides about the last exception for an element, which is none of the machinery. */
    public Function<? super Throwable, Decision> decider() {
        return decider;
    }
}
