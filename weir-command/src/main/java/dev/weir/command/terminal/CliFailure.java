package dev.weir.command.terminal;

import dev.weir.stream.spi.Thrown;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/**
 * A failure that the user can act on: one sentence for the problem, one for the remedy. Immutable. The root command
 * prints both on standard error without a stack trace, and exits with {@link #exitCode}.
 */
public final class CliFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int exitCode;
    private final String wayOut;

    private CliFailure(int exitCode, String message, String wayOut, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
        this.wayOut = wayOut;
    }

    /** Returns a failure of a valid command, for example because a broker does not respond. */
    public static CliFailure work(String message, String wayOut) {
        return new CliFailure(ExitCode.FAILED, message, wayOut, null);
    }

    /** Returns a failure of a valid command. {@code --verbose} shows the cause. */
    public static CliFailure work(String message, String wayOut, @Nullable Throwable cause) {
        return new CliFailure(ExitCode.FAILED, message, wayOut, cause);
    }

    /**
     * Returns the failure of an invalid command line. {@code Try 'weir ... --help'} is appended to {@code wayOut},
     * which may be empty.
     */
    public static CliFailure usage(String message, String wayOut) {
        return new CliFailure(ExitCode.WRONG_USAGE, message, wayOut, null);
    }

    /**
     * Returns the failure of an option that is out of bounds.
     *
     * @param option as typed, for example {@code --brokers}
     * @param allowed the bounds in words, for example {@code 1 to 9}
     */
    public static CliFailure badValue(String option, Object value, String allowed) {
        return usage(option + " must be " + allowed + ": " + option + "=" + value, "");
    }

    /** Returns the failure of an unexpected exception, with a remedy for {@link OutOfMemoryError}. */
    public static CliFailure unexpected(Throwable cause) {
        for (Throwable each : Thrown.causes(cause)) {
            if (each instanceof OutOfMemoryError) {
                return new CliFailure(
                        ExitCode.OUT_OF_MEMORY,
                        "out of memory: " + Thrown.reason(each),
                        OutOfMemory.wayOut(each.getMessage()),
                        cause);
            }
        }
        return work(
                "unexpected " + cause, "This is a fault of Weir: run it again with --verbose and report it.", cause);
    }

    /** Returns why a file cannot be used. Many JDK exceptions only contain the path. */
    public static String reason(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "no such file or folder";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof CharacterCodingException) {
            return "it is not UTF-8 text";
        }
        if (e instanceof FileSystemException file && file.getReason() != null) {
            return file.getReason();
        }
        return e.getClass() == IOException.class && e.getMessage() != null ? e.getMessage() : e.toString();
    }

    public int exitCode() {
        return exitCode;
    }

    /** The remedy for the user, or an empty string. */
    public String wayOut() {
        return wayOut;
    }
}
