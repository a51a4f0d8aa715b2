package dev.weir.stream;

import java.util.Objects;
import java.util.function.Function;

/**
 * Decides what becomes of an element for which a stage's function threw. Thread-safe if its decider is.
 *
 * <p>Failures of the machinery (interruption, a failed stage above, {@link VirtualMachineError}) are not asked about.
 */
public final class Supervision {

    /** What can be decided. */
    public enum Decision {
        /** The stream fails; the element stays unacknowledged. */
        FAIL,
        /** The element is dropped and acknowledged; the stage goes on. */
        SKIP,
        /**
         * The element is dropped and stays unacknowledged, so that the source delivers it again some day; commits do not
         * move past it. The stage goes on.
         */
        SKIP_UNACKNOWLEDGED,
        /** As {@link #SKIP}, and the stage forgets its state: sums, groups, seen keys. */
        RESTART
    }

    private static final Supervision FAIL = of(failure -> Decision.FAIL);
    private static final Supervision SKIP = of(failure -> Decision.SKIP);

    private final Function<? super Throwable, Decision> decider;

    private Supervision(Function<? super Throwable, Decision> decider) {
        this.decider = Objects.requireNonNull(decider, "decider");
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
        return new Supervision(decider);
    }

    /** The decision on {@code failure}; FAIL for what no stage can go on after. */
    public Decision decide(Throwable failure) {
        if (failure instanceof VirtualMachineError || failure instanceof InterruptedException) {
            return Decision.FAIL;
        }
        return decider.apply(failure);
    }
}
