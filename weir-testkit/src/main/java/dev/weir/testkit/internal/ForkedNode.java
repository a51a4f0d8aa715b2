package dev.weir.testkit.internal;

import dev.weir.testkit.KafkaClusterException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A broker in a JVM of its own: {@link BrokerMain}. Its owner calls it from one thread at a time.
 *
 * <p>The child says on its standard output that it serves, or why it does not, and ends when its standard input does:
 * so a stop is a close of that pipe, and a child cannot outlive its parent, however that one ended.
 * Its log goes to a file.
 */
public final class ForkedNode implements BrokerNode {
    private static final Duration STOP_DEADLINE = Duration.ofSeconds(15);

    /**
     * An archive of classes (class data sharing) that children read theirs from, if it fits: a third of the processor
     * time of a start. It is of the jars in this JVM's class path. Empty for none.
     */
    private static final String ARCHIVE = System.getProperty("weir.testkit.archive", "");

    private final int id;
    private final Map<String, String> settings;
    private final Path settingsFile;
    private final Path logFile;
    private final int heapMegabytes;

    private volatile @Nullable Process process;

    public ForkedNode(int id, Map<String, String> settings, Path settingsFile, Path logFile, int heapMegabytes) {
        this.id = id;
        this.settings = Map.copyOf(settings);
        this.settingsFile = settingsFile;
        this.logFile = logFile;
        this.heapMegabytes = heapMegabytes;
    }

    @Override
    public void start() {
        Process child = launch();
        process = child;
        // The pipe ends with the process, so this waits no longer than the server's own deadline for its start.
        try (BufferedReader said = child.inputReader(StandardCharsets.UTF_8)) {
            String line = said.readLine();
            if (BrokerMain.READY.equals(line)) {
                return;
            }
            throw new KafkaClusterException("broker " + id + " did not start: "
                    + (line == null ? "its process ended" : line) + "; see " + logFile);
        } catch (IOException e) {
            throw new KafkaClusterException(
                    "broker " + id + " did not start: " + e.getMessage() + "; see " + logFile, e);
        }
    }

    private Process launch() {
        try {
            writeSettings();
            return new ProcessBuilder(command())
                    .redirectError(ProcessBuilder.Redirect.appendTo(logFile.toFile()))
                    .start();
        } catch (IOException e) {
            throw new KafkaClusterException("broker " + id + " could not be forked: " + e.getMessage(), e);
        }
    }

    private void writeSettings() throws IOException {
        Properties properties = new Properties();
        properties.putAll(settings);
        try (Writer out = Files.newBufferedWriter(settingsFile)) {
            properties.store(out, "Broker " + id);
        }
    }

    private List<String> command() {
        List<String> command = new ArrayList<>();
        if (!System.getProperty("os.name").startsWith("Windows")) {
            // Ctrl-C reaches the whole process group: its owner decides when a broker stops, not the terminal.
            command.addAll(List.of("/bin/sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh"));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx" + heapMegabytes + "m");
        command.add("-XX:+UseSerialGC");
        command.addAll(compilerLimits());
        // Standard output is for what the child says to its owner.
        command.addAll(List.of("-Xlog:disable", "-Xlog:all=warning:stderr"));
        if (hasArchive()) {
            command.add("-XX:SharedArchiveFile=" + ARCHIVE);
        }
        command.add("-Djava.util.logging.SimpleFormatter.format=%1$tF %1$tT.%1$tL %4$s %3$s %5$s%6$s%n");
        command.addAll(List.of("-cp", classPath(), BrokerMain.class.getName(), settingsFile.toString()));
        return command;
    }

    /**
     * Tests that run with the quick compiler alone, because each JVM of theirs ends soon, save its time in brokers too.
     */
    private static List<String> compilerLimits() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("-XX:TieredStopAtLevel="))
                .toList();
    }

    private static boolean hasArchive() {
        return !ARCHIVE.isEmpty() && Files.isRegularFile(Path.of(ARCHIVE));
    }

    /** This JVM's class path; of a modular one, the module path too: the child needs no modules. */
    private static String classPath() {
        String classPath = System.getProperty("java.class.path", "");
        String modulePath = System.getProperty("jdk.module.path", "");
        String all = modulePath.isEmpty() ? classPath : classPath + File.pathSeparator + modulePath;
        if (!hasArchive()) {
            return all;
        }
        // The JVM wants the class path of the archive, which can have no folders, as the first part of the child's.
        return Stream.of(all.split(File.pathSeparator))
                .sorted(Comparator.comparing(each -> !Files.isRegularFile(Path.of(each))))
                .collect(Collectors.joining(File.pathSeparator));
    }

    @Override
    public void stop() {
        Process running = process;
        if (running == null) {
            return;
        }
        try {
            running.getOutputStream().close();
            if (!running.waitFor(STOP_DEADLINE.toMillis(), TimeUnit.MILLISECONDS)) {
                end(running);
            }
        } catch (IOException e) {
            end(running);
        } catch (InterruptedException e) {
            end(running);
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void discard() {
        if (isRunning()) {
            kill();
        }
    }

    /** Waits for the process itself: {@code onExit} is told on the common pool, which tests may keep busy. */
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

    /** Ends the process at once, by SIGKILL; a frozen one too. */
    public void kill() {
        end(running());
    }

    /** Sends a signal, by its name without SIG, to the process. */
    public void signal(String name) {
        long pid = running().pid();
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                    .redirectErrorStream(true)
                    .start();
            int status = kill.waitFor();
            if (status != 0) {
                throw new KafkaClusterException("kill -" + name + " " + pid + " (broker " + id + ") failed: "
                        + new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
            }
        } catch (IOException e) {
            throw new KafkaClusterException("signals need the kill command of a POSIX system: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaClusterException("interrupted while sending a signal to broker " + id, e);
        }
    }

    /** Completes with the exit status when the process that was started last has ended. */
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
