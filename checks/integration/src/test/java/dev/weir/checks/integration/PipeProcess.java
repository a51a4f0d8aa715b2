package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/**
 * A {@code weir} command in its own JVM, with its output in files. Confined to the test's thread, which closes it.
 * Closing kills a running command.
 */
final class PipeProcess implements AutoCloseable {

    private final Process process;
    private final Path folder;

    private PipeProcess(Process process, Path folder) {
        this.process = process;
        this.folder = folder;
    }

    static PipeProcess start(String... args) {
        return start(256, args);
    }

    static PipeProcess start(int heapMegabytes, String... args) {
        return startMain("dev.weir.cli.Main", heapMegabytes, args);
    }

    /** Starts a command as the leader of a process group, like a shell's foreground job, for {@link #signalGroup}. */
    static PipeProcess startInOwnGroup(String... args) {
        return start(List.of("setsid"), List.of(), "dev.weir.cli.Main", 256, args);
    }

    /** Starts a command whose heap is fully in memory from the start, so any later growth is outside the heap. */
    static PipeProcess startTouched(int heapMegabytes, String... args) {
        List<String> touched = List.of("-Xms" + heapMegabytes + "m", "-XX:+AlwaysPreTouch");
        return start(List.of(), touched, "dev.weir.cli.Main", heapMegabytes, args);
    }

    /** Starts a command like the launcher: the JVM survives its first OutOfMemoryError. */
    static PipeProcess startSurviving(int heapMegabytes, String... args) {
        return start(List.of(), List.of("-XX:-ExitOnOutOfMemoryError"), "dev.weir.cli.Main", heapMegabytes, args);
    }

    static PipeProcess startMain(String mainClass, int heapMegabytes, String... args) {
        return start(List.of(), List.of(), mainClass, heapMegabytes, args);
    }

    private static PipeProcess start(
            List<String> prefix, List<String> options, String mainClass, int heapMegabytes, String... args) {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(ChildJvm.command());
        command.addAll(List.of(
                "-Xmx" + heapMegabytes + "m", "-XX:+ExitOnOutOfMemoryError", "--enable-native-access=ALL-UNNAMED"));
        if (Runtime.version().feature() >= 23) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(options);
        command.add(mainClass);
        command.addAll(List.of(args));
        try {
            Path folder = Files.createTempDirectory("weir-pipe-test-");
            Process process = new ProcessBuilder(command)
                    .redirectOutput(folder.resolve("out").toFile())
                    .redirectError(folder.resolve("err").toFile())
                    .start();
            return new PipeProcess(process, folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int exitCode(Duration deadline) {
        try {
            assertThat(process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS))
                    .as("ended within %s; so far it said: %s", deadline, err())
                    .isTrue();
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    boolean endsWithin(Duration time) throws InterruptedException {
        return process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** Returns the child processes of the command. */
    List<ProcessHandle> children() {
        return process.children().toList();
    }

    void type(String text) {
        try {
            process.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void closeInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void kill() {
        process.destroyForcibly().onExit().join();
    }

    void signal(String name) {
        signal(name, Long.toString(process.pid()));
    }

    /** Sends a signal to the command and its process group, like a terminal. */
    void signalGroup(String name) {
        signal(name, "-" + process.pid());
    }

    private static void signal(String name, String target) {
        try {
            int status = new ProcessBuilder("kill", "-" + name, "--", target)
                    .inheritIO()
                    .start()
                    .waitFor();
            assertThat(status).isZero();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError("cannot signal", e);
        }
    }

    String awaitOut() {
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> out().endsWith("\n") || !process.isAlive());
        assertThat(out()).as(err()).endsWith("\n");
        return out().strip();
    }

    String out() {
        return text("out");
    }

    String err() {
        return text("err");
    }

    private String text(String name) {
        try {
            return Files.readString(folder.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the first number with the given name in a summary. */
    static double number(String json, String name) {
        Matcher matcher = Pattern.compile('"' + name + "\":(-?[0-9.]+)").matcher(json);
        assertThat(matcher.find()).as("%s in %s", name, json).isTrue();
        return Double.parseDouble(matcher.group(1));
    }

    @Override
    public void close() {
        kill();
        try {
            for (String name : List.of("out", "err")) {
                Files.deleteIfExists(folder.resolve(name));
            }
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
