package dev.weir.stream.spi;

import dev.weir.stream.internal.run.TaskGroup;
import java.util.Objects;

/** Tells what the machinery throws from what a function of the user does, for code that wraps such functions. */
public final class Machinery {

    private Machinery() {}

    /**
     * Returns whether a failure says nothing of the element that a function was called for: the JVM is out of
     * something, the program does not fit together, or the work is being cancelled. No {@link
     * dev.weir.stream.Supervision} is asked about it. On the thread that called the function.
     */
    public static boolean isFailure(Throwable thrown) {
        Objects.requireNonNull(thrown, "thrown");
        return TaskGroup.isCurrentInterrupted() || thrown instanceof InterruptedException || isOfTheProgram(thrown);
    }

    /**
     * Returns whether {@link #isFailure} is true of every exception of this type, so that a rule for it has no effect.
     */
    public static boolean isAlwaysFailure(Class<? extends Throwable> type) {
        boolean mayOverflow = type.isAssignableFrom(StackOverflowError.class)
                || StackOverflowError.class.isAssignableFrom(Objects.requireNonNull(type, "type"));
        return (VirtualMachineError.class.isAssignableFrom(type) && !mayOverflow)
                || LinkageError.class.isAssignableFrom(type)
                || InterruptedException.class.isAssignableFrom(type);
    }

    /**
     * Returns whether the JVM or the class path is at fault: a {@link VirtualMachineError} other than a {@link
     * StackOverflowError}, or a {@link LinkageError} such as that of a class that is missing. The next element would
     * meet it as well. Any thread.
     */
    public static boolean isOfTheProgram(Throwable thrown) {
        return Thrown.isFatal(thrown) || thrown instanceof LinkageError;
    }
}
