package dev.weir.stream.spi;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Reads exceptions of user code, whose own methods may throw. Stateless. */
public final class Thrown {

    /** Longest chain of causes that is read. An exception may return a new cause for each call. */
    private static final int MAX_CAUSES = 1_000;

    private Thrown() {}

    /** Returns the exception's message, which may be null, or a substitute if reading it fails. */
    public static @Nullable String message(Throwable thrown) {
        try {
            return thrown.getMessage();
        } catch (RuntimeException | Error inGetter) {
            return unreadable(thrown, inGetter);
        }
    }

    /** Returns the exception's message, or its {@link #text} if it has none. */
    public static String reason(Throwable thrown) {
        String message = message(thrown);
        return message == null || message.isBlank() ? text(thrown) : message;
    }

    /** Returns the exception's cause, or null if there is none or reading it fails. */
    public static @Nullable Throwable cause(Throwable thrown) {
        try {
            return thrown.getCause();
        } catch (RuntimeException | Error inGetter) {
            return null;
        }
    }

    /** Returns the exception and its causes, the root cause last. Ends where the causes form a cycle. */
    public static List<Throwable> causes(Throwable thrown) {
        List<Throwable> causes = new ArrayList<>();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable each = thrown;
                each != null && causes.size() < MAX_CAUSES && seen.add(each);
                each = cause(each)) {
            causes.add(each);
        }
        return causes;
    }

    /**
     * Returns the original exception, without the {@link CompletionException} that was added when it passed from one
     * thread to another. If the wrapper's own methods throw, returns the wrapper.
     */
    public static Throwable unwrapped(Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException ? cause(thrown) : null;
        return cause == null ? thrown : cause;
    }

    /** Returns {@link Throwable#toString}, or the class name and a note if that method fails. */
    public static String text(Throwable thrown) {
        try {
            return thrown.toString();
        } catch (RuntimeException | Error inGetter) {
            return thrown.getClass().getName() + ": " + unreadable(thrown, inGetter);
        }
    }

    /** Returns the stack trace as {@link Throwable#printStackTrace()} prints it, or as much of it as can be read. */
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
     * Returns whether the JVM cannot continue: true for each {@link VirtualMachineError} except
     * {@link StackOverflowError}.
     */
    public static boolean isFatal(Throwable thrown) {
        return thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError);
    }
}
