package dev.weir.bench.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.bench.BenchException;
import dev.weir.bench.RunFailure;
import dev.weir.driver.Command;
import dev.weir.driver.Report;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A driver's JVM. Confined to one thread, but for {@link #kill} and {@link #isAlive}, which any thread may call. It ends with its standard
 * input, so it does not outlive the harness, however that one ends.
 */
public final class DriverProcess implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final String name;
    private final Process process;
    private final Writer commands;
    private final Path log;
    private final BlockingQueue<Report> reports = new LinkedBlockingQueue<>();

    private DriverProcess(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.commands = process.outputWriter(StandardCharsets.UTF_8);
        this.log = log;
    }

    static DriverProcess start(String name, DriverCatalog.Entry entry, int heapMegabytes, Path log) {
        List<String> command = List.of(
                // Ctrl-C reaches the whole process group: the harness decides when a driver ends.
                "/bin/sh",
                "-c",
                "trap '' INT HUP; exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms" + heapMegabytes + "m",
                "-Xmx" + heapMegabytes + "m",
                "-XX:+UseG1GC",
                "-XX:+ExitOnOutOfMemoryError",
                "-Xlog:disable",
                "-Xlog:all=warning:stderr",
                "-cp",
                entry.classPath(),
                entry.mainClass(),
                name);
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            DriverProcess driver = new DriverProcess(name, process, log);
            Thread.ofVirtual().name("bench-reader-" + name).start(driver::read);
            return driver;
        } catch (IOException e) {
            throw new BenchException("driver " + name + " could not be forked: " + e.getMessage(), e);
        }
    }

    private void read() {
        String why = "its process ended";
        try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                try {
                    reports.add(JSON.readValue(line, Report.class));
                } catch (JsonProcessingException e) {
                    why = line; // A last word of the JVM, such as that its heap is full.
                }
            }
        } catch (IOException e) {
            why = e.toString();
        }
        reports.add(new Report.Failed(why, ""));
    }

    void send(Command command) {
        try {
            commands.write(JSON.writeValueAsString(command));
            commands.write('\n');
            commands.flush();
        } catch (IOException e) {
            throw new RunFailure("driver " + name + " is gone; see " + log);
        }
    }

    /**
     * The next report, or a failure if the driver fails or says nothing for so long.
     *
     * @param look called each second until it comes; may throw
     */
    Report receive(Duration patience, Runnable look) throws InterruptedException {
        for (Duration left = patience; left.isPositive(); left = left.minus(LOOK)) {
            Report report = poll(LOOK);
            if (report != null) {
                return report;
            }
            look.run();
        }
        throw new RunFailure("driver " + name + " said nothing for " + patience.toSeconds() + " s; see " + log);
    }

    /** The next report, null if it says nothing for so long, or a failure if the driver fails. */
    @Nullable
    Report poll(Duration patience) throws InterruptedException {
        Report report = reports.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        if (report instanceof Report.Failed failed) {
            throw new RunFailure("driver " + name + " failed: " + failed.message() + "; see " + log);
        }
        return report;
    }

    /** Its id at the operating system. */
    public long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Halts it by SIGSTOP: its connections stay open, and nobody reads from them. */
    void freeze() throws InterruptedException {
        signal("STOP");
    }

    /** Lets it go on. */
    void thaw() throws InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws InterruptedException {
        try {
            int status = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .redirectErrorStream(true)
                    .start()
                    .waitFor();
            if (status != 0 && process.isAlive()) {
                throw new BenchException("SIG" + name + " could not be sent to driver " + this.name);
            }
        } catch (IOException e) {
            throw new BenchException("driver " + this.name + " could not be signalled: " + e.getMessage(), e);
        }
    }

    void kill() {
        process.destroyForcibly();
    }

    /** It has said what it had to say, and its passes have closed what they opened: it is not waited for. */
    @Override
    public void close() {
        kill();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
