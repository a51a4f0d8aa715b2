package dev.weir.bench.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.bench.BenchException;
import dev.weir.bench.RunFailure;
import dev.weir.bench.environment.Worker;
import dev.weir.driver.Command;
import dev.weir.driver.NotedNumbers;
import dev.weir.driver.Report;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A driver's JVM, which runs at a place of the environment. The JVM exits at the end of its standard input, so it never
 * outlives the harness. Confined to one thread, except for {@link #kill}, {@link #isAlive} and the launcher's calls.
 */
public final class DriverProcess implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LOOK = Duration.ofSeconds(1);

    /** Time to wait for a command's last error output, and for a remote process to exit after its input was closed. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(3);

    /** The prefix of a report. A line with this prefix is a broken report if it cannot be parsed. */
    private static final String REPORT = "{\"say\"";

    private final String name;
    private final DriverCatalog.Entry entry;
    private final Worker.Role role;
    private final WorkerHost host;
    private final List<String> command;
    private final Process process;
    private final Writer commands; // guarded by the lock, because the clock's thread writes too
    private final ReentrantLock writing = new ReentrantLock();
    private final Path log;
    private final BlockingQueue<Report> reports = new LinkedBlockingQueue<>();
    private final @Nullable Tail errors; // null for a process on this machine
    private final @Nullable WorkerClock clock; // null for a process on this machine
    private final @Nullable Supplier<Stream<DriverProcess>> senders; // generators of the run; null if all share a clock

    private volatile long pid; // process ID on its machine; set by the reader's thread after the greeting
    private volatile int processors; // set together with pid
    private boolean isFrozen;

    private DriverProcess(
            String name,
            DriverCatalog.Entry entry,
            Worker.Role role,
            WorkerHost host,
            List<String> command,
            Process process,
            @Nullable OutputStream errors,
            Path log,
            @Nullable Supplier<Stream<DriverProcess>> senders) {
        this.name = name;
        this.entry = entry;
        this.role = role;
        this.host = host;
        this.command = command;
        this.process = process;
        this.commands = process.outputWriter(StandardCharsets.UTF_8);
        this.log = log;
        this.senders = senders;
        this.pid = host.isHere() ? process.pid() : 0;
        this.clock = host.isHere() ? null : new WorkerClock(name, this::send);
        this.errors = errors == null ? null : new Tail(name, process.getErrorStream(), errors);
    }

    /**
     * Starts a process.
     *
     * @param senders supplies the running generators; null if all processes share the clock of this machine
     */
    static DriverProcess start(
            String name,
            Worker.Role role,
            WorkerHost host,
            DriverCatalog.Entry entry,
            int heapMegabytes,
            Path log,
            @Nullable Supplier<Stream<DriverProcess>> senders) {
        List<String> command = host.command(name, role, entry, heapMegabytes);
        ProcessBuilder builder = new ProcessBuilder(command);
        host.starts();
        boolean isForked = false;
        try {
            OutputStream errors = null;
            if (host.isHere()) {
                builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
            } else {
                errors = Files.newOutputStream(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            }
            DriverProcess driver =
                    new DriverProcess(name, entry, role, host, command, builder.start(), errors, log, senders);
            Thread.ofVirtual().name("bench-reader-" + name).start(driver::read);
            isForked = true;
            return driver;
        } catch (IOException e) {
            throw new BenchException("driver " + name + " could not be forked: " + e.getMessage(), e);
        } finally {
            if (!isForked) {
                host.started();
            }
        }
    }

    private String who() {
        return host.isHere() ? name : name + " at " + host.label();
    }

    boolean runsAt(WorkerHost place) {
        return host == place;
    }

    WorkerHost host() {
        return host;
    }

    boolean isOf(Worker.Role other) {
        return role == other;
    }

    private void read() {
        String why = "its process ended";
        boolean isUp = false;
        try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                long heardNanos = System.nanoTime();
                try {
                    Report report = JSON.readValue(line, Report.class);
                    if (report instanceof Report.Clock answer) {
                        if (clock != null) {
                            clock.heard(answer, heardNanos);
                        }
                    } else if (report != null) { // JSON null is parsed as null.
                        if (report instanceof Report.Hello hello && !isUp) {
                            isUp = true;
                            up(hello);
                        }
                        reports.add(report);
                    }
                } catch (JsonProcessingException e) {
                    if (line.startsWith(REPORT)) {
                        why = "a line of its reports was cut off or is of another version: " + abridged(line);
                        break;
                    }
                    why = abridged(line); // may be the JVM's last message, for example about a full heap
                }
            }
        } catch (IOException e) {
            why = e.toString();
        }
        if (!isUp) {
            host.started();
        }
        reports.add(new Report.Failed(why + atTheEnd(), ""));
    }

    /**
     * Notes the greeting of the process, and starts reading its clock. Each reading renews the lease of a remote
     * process.
     */
    private void up(Report.Hello hello) {
        host.started();
        pid = hello.pid();
        processors = hello.processors();
        if (clock != null) {
            clock.start();
        }
    }

    private static String abridged(String line) {
        return line.length() > 300 ? line.substring(0, 300) + "..." : line;
    }

    /**
     * Describes how the command that connects to a remote process ended: exit status, last error output and command
     * line. Returns an empty string for a local process.
     */
    private String atTheEnd() {
        Tail said = errors;
        if (said == null) {
            return "";
        }
        String words = said.text(LAST_WORDS);
        String status = "";
        try {
            if (process.waitFor(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS)) {
                status = ", exit status " + process.exitValue();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return status + (words.isEmpty() ? "" : ": " + words) + "; the command was "
                + PlaceCommand.text(command.subList(4, command.size()));
    }

    /** Sends a command. May be called by any thread. */
    void send(Command said) {
        writing.lock();
        try {
            commands.write(JSON.writeValueAsString(said));
            commands.write('\n');
            commands.flush();
        } catch (IOException e) {
            throw new RunFailure("driver " + who() + " is gone; see " + log);
        } finally {
            writing.unlock();
        }
    }

    /**
     * Waits until the process knows the harness's time. Call it after the greeting.
     *
     * @throws RunFailure if the process does not report its clock in time
     */
    void greeted() throws InterruptedException {
        WorkerClock its = clock;
        if (its == null) {
            if (senders != null) {
                send(new Command.SetClock(0)); // the clocks may differ, because a generator may be remote
            }
            return;
        }
        long deadline = System.nanoTime() + DriverSession.PATIENCE.toNanos();
        while (!its.awaitKnown(LOOK)) {
            if (reports.peek() instanceof Report.Failed) {
                var unused = poll(Duration.ZERO); // Throws the reported failure.
            }
            if (System.nanoTime() - deadline >= 0) {
                throw new RunFailure("driver " + who() + " did not report its clock for "
                        + DriverSession.PATIENCE.toSeconds() + " s; see " + log);
            }
        }
    }

    void passBegins() {
        if (clock != null) {
            clock.restart();
        }
    }

    /**
     * Returns the largest possible error of a latency since {@link #passBegins}; null if all processes share a clock.
     *
     * @throws RunFailure if one of the clocks was set since then
     */
    @Nullable
    Long clockErrorNanos() {
        if (senders == null) {
            return null;
        }
        long ofSenders = senders.get()
                .filter(sender -> sender != this)
                .mapToLong(DriverProcess::ownErrorNanos)
                .max()
                .orElse(0);
        return ownErrorNanos() + ofSenders;
    }

    private long ownErrorNanos() {
        if (clock == null) {
            return 0;
        }
        if (clock.wasSet()) {
            throw new RunFailure("the clock of driver " + who() + " was set amid the run");
        }
        return clock.errorNanos();
    }

    /** The number of cores that the process may use; known after its greeting. */
    int cores() {
        return processors;
    }

    /**
     * Returns the next report. Fails if the driver fails or sends nothing for {@code patience}.
     *
     * @param look called every second until the report arrives; may throw an exception to stop waiting
     */
    Report receive(Duration patience, Runnable look) throws InterruptedException {
        for (Duration left = patience; left.isPositive(); left = left.minus(LOOK)) {
            Report report = poll(LOOK);
            if (report != null) {
                return report;
            }
            look.run();
        }
        throw new RunFailure("driver " + who() + " sent no report for " + patience.toSeconds() + " s; see " + log);
    }

    /** Returns the next report, or null after a timeout; throws if the driver fails. */
    @Nullable
    Report poll(Duration patience) throws InterruptedException {
        Report report = reports.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        if (report instanceof Report.Failed failed) {
            throw new RunFailure("driver " + who() + " failed: " + failed.message() + "; see " + log);
        }
        return report;
    }

    /** The process ID on this machine; 0 for a remote process. */
    public long pidHere() {
        return host.isHere() ? process.pid() : 0;
    }

    /** The process ID on the machine or in the pod where the process runs; known after its greeting. */
    public long pid() {
        return pid;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Halts the process with SIGSTOP: its connections stay open but unread. */
    void freeze() throws InterruptedException {
        signal("STOP");
        isFrozen = true;
    }

    void thaw() throws InterruptedException {
        signal("CONT");
        isFrozen = false;
    }

    /** Kills the driver's process with SIGKILL on its own machine, unlike {@link #kill}. {@link #close} must follow. */
    public void killThere() throws InterruptedException {
        if (host.isHere()) {
            kill();
        } else {
            signal("KILL");
        }
    }

    /** The reason why signals cannot reach the process; null if they can. */
    public @Nullable String objectionToSignals() {
        try {
            if (!host.isHere()) {
                host.signal("0", pid);
            }
            return null;
        } catch (BenchException e) {
            return e.getMessage();
        }
    }

    /**
     * Returns the name of a new file at the process's place. The file is deleted at the end of the campaign.
     *
     * @throws RunFailure if no folder for the file can be created at that place
     */
    public String newFileThere() {
        try {
            return host.newFile();
        } catch (BenchException e) {
            throw new RunFailure(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Returns a supplier that reads the record numbers noted by this process before it was killed. The supplier may be
     * called once, on any thread, and throws a {@link BenchException} if the file cannot be read.
     *
     * @param file the file in which the process noted the numbers, from {@link #newFileThere}
     * @param records the number of records per partition for which the file has room
     */
    public Supplier<NotedNumbers> noted(String file, int partitions, long records) {
        return host.noted(entry, file, partitions, records);
    }

    private void signal(String signal) throws InterruptedException {
        if (!host.isHere()) {
            try {
                host.signal(signal, pid);
            } catch (BenchException e) { // The connection may work again in the next run.
                throw new RunFailure(String.valueOf(e.getMessage()));
            }
            return;
        }
        try {
            int status = new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                    .redirectErrorStream(true)
                    .start()
                    .waitFor();
            if (status != 0 && process.isAlive()) {
                throw new BenchException("SIG" + signal + " could not be sent to driver " + name);
            }
        } catch (IOException e) {
            throw new BenchException("driver " + name + " could not be signalled: " + e.getMessage(), e);
        }
    }

    /** Kills the local process. A remote process then exits, because its input ends. */
    void kill() {
        PlaceCommand.kill(process);
    }

    /** Ends the process without asking it to finish. Its passes have already closed their resources. */
    @Override
    public void close() {
        if (clock != null) {
            clock.close();
            endThere();
        }
        kill();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Ends a remote process by closing its input. Kills a frozen process, which does not notice the end of its input.
     */
    private void endThere() {
        try {
            if (!isFrozen) {
                commands.close();
                if (process.waitFor(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
            if (pid != 0) {
                host.signal("KILL", pid); // Also ends a frozen process.
            }
        } catch (IOException | BenchException e) { // The connection is lost; the lease ends the process.
            note("process " + pid + " at " + host.label() + " may run for a while yet: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void note(String line) {
        try {
            Files.writeString(log, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException ignored) { // The log was the only place for this message.
        }
    }
}
