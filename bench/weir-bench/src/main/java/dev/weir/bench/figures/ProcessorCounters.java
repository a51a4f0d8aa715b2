package dev.weir.bench.figures;

import dev.weir.bench.BenchException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads the processor's counters for a driver's process while passes are measured. Scales the counts of {@code perf} to
 * the process's whole processor time. Confined to one thread; one object at a time per process. Does nothing without
 * counters; {@link #availability} says why.
 */
public final class ProcessorCounters implements AutoCloseable {

    private static final String PREFIX = "processor: ";

    /** Key of {@link #availability} in an environment's settings. */
    public static final String SETTING = "processor.counters";

    private static final String TIME = "task-clock";
    private static final List<String> COUNTERS = List.of("cycles", "instructions", "cache-misses");
    private static final String EVENTS = TIME + "," + String.join(",", COUNTERS);
    private static final String NOT_HERE = "not available here: ";
    private static final long END_SECONDS = 5;
    private static final double NANOS_PER_MILLI = 1e6;

    /** Determined once, because it is the same for all drivers. */
    private static volatile @Nullable String available;

    private final long pid;
    private final Map<String, Double> counts = new LinkedHashMap<>();
    private @Nullable Process perf;

    /**
     * Creates counters for a process on this machine.
     *
     * @param pid the ID of the process; 0 to count nothing
     */
    public ProcessorCounters(long pid) {
        this.pid = pid;
    }

    /**
     * Returns the names of the counters, or the reason why there are none, as readable text. The first call runs
     * {@code perf}, which takes a moment.
     */
    public static String availability() {
        String known = available;
        if (known == null) {
            known = ask();
            available = known;
        }
        return known;
    }

    private static String ask() {
        try {
            Process tried = perf("stat", "-x", ";", "-e", EVENTS, "--", "true").start();
            String said = new String(tried.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return answer(said);
        } catch (IOException e) {
            return NOT_HERE + "perf is not installed";
        }
    }

    /** Returns a command of {@code perf}, whose output has decimal points and English messages in any locale. */
    static ProcessBuilder perf(String... arguments) {
        List<String> command = new ArrayList<>(List.of("perf"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C");
        return builder;
    }

    /** Returns the text of {@link #availability}, derived from the output of a trial run of {@code perf}. */
    public static String answer(String said) {
        Map<String, Double> counted = parse(said);
        List<String> there = COUNTERS.stream().filter(counted::containsKey).toList();
        if (!there.isEmpty() && counted.containsKey(TIME)) {
            return String.join(", ", there);
        }
        if (said.contains("perf_event_paranoid")
                || said.toLowerCase(Locale.ROOT).contains("permission")) {
            return NOT_HERE + "the kernel does not permit it, see kernel.perf_event_paranoid";
        }
        if (said.contains("<not supported>")) {
            return NOT_HERE + "the machine hides its processor counters, as most virtual machines do";
        }
        return NOT_HERE + "perf stat counts nothing";
    }

    /** Parses lines of {@code perf stat -x ';'} into counts by event name; events that were not counted are missing. */
    static Map<String, Double> parse(String said) {
        Map<String, Double> counts = new LinkedHashMap<>();
        said.lines().forEach(line -> {
            String[] fields = line.split(";", -1);
            if (fields.length > 2) {
                try {
                    // Some versions append the scope, as in cycles:u.
                    counts.put(fields[2].replaceFirst(":.*", ""), Double.parseDouble(fields[0]));
                } catch (NumberFormatException notCounted) {
                    // The field is <not supported> or <not counted>.
                }
            }
        });
        return counts;
    }

    private static boolean isAvailable() {
        return !availability().startsWith(NOT_HERE);
    }

    /** Starts counting. */
    public void begin() {
        if (pid == 0 || perf != null || !isAvailable()) {
            return;
        }
        try {
            perf = perf("stat", "-x", ";", "-e", EVENTS, "-p", Long.toString(pid))
                    .start();
        } catch (IOException e) {
            throw new BenchException("perf was there and cannot be started: " + e.getMessage(), e);
        }
    }

    /** Stops counting. */
    public void end() throws InterruptedException {
        Process counting = perf;
        if (counting == null) {
            return;
        }
        perf = null;
        try {
            new ProcessBuilder("kill", "-INT", Long.toString(counting.pid()))
                    .redirectErrorStream(true)
                    .start()
                    .waitFor();
            String said = new String(counting.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            add(said);
        } catch (IOException e) {
            throw new BenchException("what perf counted cannot be read: " + e.getMessage(), e);
        } finally {
            if (!counting.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                counting.destroyForcibly();
            }
        }
    }

    /** Adds the counts from an output of {@code perf}. */
    public void add(String said) {
        parse(said).forEach((name, count) -> counts.merge(name, count, Double::sum));
    }

    /** Returns the name of the figure that shows a counter's events per record. */
    public static String figure(String counter) {
        return PREFIX + counter + " per record";
    }

    /**
     * Returns the counts per record by name; empty if nothing was counted.
     *
     * @param cpuNanos processor time of the counted passes
     * @param records number of records in these passes
     */
    public Map<String, Double> perRecord(long cpuNanos, long records) {
        Map<String, Double> figures = new LinkedHashMap<>();
        double countedNanos = counts.getOrDefault(TIME, 0.0) * NANOS_PER_MILLI;
        if (countedNanos > 0 && records > 0 && cpuNanos > 0) {
            // perf runs for slightly less than the whole time, so extrapolate its rate.
            COUNTERS.forEach(name -> {
                Double count = counts.get(name);
                if (count != null) {
                    figures.put(figure(name), count / countedNanos * cpuNanos / records);
                }
            });
        }
        return figures;
    }

    /** Stops {@code perf} and discards its current counts. */
    @Override
    public void close() {
        Process counting = perf;
        if (counting != null) {
            perf = null;
            counting.destroyForcibly();
        }
    }
}
