package dev.weir.driver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The main loop of a driver's process. The main thread executes {@link Command}s, runs passes and writes
 * {@link Report}s. A second thread, the sampler, writes the intervals of a pass and ends before the result is written.
 * A third thread reads the standard input and answers clock requests. At the end of the input, the third thread ends
 * the process, even during a pass, because the harness is gone.
 */
public final class DriverMain {
    private static final ObjectMapper JSON =
            new ObjectMapper().configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, true);

    /**
     * System property: the location of this process, if it is not the harness's machine. The process then reports the
     * load of its machine.
     */
    private static final @Nullable String PLACE = System.getProperty("weir.driver.place");

    private static final Logger ROOT_LOGGER = Logger.getLogger("");

    // Kafka's clients log all their settings through this logger. Logging them once, before the measurement, is enough.
    private static final Logger CONFIGURATIONS = Logger.getLogger("org.apache.kafka.common.config.AbstractConfig");

    private final String name;
    private final Driver driver;
    private final PrintStream harness;
    private final Lease lease = Lease.ofProcess();

    // The command thread sets endIsWanted or adds a change, then reads underWay. The main thread sets underWay, then
    // reads both. No command is missed; applying a change twice does no harm.
    private final Queue<Map<String, String>> changes = new ConcurrentLinkedQueue<>(); // since the pass was started
    private final Pauses pauses = Pauses.start();

    private volatile boolean endIsWanted;
    private volatile @Nullable Pass underWay;

    private DriverMain(String name, Driver driver, PrintStream harness) {
        this.name = name;
        this.driver = driver;
        this.harness = harness;
    }

    /**
     * Executes commands until the harness sends a stop command or disconnects, and then ends the process.
     *
     * @param drivers drivers by name; the first program argument selects one
     */
    public static void serve(Map<String, Supplier<Driver>> drivers, String... arguments) {
        // Standard output belongs to the protocol, so libraries print to the log.
        PrintStream harness = System.out;
        System.setOut(System.err);
        ROOT_LOGGER.setLevel(Level.WARNING);
        CONFIGURATIONS.setLevel(Level.INFO);
        Supplier<Driver> wanted = arguments.length == 1 ? drivers.get(Driver.baseName(arguments[0])) : null;
        if (wanted == null) {
            System.err.println("The one argument is a driver: " + String.join(", ", drivers.keySet()));
            System.exit(2);
            return;
        }
        int status = new DriverMain(arguments[0], wanted.get(), harness).serve();
        // Libraries may leave non-daemon threads behind.
        System.exit(status);
    }

    private int serve() {
        BlockingQueue<String> commands = new LinkedBlockingQueue<>();
        Thread.ofPlatform().daemon().name("weir-commands").start(() -> listen(commands));
        try {
            hello();
            Command.@Nullable Configure configuration = null;
            while (true) {
                switch (JSON.readValue(commands.take(), Command.class)) {
                    case Command.Configure given ->
                        configuration = Driver.hasOwnDefaults(name) ? given.withOwnDefaults() : given;
                    case Command.Start order -> {
                        if (configuration == null) {
                            throw new IllegalStateException("start came before configure");
                        }
                        pass(new Pass(configuration, order, driver.groupType()));
                        CONFIGURATIONS.setLevel(Level.WARNING);
                    }
                    case Command.Change change -> {} // applied during the pass
                    case Command.End end -> {} // executed during the pass
                    case Command.Clock clock -> {} // answered when it arrived
                    case Command.SetClock clock -> {} // set when it arrived
                    case Command.Stop stop -> {
                        return 0;
                    }
                }
            }
        } catch (Throwable e) {
            // Report errors of every kind, because the harness must learn why the process ends.
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            say(new Report.Failed(e.toString(), trace.toString()));
            return 1;
        }
    }

    private void listen(BlockingQueue<String> commands) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lease.renew();
                if (!isHeard(line)) {
                    commands.add(line);
                }
            }
        } catch (IOException e) {
            System.err.println("cannot hear the harness: " + e);
        }
        // Runs no shutdown hooks, which may wait for brokers that are gone.
        Runtime.getRuntime().halt(0);
    }

    /**
     * Performs the part of a command that must not wait for the end of the pass. Returns true if this completes the
     * command.
     */
    private boolean isHeard(String line) {
        Command command;
        try {
            command = JSON.readValue(line, Command.class);
        } catch (JsonProcessingException e) {
            return false; // the main thread parses the line again and reports the error
        }
        switch (command) {
            case Command.Start start -> {
                endIsWanted = false;
                changes.clear();
            }
            case Command.Change change -> {
                changes.add(change.options());
                Pass pass = underWay;
                if (pass != null) {
                    try {
                        pass.change(change.options());
                    } catch (RuntimeException e) {
                        pass.fail(e); // this thread must continue, because it ends the process
                    }
                }
            }
            case Command.End end -> {
                endIsWanted = true;
                Pass pass = underWay;
                if (pass != null) {
                    pass.course().endNow();
                }
            }
            case Command.Clock clock -> {
                say(new Report.Clock(clock.askedNanos(), CampaignClock.own()));
                return true;
            }
            case Command.SetClock clock -> {
                CampaignClock.set(clock.offsetNanos());
                return true;
            }
            case Command.Configure configure -> {}
            case Command.Stop stop -> {}
        }
        return false;
    }

    private void hello() {
        say(new Report.Hello(
                name,
                ProcessHandle.current().pid(),
                driver.scenarios().stream().sorted().toList(),
                driver.features().stream().sorted().toList(),
                driver.groupType(),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                libraries(),
                ManagementFactory.getRuntimeMXBean().getInputArguments(),
                Runtime.getRuntime().availableProcessors()));
    }

    private static List<String> libraries() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> String.valueOf(Path.of(entry).getFileName()))
                .filter(file -> file.endsWith(".jar"))
                .sorted()
                .toList();
    }

    private void pass(Pass pass) throws Exception {
        Thread sampler = HarnessThreads.start("weir-sampler", () -> sample(pass));
        pass.whenReady(address -> say(new Report.Ready(address)));
        underWay = pass;
        changes.forEach(pass::change);
        if (endIsWanted) {
            pass.course().endNow();
        }
        try {
            driver.run(pass);
        } finally {
            underWay = null;
            if (!pass.isDone()) {
                // The driver returned before the pass was done, so the sampler must not wait for more records.
                sampler.interrupt();
            }
            sampler.join();
        }
        Report.Passed passed = pass.result();
        Report.Delivered told = pass.told();
        if (told != null) {
            say(told);
        }
        say(passed);
        Path noted = pass.options().ownNumbers();
        if (noted != null) {
            // The harness reads the file only if this process is killed.
            Files.deleteIfExists(noted);
        }
    }

    private void sample(Pass pass) {
        Course course = pass.course();
        try {
            Course.Mark last = null;
            while (last == null) {
                boolean isOver = course.isOver();
                last = course.awaitFirst(isOver ? 0 : TimeUnit.SECONDS.toNanos(1));
                if (last == null && isOver) {
                    return;
                }
            }
            say(new Report.First(CampaignClock.at(last.nanos())));
            HostMeter host = new HostMeter();
            if (PLACE != null) {
                host.begin();
            }
            Series series = new Series(pass, pauses);
            series.begin();
            long startNanos = last.nanos();
            long periodNanos =
                    TimeUnit.MILLISECONDS.toNanos(pass.configuration().intervalMillis());
            boolean ended = false;
            while (!ended) {
                ended = course.awaitEnd(last.nanos() + periodNanos - System.nanoTime());
                Course.Mark now = course.mark();
                ended |= course.endsAt(now);
                host.sample();
                say(new Report.Interval(
                        now.nanos() - startNanos,
                        now.records() - last.records(),
                        now.bytes() - last.bytes(),
                        now.usage().since(last.usage()),
                        now.handlers().since(last.handlers()),
                        pass.lateness().take(),
                        ended,
                        series.look(now.nanos()),
                        PollSizes.OF_PROCESS.take()));
                last = now;
            }
            host.end();
            host.figures().forEach((name, value) -> pass.figure(name + " at " + PLACE, value));
        } catch (InterruptedException ignored) {
            // The pass is over.
        } catch (RuntimeException e) {
            pass.fail(e); // the harness would wait for the next interval
        }
    }

    /** The figures of each interval: pauses and, if requested, figures of clients, the process and a remote machine. */
    private static final class Series {
        private static final String NON_HEAP = "driver: non-heap memory MB";

        private final boolean isAskedFor;
        private final Pauses pauses;
        private final ClientSeries clients = new ClientSeries();
        private final @Nullable HostSeries host = PLACE == null ? null : new HostSeries();

        Series(Pass pass, Pauses pauses) {
            this.isAskedFor = pass.options().takesSeries();
            this.pauses = pauses;
        }

        /** Discards polls and pauses from the time before the first record. */
        void begin() {
            PollSizes.OF_PROCESS.take();
            pauses.take();
        }

        Map<String, Double> look(long nanos) {
            Map<String, Double> all = new TreeMap<>(pauses.take());
            if (!isAskedFor) {
                return all;
            }
            Map<String, Double> figures = clients.look(nanos);
            all.putAll(figures);
            all.put(NON_HEAP, Meters.nonHeapBytes() / 1e6);
            if (host != null && !figures.isEmpty()) {
                host.look(nanos).forEach((name, value) -> all.put(name + " at " + PLACE, value));
            }
            return all;
        }
    }

    private void say(Report report) {
        try {
            byte[] line = (JSON.writeValueAsString(report) + "\n").getBytes(StandardCharsets.UTF_8);
            harness.write(line);
            harness.flush();
        } catch (IOException e) {
            // The harness is gone. The reading thread ends this process.
            System.err.println("cannot report: " + e);
        }
    }
}
