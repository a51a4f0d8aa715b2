package dev.weir.cli.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;

/**
 * Ends the process when a thread has died of an OutOfMemoryError: uncommitted records are delivered again, and a
 * half-dead process helps nobody. A thread that catches the error continues, for example after a batch too large for
 * the heap. This is why the JVM is not configured to exit by itself. Thread-safe.
 */
public final class OutOfMemory implements Thread.UncaughtExceptionHandler {

    // Both texts are allocated in advance, because no memory is available when they are needed.
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
     * Watches all threads of the process.
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
                // The exit code reports the failure.
            } finally {
                Runtime.getRuntime().halt(ExitCode.OUT_OF_MEMORY);
            }
        }
        failure.printStackTrace();
    }
}
