package dev.weir.stream;

import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides about an element for which a stage's function threw: first retries, then a {@link Decision} about the last
 * exception. Thread-safe if its decider is.
 *
 * <p>Some failures always fail the stream without a decision: interruption, a failed stage above, {@link LinkageError},
 * {@link VirtualMachineError} other than {@link StackOverflowError}, and anything thrown while the pipeline is being
 * cancelled.
 */
public final class Supervision {

    /** A decision about a failed element. */
    public enum Decision {
        /** The stream fails; the element stays unacknowledged. */
        FAIL,
        /** The element is dropped and acknowledged; the stage continues. */
        SKIP,
        /**
         * The element is dropped and stays unacknowledged, so the source delivers it again later; commits do not move
         * past it. The stage continues.
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

    /** Decides by exception. */
    public static Supervision of(Function<? super Throwable, Decision> decider) {
        return new Supervision(decider, null);
    }

    /**
     * Retries the element according to {@code policy}, then lets {@code then} decide about the last exception. Order is
     * kept: elements that wait for this one, by key or by input, keep waiting. A stage with threads of its own waits on
     * one of them; a fused stage holds up its whole segment meanwhile.
     *
     * @param then a supervision that does not retry
     */
    public static Supervision retry(RetryPolicy policy, Supervision then) {
        if (then.retryPolicy != null) {
            throw new IllegalArgumentException("what follows a retry must not retry itself");
        }
        return new Supervision(then.decider, Objects.requireNonNull(policy, "policy"));
    }

    /** The retries before a decision, or null. */
    public @Nullable RetryPolicy retryPolicy() {
        return retryPolicy;
    }

    /** Decides about the last exception for an element, unless it always fails the stream. */
    public Function<? super Throwable, Decision> decider() {
        return decider;
    }
}
