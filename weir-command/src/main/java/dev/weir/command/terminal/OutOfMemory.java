package dev.weir.command.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Ends the process if a thread dies of an {@link OutOfMemoryError}. Uncommitted records are delivered again after a
 * restart. Threads that catch the error continue, for example after a batch that is too large for the heap.
 * Thread-safe.
 */
public final class OutOfMemory implements Thread.UncaughtExceptionHandler {

    /** Part of the JDK's message if the operating system refuses a thread. */
    private static final String NATIVE_THREAD = "native thread";

    private static final String NOTHING_LOST =
            "\n  Nothing is lost: what was not committed is read again at the next start.\n";

    // Allocated in advance: there is no memory left when the messages are needed.
    private final byte[] json;
    private final byte[] heap = ("weir: out of memory. " + wayOut(null) + NOTHING_LOST).getBytes(UTF_8);
    private final byte[] threads =
            ("weir: no thread can be created. " + wayOut(NATIVE_THREAD) + NOTHING_LOST).getBytes(UTF_8);
    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    private final FileOutputStream err = new FileOutputStream(FileDescriptor.err);

    private OutOfMemory(boolean json) {
        this.json = (json ? "{\"error\":\"out of memory\"}\n" : "").getBytes(UTF_8);
    }

    /**
     * Returns the remedy.
     *
     * @param message the message of the {@link OutOfMemoryError}, which names what could not be allocated
     */
    static String wayOut(@Nullable String message) {
        return isOfThreads(message)
                ? "More heap does not help: raise the limit of threads (ulimit -u, or the pids limit of the container),"
                        + " or run fewer workers."
                : "Give it more heap (WEIR_OPTS=-Xmx1g); a pipe holds less with a smaller weir.buffer.bytes in"
                        + " --client-config.";
    }

    private static boolean isOfThreads(@Nullable String message) {
        return message != null && message.contains(NATIVE_THREAD);
    }

    /**
     * Installs a handler for all threads of the process.
     *
     * @param json whether to report on standard output too
     */
    public static void watch(boolean json) {
        Thread.setDefaultUncaughtExceptionHandler(new OutOfMemory(json));
    }

    @Override
    public void uncaughtException(Thread thread, Throwable failure) {
        if (failure instanceof OutOfMemoryError) {
            try {
                out.write(json);
                err.write(isOfThreads(failure.getMessage()) ? threads : heap);
            } catch (IOException | OutOfMemoryError silent) {
                // The exit code still reports the failure.
            } finally {
                Runtime.getRuntime().halt(ExitCode.OUT_OF_MEMORY);
            }
        }
        // The message may contain text from records, which the terminal escapes.
        new Terminal(System.err, false).stackTrace(failure);
    }
}
