package dev.weir.driver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures how busy the machine is, including all its processes, from {@code /proc}. Figures that the system does not
 * provide are left out. Confined to one thread.
 */
public final class HostMeter {
    private final Path proc;

    private @Nullable Reading from; // null while nothing is measured
    private long all;
    private long idle;
    private long stolen;
    private long pressureMicros;
    private long pressureNanos;
    private long runnable;
    private long samples;

    /** Measures this process's machine. */
    public HostMeter() {
        this(Path.of("/proc"));
    }

    /** Reads another folder; for tests. */
    HostMeter(Path proc) {
        this.proc = proc;
    }

    /**
     * Processor ticks of all processors since the machine started.
     *
     * @param stolen ticks taken by the hypervisor
     * @param running number of processes that run or are runnable now
     */
    private record Ticks(long all, long idle, long stolen, long running) {}

    /** The counts of a system at one moment. A missing count is null or -1. */
    private record Reading(@Nullable Ticks ticks, long pressureMicros, long nanos) {}

    private Reading read() {
        return new Reading(ticks(), pressureMicros(), System.nanoTime());
    }

    /** Starts a measurement, which lasts until {@link #end}. */
    public void begin() {
        from = read();
    }

    /** Samples the number of runnable processes. The system reports no average of it. */
    public void sample() {
        Ticks now = from == null ? null : ticks();
        if (now != null) {
            runnable += now.running;
            samples++;
        }
    }

    /** Ends the measurement. {@link #begin} starts another one. */
    public void end() {
        Reading before = from;
        if (before == null) {
            return;
        }
        from = null;
        Reading now = read();
        if (before.ticks != null && now.ticks != null) {
            all += now.ticks.all - before.ticks.all;
            idle += now.ticks.idle - before.ticks.idle;
            stolen += now.ticks.stolen - before.ticks.stolen;
        }
        if (before.pressureMicros >= 0 && now.pressureMicros >= 0) {
            pressureMicros += now.pressureMicros - before.pressureMicros;
            pressureNanos += now.nanos - before.nanos;
        }
    }

    /** Returns the figures by name. They cover all measurements, each from its {@link #begin} to its {@link #end}. */
    public Map<String, Double> figures() {
        Map<String, Double> figures = new LinkedHashMap<>();
        if (all > 0) {
            figures.put("host: busy %", 100.0 * (all - idle) / all);
            figures.put("host: stolen %", 100.0 * stolen / all);
        }
        if (samples > 0) {
            figures.put("host: runnable", runnable / (double) samples);
        }
        if (pressureNanos > 0) {
            figures.put("host: some wait for a core %", 1e5 * pressureMicros / pressureNanos);
        }
        return figures;
    }

    private @Nullable Ticks ticks() {
        long[] ticks = null;
        long running = 0;
        for (String line : lines("stat")) {
            String[] words = line.split("\\s+", -1);
            // The fields are cpu user nice system idle iowait irq softirq steal; user includes guest time.
            if (words[0].equals("cpu") && words.length >= 9) {
                ticks = new long[8];
                for (int i = 0; i < ticks.length; i++) {
                    ticks[i] = Long.parseLong(words[i + 1]);
                }
            } else if (words[0].equals("procs_running")) {
                running = Long.parseLong(words[1]);
            }
        }
        if (ticks == null) {
            return null;
        }
        long all = 0;
        for (long some : ticks) {
            all += some;
        }
        return new Ticks(all, ticks[3] + ticks[4], ticks[7], running);
    }

    /** Returns the time during which some process waited for a core; -1 if unknown. */
    private long pressureMicros() {
        for (String line : lines("pressure/cpu")) {
            int total = line.indexOf("total=");
            if (line.startsWith("some") && total > 0) {
                return Long.parseLong(line.substring(total + "total=".length()).strip());
            }
        }
        return -1;
    }

    private List<String> lines(String file) {
        try {
            return Files.readAllLines(proc.resolve(file));
        } catch (IOException e) { // not Linux, or not permitted
            return List.of();
        }
    }
}
