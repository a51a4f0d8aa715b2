package dev.weir.stream;

import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides what happens to an element if a stage's function throws for it: first retries, then a {@link Decision} about
 * the last exception. Thread-safe if its decider is.
 *
 * <p>Some failures always fail the stream: interruption, a failed upstream stage, {@link LinkageError},
 * {@link VirtualMachineError} other than {@link StackOverflowError}, and anything thrown while the pipeline is being
 * cancelled.
 */
public final class Supervision {

    /** A decision about an element for which a function threw. */
    public enum Decision {
        /** The stream fails; the element stays unacknowledged. */
        FAIL,
        /** The element is dropped and acknowledged; the stage continues. */
        SKIP,
        /**
         * The element is dropped but stays unacknowledged: the source delivers it again later, and commits do not move
         * past it. The stage continues.
         */
        SKIP_UNACKNOWLEDGED,
        /**
         * The element is dropped and acknowledged, and the stage discards its state, such as sums, groups and
         * remembered keys.
         */
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

    /** Returns the default supervision, which fails the stream at the first exception. */
    public static Supervision fail() {
        return FAIL;
    }

    /** Returns a supervision that drops and acknowledges each element for which the function throws. */
    public static Supervision skip() {
        return SKIP;
    }

    /** Creates a supervision whose decision depends on the exception. */
    public static Supervision of(Function<? super Throwable, Decision> decider) {
        return new Supervision(decider, null);
    }

    /**
     * Creates a supervision that retries the element according to {@code policy}. After the last attempt, {@code then}
     * decides about its exception. Order is preserved: elements that wait for the failed element keep waiting. The
     * back-off blocks the thread that processes the element, and with it all stages fused on that thread.
     *
     * @param then a supervision that does not retry
     */
    public static Supervision retry(RetryPolicy policy, Supervision then) {
        if (then.retryPolicy != null) {
            throw new IllegalArgumentException("what follows a retry must not retry itself");
        }
        return new Supervision(then.decider, Objects.requireNonNull(policy, "policy"));
    }

    /** The retry policy that applies before a decision, or null if there are no retries. */
    public @Nullable RetryPolicy retryPolicy() {
        return retryPolicy;
    }

    /** Decides about the last exception for an element, unless the exception always fails the stream. */
    public Function<? super Throwable, Decision> decider() {
        return decider;
    }
}
