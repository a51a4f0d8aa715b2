package dev.weir.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How busy the machine is, whoever makes it so, by {@code /proc}: where a system has none, or not all of it, figures are
 * missing. Confined to one thread.
 */
final class HostMeter {
    private final Path proc;

    private @Nullable Ticks from;
    private long pressureFromMicros = -1;
    private long begunNanos;
    private long runnable;
    private long samples;

    HostMeter() {
        this(Path.of("/proc"));
    }

    /** For tests: of another folder. */
    HostMeter(Path proc) {
        this.proc = proc;
    }

    /**
     * Of all processors since the machine started.
     *
     * @param stolen what the machine below took
     * @param running processes that run or could, now
     */
    private record Ticks(long all, long idle, long stolen, long running) {}

    /** What follows counts. */
    void begin() {
        from = ticks();
        pressureFromMicros = pressureMicros();
        begunNanos = System.nanoTime();
        runnable = 0;
        samples = 0;
    }

    /** Looks how many processes want to run, which is known of moments only. */
    void sample() {
        Ticks now = from == null ? null : ticks();
        if (now != null) {
            runnable += now.running;
            samples++;
        }
    }

    /** What happened since {@link #begin}, by name. */
    Map<String, Double> figures() {
        Map<String, Double> figures = new LinkedHashMap<>();
        Ticks before = from;
        Ticks now = before == null ? null : ticks();
        if (before != null && now != null && now.all > before.all) {
            double all = now.all - before.all;
            figures.put("host: busy %", 100 * (1 - (now.idle - before.idle) / all));
            figures.put("host: stolen %", 100 * (now.stolen - before.stolen) / all);
        }
        if (samples > 0) {
            figures.put("host: runnable", runnable / (double) samples);
        }
        long pressure = pressureMicros();
        long nanos = System.nanoTime() - begunNanos;
        if (pressure >= 0 && pressureFromMicros >= 0 && nanos > 0) {
            figures.put("host: some wait for a core %", 1e5 * (pressure - pressureFromMicros) / nanos);
        }
        return figures;
    }

    private @Nullable Ticks ticks() {
        long[] ticks = null;
        long running = 0;
        for (String line : lines("stat")) {
            String[] words = line.split("\\s+", -1);
            // cpu user nice system idle iowait irq softirq steal; what guests use is in user.
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

    /** How long some process had to wait for a core; -1 if not known. */
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
        } catch (IOException e) { // Another system, or it may not be read.
            return List.of();
        }
    }
}
