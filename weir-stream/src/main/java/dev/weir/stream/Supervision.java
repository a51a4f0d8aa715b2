package dev.weir.stream;

import dev.weir.stream.internal.run.TaskGroup;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides what becomes of an element for which a stage's function threw: whether the function is called again, and if
 * that is of no use, what then. Thread-safe if its decider is.
 *
 * <p>Failures of the machinery (interruption, a failed stage above, {@link VirtualMachineError}) are not asked about,
 * nor is anything that is thrown while the pipeline is being cancelled.
 */
public final class Supervision {

    /** What can be decided. */
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

    /** Fails the stream at the first exception: what stages do unless told otherwise. */
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
     * Calls the function again for the same element, as {@code policy} says, then decides by {@code then} on what it
     * threw last. Order is kept: what waits behind the element, by key or by input, goes on waiting. A stage with
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

    /** What is tried before anything is decided, or null. */
    public @Nullable RetryPolicy retryPolicy() {
        return retryPolicy;
    }

    /**
     * The decision on {@code failure}; FAIL for what no stage can go on after, and for whatever is thrown on a thread
     * whose work is being cancelled: to skip that element might acknowledge what was never done.
     */
    public Decision decide(Throwable failure) {
        return TaskGroup.isCurrentInterrupted() ? Decision.FAIL : decideElsewhere(failure);
    }

    /**
     * The same for what failed on any thread, such as the one that completes a future: that it is being interrupted
     * says nothing of this pipeline.
     */
    public Decision decideElsewhere(Throwable failure) {
        if (failure instanceof VirtualMachineError || failure instanceof InterruptedException) {
            return Decision.FAIL;
        }
        return Objects.requireNonNull(decider.apply(failure), "the supervision decided nothing");
    }
}
