package dev.weir.testkit.internal;

import dev.weir.testkit.KafkaClusterException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A broker in its own JVM, which runs a {@link BrokerProgram}. Its owner calls it from one thread at a time.
 *
 * <p>The child reports on its standard output that it serves clients, or why it does not. It terminates when its
 * standard input is closed. The parent stops the child by closing this pipe. The operating system also closes the pipe
 * when the parent terminates for any reason, so the child cannot outlive its parent. The child's log goes to a file.
 */
public final class ForkedNode implements BrokerNode {
    private static final Duration FORMAT_DEADLINE = Duration.ofMinutes(1);
    private static final Duration STOP_DEADLINE = Duration.ofSeconds(15);

    private final int id;
    private final Map<String, String> settings;
    private final Path settingsFile;
    private final Path logFile;
    private final int heapMegabytes;
    private final BrokerProgram program;
    private boolean formatted;

    private volatile @Nullable Process process;
    private @Nullable BufferedReader said; // standard output of the process

    public ForkedNode(
            int id,
            Map<String, String> settings,
            Path settingsFile,
            Path logFile,
            int heapMegabytes,
            BrokerProgram program) {
        this.id = id;
        this.settings = Map.copyOf(settings);
        this.settingsFile = settingsFile;
        this.logFile = logFile;
        this.heapMegabytes = heapMegabytes;
        this.program = program;
        this.formatted = program.format().isEmpty();
    }

    @Override
    public void start() {
        try {
            writeSettings();
            format();
            long logged = LoggedFailure.sizeOf(logFile);
            Process child = launch(program.serve(), ProcessBuilder.Redirect.PIPE);
            process = child;
            // This read needs no timeout: the server limits its start time, and the pipe closes with the process.
            BufferedReader answers = child.inputReader(StandardCharsets.UTF_8);
            said = answers;
            String first = answers.readLine();
            if (!OwnerPipe.READY.equals(first)) {
                throw notStarted(first == null ? ended(logged) : first, null);
            }
        } catch (IOException e) {
            throw notStarted(String.valueOf(e.getMessage()), e);
        }
    }

    /** Formats the folder once. A restarted broker uses its existing folder. */
    private void format() throws IOException {
        if (formatted) {
            return;
        }
        long logged = LoggedFailure.sizeOf(logFile);
        Process formatting = launch(program.format(), ProcessBuilder.Redirect.appendTo(logFile.toFile()));
        formatting.getOutputStream().close();
        if (!endsInTime(formatting, FORMAT_DEADLINE) || formatting.exitValue() != 0) {
            throw new KafkaClusterException(
                    "folder of broker " + id + " could not be formatted: " + ended(logged) + "; see " + logFile);
        }
        formatted = true;
    }

    private String ended(long logged) throws IOException {
        String failure = LoggedFailure.past(logFile, logged);
        return "its process ended" + (failure.isEmpty() ? "" : ": " + failure);
    }

    private KafkaClusterException notStarted(String reason, @Nullable IOException cause) {
        return new KafkaClusterException("broker " + id + " did not start: " + reason + "; see " + logFile, cause);
    }

    private Process launch(List<String> arguments, ProcessBuilder.Redirect output) {
        try {
            return new ProcessBuilder(command(arguments))
                    .redirectOutput(output)
                    .redirectError(ProcessBuilder.Redirect.appendTo(logFile.toFile()))
                    .start();
        } catch (IOException e) {
            throw new KafkaClusterException("broker " + id + " could not be forked: " + e.getMessage(), e);
        }
    }

    private void writeSettings() throws IOException {
        Properties properties = new Properties();
        properties.putAll(settings);
        // Unlike a writer, a stream gets only ASCII, which every server release reads correctly.
        try (OutputStream out = Files.newOutputStream(settingsFile)) {
            properties.store(out, "Broker " + id);
        }
    }

    private List<String> command(List<String> program) {
        List<String> command = new ArrayList<>();
        if (!System.getProperty("os.name").startsWith("Windows")) {
            // Ctrl-C signals the process group, but the owner must stop its brokers.
            command.addAll(List.of("/bin/sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh"));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx" + heapMegabytes + "m");
        command.add("-XX:+UseSerialGC");
        command.addAll(compilerLimits());
        // Standard output is reserved for the child's messages to its owner.
        command.addAll(List.of("-XX:+DisplayVMOutputToStderr", "-Xlog:disable", "-Xlog:all=warning:stderr"));
        command.add("-Djava.util.logging.SimpleFormatter.format=%1$tF %1$tT.%1$tL %4$s %3$s %5$s%6$s%n");
        command.addAll(program);
        return command;
    }

    /** Returns this JVM's compiler limits, for its brokers. Short-lived test JVMs use only the quick compiler. */
    private static List<String> compilerLimits() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("-XX:TieredStopAtLevel="))
                .toList();
    }

    @Override
    public void stop() {
        Process running = process;
        if (running == null) {
            return;
        }
        try {
            running.getOutputStream().close();
        } catch (IOException e) {
            end(running);
        }
        var unused = endsInTime(running, STOP_DEADLINE);
    }

    /** Waits until a process has terminated. Kills it at the deadline, or if the calling thread is interrupted. */
    private static boolean endsInTime(Process running, Duration deadline) {
        try {
            if (running.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
                return true;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        end(running);
        return false;
    }

    @Override
    public void discard() {
        if (isRunning()) {
            kill();
        }
    }

    /**
     * Kills a process and waits until it has terminated. {@code onExit} is too slow if tests keep the common pool busy.
     */
    private static void end(Process running) {
        running.destroyForcibly();
        boolean interrupted = false;
        while (running.isAlive()) {
            try {
                running.waitFor();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Kills the process immediately with SIGKILL, even if it is frozen. */
    public void kill() {
        end(running());
    }

    /**
     * Sends a disk command to the process; see {@link dev.weir.testkit.internal.disk.DiskFaults}. Returns when the
     * process has executed the command.
     */
    public void orderDisk(String order) {
        try {
            OutputStream orders = running().getOutputStream();
            orders.write((order + "\n").getBytes(StandardCharsets.UTF_8));
            orders.flush();
            if (!OwnerPipe.DONE.equals(Objects.requireNonNull(said).readLine())) {
                throw new KafkaClusterException("broker " + id + " ended before it obeyed; see " + logFile);
            }
        } catch (IOException e) {
            throw new KafkaClusterException("broker " + id + " accepts no commands: " + e.getMessage(), e);
        }
    }

    /** Freezes the process, and returns when all of its threads stand still. */
    public void freeze() {
        String pid = signal("STOP");
        // On a busy machine, a process may run on until one of its threads gets a processor and takes the signal.
        String state = "";
        long deadlineNanos = System.nanoTime() + STOP_DEADLINE.toNanos();
        while (!state.startsWith("T") && running().isAlive()) {
            if (System.nanoTime() - deadlineNanos > 0) {
                throw new KafkaClusterException("broker " + id + " does not stand still: state " + state);
            }
            state = output("ps", "-o", "stat=", "-p", pid);
        }
    }

    /** Resumes the frozen process. */
    public void thaw() {
        signal("CONT");
    }

    private String signal(String name) {
        String pid = Long.toString(running().pid());
        String failure = output("kill", "-" + name, pid);
        if (!failure.isEmpty()) {
            throw new KafkaClusterException("kill -" + name + " " + pid + " (broker " + id + ") failed: " + failure);
        }
        return pid;
    }

    /** Returns what a command printed. */
    private String output(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            int unused = process.waitFor();
            return printed;
        } catch (IOException e) {
            throw new KafkaClusterException(
                    "frozen brokers need the commands kill and ps of a POSIX system: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaClusterException("interrupted while sending a signal to broker " + id, e);
        }
    }

    /** Returns a future that completes with the exit status once the last started process has terminated. */
    public CompletableFuture<Integer> exit() {
        Process started = process;
        if (started == null) {
            throw new KafkaClusterException("broker " + id + " was not started; see " + logFile);
        }
        return started.onExit().thenApply(Process::exitValue);
    }

    public long pid() {
        return running().pid();
    }

    private Process running() {
        Process running = process;
        if (running == null || !running.isAlive()) {
            throw new KafkaClusterException("broker " + id + " does not run: start it first; see " + logFile);
        }
        return running;
    }

    @Override
    public boolean isRunning() {
        Process running = process;
        return running != null && running.isAlive();
    }
}
