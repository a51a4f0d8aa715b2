package dev.weir.bench.statistics;

import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.Totals;
import java.util.EnumSet;
import java.util.Set;
import org.HdrHistogram.Histogram;

/** Who was too slow: the generator, the brokers, the machine; else it was the driver. Stateless, thread-safe. */
public final class Bottleneck {

    /** A generator may send so much of its plan late. */
    public static final double MAX_LATE_SHARE = 0.01;

    /** A thread that runs more than this share of the time is not waiting for anybody. */
    static final double BUSY = 0.9;

    /** A process that runs less than this share of the time mostly waits. */
    static final double IDLE = 0.5;

    private Bottleneck() {}

    /**
     * By processor time. Counts that were not taken say nothing.
     *
     * @param isBaseline whether others are divided by this run
     */
    public static Set<Flag> ofProcessorTime(Totals totals, int cores, int brokers, boolean isBaseline) {
        Set<Flag> flags = EnumSet.noneOf(Flag.class);
        if (totals.elapsedNanos() <= 0
                || totals.cpuNanos() == Interval.UNKNOWN
                || totals.brokerCpuNanos() == Interval.UNKNOWN) {
            return flags;
        }
        double elapsed = (double) totals.elapsedNanos();
        double driverCores = totals.cpuNanos() / elapsed;
        double brokerCores = totals.brokerCpuNanos() / elapsed;
        if (driverCores + brokerCores >= 0.95 * cores) {
            flags.add(Flag.MACHINE_SATURATED);
        }
        // One connection is served by one network thread of the broker: a whole core at each broker, with a driver that
        // mostly waits, means that the driver waited for them.
        if (brokerCores >= BUSY * brokers && driverCores < IDLE) {
            flags.add(isBaseline ? Flag.BASELINE_BROKER_BOUND : Flag.BROKER_BOUND);
        }
        return flags;
    }

    /** Whether too much was sent later than tolerated: then the plan was not kept, and it is the generator that was measured. */
    public static boolean isGeneratorBound(Histogram latenessNanos, long toleranceNanos) {
        long total = latenessNanos.getTotalCount();
        if (total == 0) {
            return false;
        }
        long late = total - latenessNanos.getCountBetweenValues(0, toleranceNanos);
        return late > total * MAX_LATE_SHARE;
    }
}
