package dev.weir.bench.measurement;

import dev.weir.bench.process.DriverSession;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.PassOptions;
import dev.weir.driver.SendPlan;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Controls the send plan of a generator. The plan begins once the generator is connected, and its rate can then be
 * changed. Stateless.
 */
public final class GeneratorPlan {
    /** Time for the command to reach the generator before the first record is due. */
    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private GeneratorPlan() {}

    /** Returns the options of a send plan that has not begun. */
    public static Map<String, String> held(WorkloadPoint point, long seed) {
        return Map.ofEntries(
                Map.entry(SendPlan.RATE, "0"),
                Map.entry(SendPlan.ARRIVALS, point.arrivals()),
                Map.entry(SendPlan.SHAPE, point.shape()),
                Map.entry(SendPlan.PARTITION_SKEW, Double.toString(point.partitionSkew())),
                Map.entry(SendPlan.KEYS, Integer.toString(point.keys() / point.partitions())),
                Map.entry(SendPlan.KEY_SKEW, Double.toString(point.keySkew())),
                Map.entry(SendPlan.PRODUCERS, Integer.toString(point.producers())),
                Map.entry(PassOptions.SERIES, Boolean.toString(point.takesSeries())),
                Map.entry(SendPlan.SEED, Long.toString(seed)),
                Map.entry(SendPlan.START, Long.toString(System.nanoTime())));
    }

    /** Schedules the send plan to begin shortly and returns its start time, as {@link System#nanoTime}. */
    public static long begin(DriverSession generator, double recordsPerSecond) {
        long atNanos = System.nanoTime() + LEAD_NANOS;
        change(generator, atNanos, recordsPerSecond);
        return atNanos;
    }

    /** Changes the rate at which records are due, starting at the given time. */
    public static void change(DriverSession generator, long atNanos, double recordsPerSecond) {
        generator.change(Map.of(
                SendPlan.RATE, Double.toString(recordsPerSecond),
                SendPlan.AT, Long.toString(atNanos)));
    }
}
