package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/** A named pipe with an endless number of generated lines. Its reader always has a backlog. */
final class EndlessFile implements AutoCloseable {

    private static final int LINES_A_WRITE = 1_000;

    private final Path path;
    private final Thread writer;

    private EndlessFile(Path path, String head, LongFunction<String> line) {
        this.path = path;
        this.writer = Thread.ofPlatform().daemon().name("endless-file").unstarted(() -> write(path, head, line));
    }

    /** Creates the pipe. {@code line} returns each line after the first, by its number. */
    static EndlessFile start(Path path, String head, LongFunction<String> line)
            throws IOException, InterruptedException {
        Process made = new ProcessBuilder("mkfifo", path.toString()).inheritIO().start();
        assertThat(made.waitFor(10, TimeUnit.SECONDS) && made.exitValue() == 0).isTrue();
        EndlessFile file = new EndlessFile(path, head, line);
        file.writer.start();
        return file;
    }

    Path path() {
        return path;
    }

    private static void write(Path path, String head, LongFunction<String> line) {
        // Opening waits for a reader.
        try (OutputStream out = Channels.newOutputStream(FileChannel.open(path, StandardOpenOption.WRITE))) {
            out.write((head + "\n").getBytes(UTF_8));
            for (long number = 0; ; number += LINES_A_WRITE) {
                StringBuilder lines = new StringBuilder();
                for (int i = 0; i < LINES_A_WRITE; i++) {
                    lines.append(line.apply(number + i)).append('\n');
                }
                out.write(lines.toString().getBytes(UTF_8));
            }
        } catch (IOException ignored) { // Its reader is gone.
        }
    }

    @Override
    public void close() {
        writer.interrupt();
        try {
            writer.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
