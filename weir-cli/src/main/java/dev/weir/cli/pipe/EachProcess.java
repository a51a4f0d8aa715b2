package dev.weir.cli.pipe;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.stream.spi.Thrown;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs a shell command for each value, from its standard input to its standard output. An exit status other than 0 is a
 * failure. Stateless.
 */
final class EachProcess {

    private static final int ERROR_CHARS = 300;

    /** Time to wait for the end of standard error, which a background process may keep open. */
    private static final long ERRORS_MILLIS = 1_000;

    private EachProcess() {}

    /** Runs the command for one value. An interrupt ends it and its children. */
    static byte[] run(String command, byte[] value) throws IOException, InterruptedException {
        Process process = Shell.ofMachine().start(command);
        try {
            CompletableFuture<byte[]> out = reading(process.getInputStream());
            CompletableFuture<byte[]> errors =
                    reading(process.getErrorStream()).exceptionally(unreadable -> new byte[0]);
            write(value, process.getOutputStream());
            int status = process.waitFor();
            if (status != 0) {
                throw new LineProcessException("the command ended with exit status " + status + said(errors));
            }
            return out.get();
        } catch (ExecutionException unreadable) {
            throw new LineProcessException("the output of the command cannot be read: "
                    + Thrown.reason(Objects.requireNonNull(unreadable.getCause())));
        } finally {
            Shell.kill(process.toHandle());
        }
    }

    /** Writes on another thread: an interrupt does not end a write that the command does not read. */
    private static void write(byte[] value, OutputStream to) {
        Thread.ofVirtual().name("weir-each").start(() -> {
            try (to) {
                to.write(value);
            } catch (IOException ignored) {
                // The command did not read all of its input. Its exit status shows whether this is an error.
            }
        });
    }

    static CompletableFuture<byte[]> reading(InputStream from) {
        CompletableFuture<byte[]> all = new CompletableFuture<>();
        Thread.ofVirtual().name("weir-each").start(() -> {
            try (from) {
                all.complete(from.readAllBytes());
            } catch (IOException unreadable) {
                all.completeExceptionally(unreadable);
            }
        });
        return all;
    }

    private static String said(CompletableFuture<byte[]> errors) throws InterruptedException, ExecutionException {
        byte[] read;
        try {
            read = errors.get(ERRORS_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException stillOpen) {
            return "";
        }
        String text = new String(read, UTF_8).strip().replaceAll("\\s*\\R\\s*", " | ");
        return text.isEmpty() ? "" : "; it said: " + text.substring(0, Math.min(ERROR_CHARS, text.length()));
    }
}
