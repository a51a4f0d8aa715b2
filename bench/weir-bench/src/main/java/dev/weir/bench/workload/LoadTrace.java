package dev.weir.bench.workload;

import dev.weir.command.terminal.CliFailure;
import dev.weir.driver.LoadShape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A recorded load. Immutable; owns both arrays.
 *
 * <pre>
 * # seconds             # seconds  records per second
 * 0.000                 0          1200
 * 0.013                 10         4800
 * 0.013                 20         900
 * </pre>
 *
 * <p>In the file on the left, each line is the time at which one record arrives. In the file on the right, each rate
 * applies until the time in the next line. The last rate applies for as long as the second-to-last rate. Times are
 * relative to the first line. When the trace ends, it starts again from the beginning. A trace of arrivals ends one
 * mean gap after its last arrival.
 */
final class LoadTrace {
    static final String FILE = "topic.trace";

    private static final String RATE = "topic.recordsPerSecond";
    private static final String LOAD = "topic.load";

    private static final int MOST_LINES = 1_000_000;

    /** Gap assumed between simultaneous arrivals, so that their rate is finite. */
    private static final double LEAST_GAP_SECONDS = 1e-6;

    private final double[] seconds; // rising from 0; the last value is the trace's length
    private final double[] records; // number of records until then

    private LoadTrace(double[] seconds, double[] records) {
        this.seconds = seconds;
        this.records = records;
    }

    /**
     * Adds the rate and the shape of the settings' trace file, if any. A rate in the settings is kept, and the load is
     * scaled to this mean rate.
     */
    static void put(Map<String, String> settings) {
        String file = settings.getOrDefault(FILE, "");
        if (file.isEmpty()) {
            return;
        }
        if (!settings.getOrDefault(LOAD, "").isEmpty()) {
            throw new WorkloadException(LOAD + " and " + FILE + " both set how the load changes: leave one out");
        }
        LoadTrace trace = LoadTrace.read(Path.of(file));
        boolean isItsOwn = settings.getOrDefault(RATE, "0").equals("0");
        if (isItsOwn) {
            long rate = Math.max(1, Math.round(trace.meanRate()));
            String objection = Objects.requireNonNull(Key.ALL.get(RATE)).objection(Long.toString(rate));
            if (objection != null) {
                throw new WorkloadException(RATE + " of the trace " + file + " " + objection + ": " + rate);
            }
            settings.put(RATE, Long.toString(rate));
            settings.put(LOAD, trace.shape((double) rate));
        } else {
            settings.put(LOAD, trace.shape(trace.meanRate()));
        }
    }

    /**
     * Reads a trace from a file.
     *
     * @throws WorkloadException if the file is invalid; the message names the file, the line and the mistake
     */
    static LoadTrace read(Path file) {
        try {
            return parse(file.toString(), Files.readAllLines(file));
        } catch (IOException e) {
            throw new WorkloadException("cannot read the trace " + file + ": " + CliFailure.reason(e));
        }
    }

    /** Parses lines; {@code name} identifies the file in messages. */
    static LoadTrace parse(String name, List<String> lines) {
        double[] times = new double[lines.size()];
        double[] rates = new double[lines.size()];
        int columns = 0;
        int count = 0;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String place = name + ":" + (i + 1) + ": ";
            String[] words = line.split("\\s*[,;]\\s*|\\s+", -1);
            if (columns != 0 && words.length != columns) {
                throw new WorkloadException(place + "a trace has as many numbers in each line: " + line);
            }
            columns = words.length;
            if (columns > 2 || count >= MOST_LINES) {
                throw new WorkloadException(place
                        + (columns > 2
                                ? "a trace has a time, or a time and a rate in each line: " + line
                                : "a trace has at most " + MOST_LINES + " lines"));
            }
            times[count] = number(place, words[0]);
            rates[count] = columns == 2 ? number(place, words[1]) : 0;
            if (count > 0 && (columns == 1 ? times[count] < times[count - 1] : times[count] <= times[count - 1])) {
                throw new WorkloadException(place + "times of a trace are in their order: " + line);
            }
            count++;
        }
        if (count < 2) {
            throw new WorkloadException(name + ": a trace has two lines or more");
        }
        LoadTrace trace = columns == 1 ? ofArrivals(times, count) : ofRates(times, rates, count);
        if (!(trace.total() > 0)) {
            throw new WorkloadException(name + ": a trace must have some records");
        }
        return trace;
    }

    private static double number(String place, String word) {
        if (!word.matches("\\d{1,12}(\\.\\d{1,12})?")) {
            throw new WorkloadException(place + "must be a number of seconds or of records a second: " + word);
        }
        return Double.parseDouble(word);
    }

    private static LoadTrace ofArrivals(double[] times, int count) {
        double[] seconds = new double[count + 1];
        double[] records = new double[count + 1];
        for (int i = 1; i < count; i++) {
            seconds[i] = Math.max(times[i] - times[0], seconds[i - 1] + LEAST_GAP_SECONDS);
            records[i] = i;
        }
        seconds[count] = seconds[count - 1] * count / (count - 1);
        records[count] = count;
        return new LoadTrace(seconds, records);
    }

    private static LoadTrace ofRates(double[] times, double[] rates, int count) {
        double[] seconds = new double[count + 1];
        double[] records = new double[count + 1];
        for (int i = 1; i <= count; i++) {
            double length = i < count ? times[i] - times[i - 1] : times[count - 1] - times[count - 2];
            seconds[i] = seconds[i - 1] + length;
            records[i] = records[i - 1] + length * rates[i - 1];
        }
        return new LoadTrace(seconds, records);
    }

    private double total() {
        return records[records.length - 1];
    }

    double meanRate() {
        return total() / seconds[seconds.length - 1];
    }

    /**
     * Returns the trace as a {@link LoadShape}. Its factors reproduce the recorded load when they are multiplied by the
     * given rate.
     */
    String shape(double recordsPerSecond) {
        double[] area = records.clone();
        for (int i = 0; i < area.length; i++) {
            area[i] /= recordsPerSecond;
        }
        return LoadShape.recorded(seconds, area);
    }
}
