package dev.weir.stream.spi;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;

/**
 * Reads exceptions of user code, whose own methods may throw: what they throw must not take the place of the exception
 * that is being told of. Stateless.
 */
public final class Thrown {

    private Thrown() {}

    /** The message, or a sentence that says that there is none to be had. Null if the exception has no message. */
    public static @Nullable String message(Throwable thrown) {
        try {
            return thrown.getMessage();
        } catch (RuntimeException | Error inGetter) {
            return unreadable(thrown, inGetter);
        }
    }

    /** The cause, or null if there is none or the exception does not give it. */
    public static @Nullable Throwable cause(Throwable thrown) {
        try {
            return thrown.getCause();
        } catch (RuntimeException | Error inGetter) {
            return null;
        }
    }

    /** {@link Throwable#toString}, or the name of the class with a note. */
    public static String text(Throwable thrown) {
        try {
            return thrown.toString();
        } catch (RuntimeException | Error inGetter) {
            return thrown.getClass().getName() + ": " + unreadable(thrown, inGetter);
        }
    }

    /** The stack trace as {@link Throwable#printStackTrace()} prints it, or as much as can be had. */
    public static String stackTrace(Throwable thrown) {
        StringWriter trace = new StringWriter();
        try {
            thrown.printStackTrace(new PrintWriter(trace));
        } catch (RuntimeException | Error inGetter) {
            trace.append(text(thrown)).append('\n');
            for (StackTraceElement frame : thrown.getStackTrace()) {
                trace.append("\tat ").append(String.valueOf(frame)).append('\n');
            }
        }
        return trace.toString();
    }

    private static String unreadable(Throwable thrown, Throwable inGetter) {
        return "(the message of " + thrown.getClass().getName() + " cannot be read: it throws "
                + inGetter.getClass().getName() + ")";
    }

    /**
     * Returns whether the JVM cannot go on: a {@link VirtualMachineError}, but for a {@link StackOverflowError}, of
     * which the stack has been unwound and which the next element need not meet.
     */
    public static boolean isFatal(Throwable thrown) {
        return thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError);
    }
}
