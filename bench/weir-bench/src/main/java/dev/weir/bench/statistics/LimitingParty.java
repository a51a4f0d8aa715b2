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

    /** A thread that runs for more than this fraction of the time is not waiting for anything. */
    static final double BUSY = 0.9;

    /** A process that runs for less than this fraction of the time mostly waits. */
    static final double IDLE = 0.5;

    /**
     * If a driver waits for at least this fraction of the time, its rate is noticeably lower than the library could
     * reach.
     */
    static final double HELD_BACK = 0.2;

    /** If at least this fraction of the cores is in use, all cores count as busy. */
    private static final double SATURATED = 0.95;

    /** If brokers use less than this fraction of the cores on a busy machine, they do not count as the limit. */
    private static final double SMALL_PART = 0.1;

    /** A driver counts as always fetching if a fetch was in flight for at least this fraction of the time. */
    static final double ALWAYS = 0.9;

    /** Name of the figure for the average batch size of Kafka's producers. */
    public static final String BATCH_KILOBYTES = "client: kB per batch";

    /** For smaller batches than this, a broker's fixed cost per batch is higher than the cost of the records. */
    public static final double SMALL_BATCH_KB = 4;

    private LimitingParty() {}

    /**
     * Returns whether the driver is known to have kept a fetch in flight practically all the time. Otherwise the driver
     * may have waited without having requested any records, and the brokers are not to blame.
     */
    public static boolean asksAlways(Totals totals) {
        double told = totals.metrics().getOrDefault(Pass.FETCH_UNDER_WAY, Double.NaN) / 100;
        double ofClient = totals.metrics().getOrDefault(Pass.FETCHES_OF_CLIENT, Double.NaN);
        return told >= ALWAYS || ofClient >= ALWAYS;
    }

    /**
     * Returns whether the driver's producer is known to have sent very small batches. If so, the brokers spend most of
     * their time handling requests. These requests are numerous only because the driver's window is small, so the
     * brokers are not regarded as the limit.
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
        Set<Flag> flags = EnumSet.noneOf(Flag.class);
        if (totals.elapsedNanos() <= 0
                || totals.cpuNanos() == Interval.UNKNOWN
                || totals.brokerCpuNanos() == Interval.UNKNOWN) {
            return flags;
        }
        double elapsed = (double) totals.elapsedNanos();
        double driverCores = totals.cpuNanos() / elapsed;
        double brokerCores = totals.brokerCpuNanos() / elapsed;
        boolean saturated = driverCores + brokerCores >= SATURATED * cores;
        if (saturated) {
            flags.add(Flag.MACHINE_SATURATED);
        }
        // A broker serves each connection with a single network thread. If each broker used a whole core while the
        // driver was mostly idle, the driver was waiting for the brokers.
        boolean heldBack = brokerCores >= BUSY * brokers && driverCores < IDLE;
        if (streams) {
            double waiting = 1 - driverCores;
            // If the driver was idle while the brokers were busy with its requests, it was waiting for the brokers.
            heldBack |= asksAlways && waiting >= HELD_BACK && brokerCores / brokers >= waiting;
            // The brokers used cores that the driver could have used.
            heldBack |= saturated && brokerCores >= SMALL_PART * cores;
        }
        if (heldBack) {
            flags.add(isBaseline ? Flag.BASELINE_BROKER_BOUND : Flag.BROKER_BOUND);
        }
        return flags;
    }

    /**
     * Returns whether a larger fraction of the records than {@link #MAX_LATE_SHARE} was sent late. If so, the generator
     * did not keep to the plan, and the run measured the generator instead of the driver.
     */
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
