package dev.weir.cli.pipe;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.command.terminal.CliFailure;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A shell command that answers each line with one line, in order. One process serves all lines, and many may be in
 * flight. Thread-safe; lines are sent in the order of the calls to {@link #send}.
 *
 * <p>Three threads serve the process: one writes its input, one reads its output, and one keeps the last lines of its
 * standard error for failure messages. A failure is final and fails all outstanding answers.
 */
final class LineProcess implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration END_PATIENCE = Duration.ofSeconds(2);
    private static final int ERROR_LINES = 3;
    private static final int ERROR_LINE_CHARS = 200;
    private static final int BUFFER_BYTES = 1 << 16;

    // stdbuf makes filters with C's stdio write each line, although their output is no terminal.
    private static final String UNBUFFERED =
            "command -v stdbuf >/dev/null 2>&1 && exec stdbuf -oL sh -c \"$0\"; exec sh -c \"$0\"";

    private final Process process;
    private final int maxUnderWay;
    private final long patienceNanos;
    private final Semaphore room;
    private final BlockingQueue<Answer> unsent;
    private final Queue<Answer> awaited = new ConcurrentLinkedQueue<>();
    private final Deque<String> lastErrors = new ConcurrentLinkedDeque<>();
    private final Answer end = new Answer(new byte[0]);
    private final Thread errorReader;

    private volatile @Nullable LineProcessException failure;
    private volatile long lastAnswerNanos = System.nanoTime();

    private long answers; // confined to the reader thread

    private LineProcess(Process process, int maxUnderWay, Duration patience, BlockingQueue<Answer> unsent) {
        this.process = process;
        this.unsent = unsent;
        this.maxUnderWay = maxUnderWay;
        this.patienceNanos = patience.toNanos();
        this.room = new Semaphore(maxUnderWay);
        this.errorReader = thread("errors", this::readErrors);
        thread("writer", this::write);
        thread("reader", this::read);
    }

    /** Starts the command. The caller must close the returned process. */
    static LineProcess start(String command, int maxUnderWay) {
        return start(command, maxUnderWay, PATIENCE, new LinkedBlockingQueue<>());
    }

    /**
     * Starts the command with a time limit for its answers. The caller must close the returned process.
     *
     * @param patience longest time without any answer while lines are outstanding
     * @param unsent an empty queue for the lines that have not been written yet; tests observe it
     */
    static LineProcess start(String command, int maxUnderWay, Duration patience, BlockingQueue<Answer> unsent) {
        try {
            Process process = Shell.ofMachine().start(UNBUFFERED, command);
            return new LineProcess(process, maxUnderWay, patience, unsent);
        } catch (IOException e) {
            throw CliFailure.work("cannot start a shell: " + e.getMessage(), "exec:CMD needs /bin/sh.", e);
        }
    }

    private static Thread thread(String name, Runnable body) {
        return Thread.ofPlatform().daemon().name("weir-exec-" + name).start(body);
    }

    /** Returns why a value cannot be sent as a line; null if it can. */
    static @Nullable String refusal(byte @Nullable [] value) {
        if (value == null) {
            return "it has no value";
        }
        for (byte each : value) {
            if (each == '\n') {
                return "its value holds a line break";
            }
        }
        return null;
    }

    /** Sends a line, given without its line end. Waits while too many are in flight. */
    Answer send(byte[] line) throws InterruptedException {
        room.acquire();
        Answer answer = new Answer(line);
        unsent.add(answer);
        failIfTooLate(answer);
        return answer;
    }

    /**
     * Fails an answer that was added to a queue after a failure. Must be called after each addition, even when a line
     * moves between the queues.
     */
    private void failIfTooLate(Answer added) {
        LineProcessException failed = failure;
        if (failed != null) {
            added.future.completeExceptionally(failed);
        }
    }

    private void write() {
        try (OutputStream out = new BufferedOutputStream(process.getOutputStream(), BUFFER_BYTES)) {
            Answer next;
            while ((next = unsent.take()) != end) {
                awaited.add(next);
                failIfTooLate(next);
                out.write(next.line);
                out.write('\n');
                if (unsent.isEmpty()) {
                    out.flush();
                }
            }
        } catch (IOException | InterruptedException ignored) {
            // The command no longer reads. The reader thread reports the command's end.
        }
    }

    private void read() {
        try (InputStream in = process.getInputStream()) {
            byte[] buffer = new byte[BUFFER_BYTES];
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            int read;
            while ((read = in.read(buffer)) >= 0) {
                int start = 0;
                for (int i = 0; i < read; i++) {
                    if (buffer[i] == '\n') {
                        line.write(buffer, start, i - start);
                        start = i + 1;
                        if (!answered(line.toByteArray())) {
                            fail("answered with more lines than it was given");
                            return;
                        }
                        line.reset();
                    }
                }
                line.write(buffer, start, read - start);
            }
        } catch (IOException ignored) {
            // A failure counts as the end of the stream.
        }
        fail(describeEnd());
    }

    /** Completes the oldest outstanding answer with {@code line}. Returns false if there is none. */
    private boolean answered(byte[] line) {
        Answer answer = awaited.poll();
        if (answer == null) {
            return false;
        }
        answers++;
        lastAnswerNanos = System.nanoTime();
        room.release();
        answer.future.complete(line);
        return true;
    }

    private String describeEnd() {
        try {
            if (!process.waitFor(END_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                return "closed its output, after " + answers + " answers";
            }
            errorReader.join(END_PATIENCE);
            return "ended with exit status " + process.exitValue() + ", after " + answers + " answers";
        } catch (InterruptedException e) {
            return "ended, after " + answers + " answers";
        }
    }

    private LineProcessException fail(String what) {
        String said = String.join(" | ", lastErrors);
        LineProcessException failed =
                new LineProcessException("the exec command " + what + (said.isEmpty() ? "" : "; it said: " + said));
        failure = failed;
        for (Queue<Answer> queue : List.of(awaited, unsent)) {
            queue.forEach(answer -> answer.future.completeExceptionally(failed));
        }
        room.release(maxUnderWay);
        return failed;
    }

    private void readErrors() {
        try (BufferedReader errors = new BufferedReader(process.errorReader(UTF_8))) {
            String line;
            while ((line = errors.readLine()) != null) {
                lastErrors.add(line.length() <= ERROR_LINE_CHARS ? line : line.substring(0, ERROR_LINE_CHARS) + "...");
                if (lastErrors.size() > ERROR_LINES) {
                    lastErrors.poll();
                }
            }
        } catch (IOException ignored) {
            // A failure counts as the end of the stream.
        }
    }

    /** Closes the command's input. Kills the command and its children if it does not end. */
    @Override
    public void close() {
        unsent.add(end);
        try {
            if (process.waitFor(END_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Shell.kill(process.toHandle());
    }

    /** The answer to one line. */
    final class Answer {

        private final byte[] line;
        private final long sentNanos = System.nanoTime();
        private final CompletableFuture<byte[]> future = new CompletableFuture<>();

        private Answer(byte[] line) {
            this.line = line;
        }

        /** Waits for the answer. Throws if there will be none. */
        byte[] await() throws InterruptedException {
            while (true) {
                long since = lastAnswerNanos - sentNanos > 0 ? lastAnswerNanos : sentNanos;
                long left = since + patienceNanos - System.nanoTime();
                // Accept an answer that has arrived, however old: under back-pressure, this call comes late.
                if (left <= 0 && !future.isDone()) {
                    throw fail("did not answer for " + TimeUnit.NANOSECONDS.toSeconds(patienceNanos)
                            + " s (it must answer each line with one line, and not keep answers in a buffer)");
                }
                try {
                    return future.get(Math.max(0, left), TimeUnit.NANOSECONDS);
                } catch (ExecutionException e) {
                    throw (LineProcessException) e.getCause();
                } catch (TimeoutException ignored) {
                    // An answer to another line extends the time limit.
                }
            }
        }
    }
}
