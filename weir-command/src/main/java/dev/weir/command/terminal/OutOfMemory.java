package dev.weir.command.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;

/**
 * Ends the process if a thread dies of an {@link OutOfMemoryError}. A process that has lost a thread is of no use, and
 * uncommitted records are delivered again after a restart. Threads that catch the error continue, for example after a
 * batch that is too large for the heap, so the JVM itself is not configured to exit on every such error. Thread-safe.
 */
public final class OutOfMemory implements Thread.UncaughtExceptionHandler {

    // The messages are allocated in advance, because there is no memory left when they are needed.
    private final byte[] json;
    private final byte[] text;
    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    private final FileOutputStream err = new FileOutputStream(FileDescriptor.err);

    private OutOfMemory(boolean json) {
        this.json = (json ? "{\"error\":\"out of memory\"}\n" : "").getBytes(UTF_8);
        this.text = ("weir: out of memory. Give it more heap (WEIR_OPTS=-Xmx1g); a pipe holds less with a smaller"
                        + " weir.buffer.bytes in\n  --client-config. Nothing is lost: what was not committed is read again"
                        + " at the next start.\n")
                .getBytes(UTF_8);
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
                err.write(text);
            } catch (IOException | OutOfMemoryError silent) {
                // The message cannot be written, but the exit code still reports the failure.
            } finally {
                Runtime.getRuntime().halt(ExitCode.OUT_OF_MEMORY);
            }
        }
        // Its message may contain text from records.
        new Terminal(System.err, false).stackTrace(failure);
    }
}
