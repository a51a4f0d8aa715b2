package dev.weir.bench.statistics;

import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.Totals;
import dev.weir.driver.Pass;
import java.util.EnumSet;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * Finds the component that limited a run: the generator, the brokers or the machine. If none of these did, the driver
 * itself was the limit. Stateless, thread-safe.
 */
public final class LimitingParty {

    /** Largest fraction of records that a generator may send late. */
    public static final double MAX_LATE_SHARE = 0.01;

    /** Fraction of the time above which a running thread counts as not waiting. */
    static final double BUSY = 0.9;

    /** Fraction of the time below which a process mostly waits. */
    static final double IDLE = 0.5;

    /** Fraction of the time at which waiting noticeably lowers a driver's rate. */
    static final double HELD_BACK = 0.2;

    /** Fraction of the cores in use at which all cores count as busy. */
    private static final double SATURATED = 0.95;

    /** Smallest fraction of a busy machine's cores at which brokers count as the limit. */
    private static final double SMALL_PART = 0.1;

    /** Fraction of the time with a fetch in flight at which a driver counts as always fetching. */
    static final double ALWAYS = 0.9;

    /** Name of the figure for the average batch size of Kafka's producers. */
    public static final String BATCH_KILOBYTES = "client: kB per batch";

    /** Batch size below which a broker's fixed cost per batch exceeds the cost of the records. */
    public static final double SMALL_BATCH_KB = 4;

    private LimitingParty() {}

    /** Returns whether the driver is known to have kept a fetch in flight practically all the time. */
    public static boolean asksAlways(Totals totals) {
        double told = totals.metrics().getOrDefault(Pass.FETCH_UNDER_WAY, Double.NaN) / 100;
        double ofClient = totals.metrics().getOrDefault(Pass.FETCHES_OF_CLIENT, Double.NaN);
        return told >= ALWAYS || ofClient >= ALWAYS;
    }

    /**
     * Returns whether the driver's producer is known to have sent very small batches. The brokers then do not count as
     * the limit.
     */
    public static boolean sendsLittle(Totals totals) {
        return totals.metrics().getOrDefault(BATCH_KILOBYTES, Double.NaN) < SMALL_BATCH_KB;
    }

    /** Finds what limited a driver that always has a request in flight to the brokers, by processor time. */
    public static Set<Flag> ofProcessorTime(
            Totals totals, int cores, int brokers, boolean streams, boolean isBaseline) {
        return ofProcessorTime(totals, cores, brokers, streams, isBaseline, true);
    }

    /**
     * Finds what limited a run, by processor time. Returns no flags if a required count was not measured.
     *
     * @param streams whether the driver waits only for brokers, not for handlers or planned send times
     * @param isBaseline whether this is a run of the baseline
     * @param asksAlways whether the driver is known to have always had a request in flight to the brokers
     */
    public static Set<Flag> ofProcessorTime(
            Totals totals, int cores, int brokers, boolean streams, boolean isBaseline, boolean asksAlways) {
        if (totals.elapsedNanos() <= 0
                || totals.cpuNanos() == Interval.UNKNOWN
                || totals.brokerCpuNanos() == Interval.UNKNOWN) {
            return Set.of();
        }
        Set<Flag> flags = EnumSet.noneOf(Flag.class);
        double elapsed = (double) totals.elapsedNanos();
        double driverCores = totals.cpuNanos() / elapsed;
        double brokerCores = totals.brokerCpuNanos() / elapsed;
        boolean saturated = driverCores + brokerCores >= SATURATED * cores;
        if (saturated) {
            flags.add(Flag.MACHINE_SATURATED);
        }
        // A broker has one network thread per connection. The driver waited if each broker used a whole core and the
        // driver was mostly idle.
        boolean heldBack = brokerCores >= BUSY * brokers && driverCores < IDLE;
        if (streams) {
            double waiting = 1 - driverCores;
            // The driver was idle while the brokers were busy with its requests.
            heldBack |= asksAlways && waiting >= HELD_BACK && brokerCores / brokers >= waiting;
            // The brokers used cores that the driver could have used.
            heldBack |= saturated && brokerCores >= SMALL_PART * cores;
        }
        if (heldBack) {
            flags.add(isBaseline ? Flag.BASELINE_BROKER_BOUND : Flag.BROKER_BOUND);
        }
        return flags;
    }

    /** Returns whether a larger fraction of the records than {@link #MAX_LATE_SHARE} was sent late. */
    public static boolean isGeneratorBound(Histogram latenessNanos, long toleranceNanos) {
        return isGeneratorBound(latenessNanos, toleranceNanos, MAX_LATE_SHARE);
    }

    /** Returns whether more than the fraction {@code maxLateShare} of the records was sent late. */
    public static boolean isGeneratorBound(Histogram latenessNanos, long toleranceNanos, double maxLateShare) {
        long total = latenessNanos.getTotalCount();
        if (total == 0) {
            return false;
        }
        long late = total - latenessNanos.getCountBetweenValues(0, toleranceNanos);
        return late > total * maxLateShare;
    }
}
