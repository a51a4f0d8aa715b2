package dev.weir.driver;

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
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The main loop of a driver's process: reads {@link Command}s, runs passes, writes {@link Report}s. One thread runs it; a
 * second one, the sampler, writes the intervals of a pass and is gone before its result is written.
 */
public final class DriverMain {
    private static final ObjectMapper JSON =
            new ObjectMapper().configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, true);

    private static final Logger ROOT_LOGGER = Logger.getLogger("");

    private final String name;
    private final Driver driver;
    private final PrintStream harness;

    private DriverMain(String name, Driver driver, PrintStream harness) {
        this.name = name;
        this.driver = driver;
        this.harness = harness;
    }

    /**
     * Serves until told to stop or left alone, then ends the process.
     *
     * @param drivers by name; the first argument names the one wanted
     */
    public static void serve(Map<String, Supplier<Driver>> drivers, String... arguments) {
        // The pipe belongs to the protocol; whatever a library prints belongs in the log.
        PrintStream harness = System.out;
        System.setOut(System.err);
        ROOT_LOGGER.setLevel(Level.WARNING);
        Supplier<Driver> wanted = arguments.length == 1 ? drivers.get(arguments[0]) : null;
        if (wanted == null) {
            System.err.println("The one argument is a driver: " + String.join(", ", drivers.keySet()));
            System.exit(2);
            return;
        }
        int status = new DriverMain(arguments[0], wanted.get(), harness).serve();
        // Libraries leave threads behind that are not daemons.
        System.exit(status);
    }

    private int serve() {
        try (BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            hello();
            Command.@Nullable Configure configuration = null;
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                switch (JSON.readValue(line, Command.class)) {
                    case Command.Configure given -> configuration = given;
                    case Command.Start order -> {
                        if (configuration == null) {
                            throw new IllegalStateException("start came before configure");
                        }
                        pass(new Pass(configuration, order));
                    }
                    case Command.Stop stop -> {
                        return 0;
                    }
                }
            }
            return 0;
        } catch (Throwable e) { // Whatever it is, the harness should know.
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            say(new Report.Failed(e.toString(), trace.toString()));
            return 1;
        }
    }

    private void hello() {
        say(new Report.Hello(
                name,
                ProcessHandle.current().pid(),
                driver.scenarios().stream().sorted().toList(),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                libraries(),
                ManagementFactory.getRuntimeMXBean().getInputArguments()));
    }

    private static List<String> libraries() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> String.valueOf(Path.of(entry).getFileName()))
                .filter(file -> file.endsWith(".jar"))
                .sorted()
                .toList();
    }

    private void pass(Pass pass) throws Exception {
        Thread sampler = new Thread(() -> sample(pass), "weir-sampler");
        sampler.setDaemon(true);
        Meters.exclude(sampler);
        sampler.start();
        try {
            driver.run(pass);
        } finally {
            sampler.interrupt();
            sampler.join();
        }
        say(pass.result());
    }

    private void sample(Pass pass) {
        try {
            Pass.Mark last = null;
            while (last == null) {
                last = pass.awaitFirst(TimeUnit.SECONDS.toNanos(1));
            }
            say(new Report.First(last.nanos()));
            long startNanos = last.nanos();
            long periodNanos =
                    TimeUnit.MILLISECONDS.toNanos(pass.configuration().intervalMillis());
            boolean ended = false;
            while (!ended) {
                ended = pass.awaitEnd(last.nanos() + periodNanos - System.nanoTime());
                Pass.Mark now =
                        new Pass.Mark(System.nanoTime(), pass.recordsSoFar(), pass.bytesSoFar(), Meters.quick());
                say(new Report.Interval(
                        now.nanos() - startNanos,
                        now.records() - last.records(),
                        now.bytes() - last.bytes(),
                        now.usage().since(last.usage()),
                        pass.takeTimings()));
                last = now;
            }
        } catch (InterruptedException ignored) { // The pass is over.
        }
    }

    private void say(Report report) {
        try {
            byte[] line = (JSON.writeValueAsString(report) + "\n").getBytes(StandardCharsets.UTF_8);
            harness.write(line);
            harness.flush();
        } catch (IOException e) { // The harness is gone: the end of its commands follows.
            System.err.println("cannot report: " + e);
        }
    }
}
