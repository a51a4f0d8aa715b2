package dev.weir.bench.process;

import dev.weir.bench.BenchException;
import dev.weir.bench.environment.Place;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A short command that runs at a place, which is this machine, an SSH host or a pod. Confined to one thread; used once.
 */
final class PlaceCommand {
    private static final long LOOK_MILLIS = 50;
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    private final String doing;
    private final String label;
    private final List<String> command;
    private final BooleanSupplier isStopped;

    /**
     * Creates a command that runs at the place.
     *
     * @param doing description of the failure for messages, for example {@code cannot be reached}
     * @param isStopped returns whether to abandon the command
     */
    PlaceCommand(String doing, Place place, List<String> arguments, BooleanSupplier isStopped) {
        this(doing, place.label(), place.command(arguments), isStopped);
    }

    /** Creates a command that runs on this machine. Messages about it name the place with the given label. */
    PlaceCommand(String doing, String label, List<String> command, BooleanSupplier isStopped) {
        this.doing = doing;
        this.label = label;
        this.command = command;
        this.isStopped = isStopped;
    }

    /**
     * Runs the command and returns its standard output.
     *
     * @param input the command's standard input; null for an empty input
     * @throws BenchException if the command fails or does not end within {@code patience}. If it does not end, its
     *     local process is killed.
     */
    String run(@Nullable InputStream input, Duration patience) {
        Process process;
        try {
            process = new ProcessBuilder(command).start();
        } catch (IOException e) {
            throw failed(String.valueOf(e.getMessage()), e);
        }
        Tail errors = new Tail(label, process.getErrorStream(), null);
        CompletableFuture<String> printed = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try (InputStream out = process.getInputStream()) {
                printed.complete(new String(out.readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                printed.completeExceptionally(e);
            }
        });
        Thread.ofVirtual().start(() -> feed(input, process));
        try {
            long deadline = System.nanoTime() + patience.toNanos();
            while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                if (isStopped.getAsBoolean()) {
                    throw new BenchException("stopped while a command ran at " + label);
                }
                if (System.nanoTime() - deadline >= 0) {
                    throw failed("no end after " + patience.toSeconds() + " s" + said(errors, Duration.ZERO), null);
                }
            }
            int status = process.exitValue();
            if (status != 0) {
                throw failed("exit status " + status + said(errors, LAST_WORDS), null);
            }
            return printed.get(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted while a command ran at " + label, e);
        } catch (ExecutionException | TimeoutException e) {
            throw failed("what it printed cannot be read: " + e, e);
        } finally {
            kill(process);
        }
    }

    private static String said(Tail errors, Duration patience) {
        String text = errors.text(patience);
        return text.isEmpty() ? ", and it said nothing" : ": " + text;
    }

    /** Writes the input. Ignores a process that ends early, because its output explains why. */
    private static void feed(@Nullable InputStream input, Process process) {
        try (OutputStream in = process.getOutputStream()) {
            if (input != null) {
                input.transferTo(in);
            }
        } catch (IOException ignored) { // The process does not read any more.
        }
    }

    private BenchException failed(String why, @Nullable Throwable cause) {
        String message = "worker at " + label + ": " + doing + ": " + why + "; the command was " + text(command);
        return cause == null ? new BenchException(message) : new BenchException(message, cause);
    }

    /** Returns the command as text for messages, truncated to 200 characters. */
    static String text(List<String> command) {
        String text = String.join(" ", command).replaceAll("\\s+", " ");
        return text.length() > 200 ? text.substring(0, 200) + "..." : text;
    }

    static void kill(Process process) {
        List<ProcessHandle> below = process.descendants().toList();
        process.destroyForcibly();
        below.forEach(ProcessHandle::destroyForcibly);
    }
}
