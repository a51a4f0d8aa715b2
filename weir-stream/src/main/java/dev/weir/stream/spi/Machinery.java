package dev.weir.stream.spi;

import dev.weir.stream.internal.run.TaskGroup;
import java.util.Objects;

/** Distinguishes failures of the engine or the JVM from failures of user functions. Stateless. */
public final class Machinery {

    private Machinery() {}

    /**
     * Returns whether a failure is unrelated to the element: the JVM has run out of a resource, the class path is
     * broken, or the work is being cancelled. {@link dev.weir.stream.Supervision} does not apply to it. Must be called
     * on the thread that called the function.
     */
    public static boolean isFailure(Throwable thrown) {
        Objects.requireNonNull(thrown, "thrown");
        return TaskGroup.isCurrentInterrupted() || thrown instanceof InterruptedException || isOfTheProgram(thrown);
    }

    /** Returns whether {@link #isFailure} is true for every exception of this type. */
    public static boolean isAlwaysFailure(Class<? extends Throwable> type) {
        boolean mayOverflow = type.isAssignableFrom(StackOverflowError.class)
                || StackOverflowError.class.isAssignableFrom(Objects.requireNonNull(type, "type"));
        return (VirtualMachineError.class.isAssignableFrom(type) && !mayOverflow)
                || LinkageError.class.isAssignableFrom(type)
                || InterruptedException.class.isAssignableFrom(type);
    }

    /**
     * Returns whether the JVM or the class path caused the failure: a {@link VirtualMachineError} other than a
     * {@link StackOverflowError}, or a {@link LinkageError}. May be called from any thread.
     */
    public static boolean isOfTheProgram(Throwable thrown) {
        return Thrown.isFatal(thrown) || thrown instanceof LinkageError;
    }
}
