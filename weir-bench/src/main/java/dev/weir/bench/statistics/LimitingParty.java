package dev.weir.bench.statistics;

import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.Totals;
import dev.weir.driver.Pass;
import java.util.EnumSet;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * Finds the component that limited a run: the generator, the brokers or the machine. If none of them did, the driver
 * limited the run. Stateless, thread-safe.
 */
public final class LimitingParty {

    /** Largest share of records that a generator may send late. */
    public static final double MAX_LATE_SHARE = 0.01;

    /** A thread that runs for more than this fraction of the time is not waiting for anything. */
    static final double BUSY = 0.9;

    /** A process that runs for less than this fraction of the time mostly waits. */
    static final double IDLE = 0.5;

    /** Share of waiting time at which a driver's rate is noticeably below the rate that the library could reach. */
    static final double HELD_BACK = 0.2;

    /** Share of the cores in use at which all cores count as busy. */
    private static final double SATURATED = 0.95;

    /** Share of the cores that brokers may use on a busy machine without counting as the limit. */
    private static final double SMALL_PART = 0.1;

    /**
     * If a fetch was in flight for less than this fraction of the time, the driver may have waited without requesting
     * records.
     */
    static final double ALWAYS = 0.9;

    /** Name of a figure of Kafka's producers. */
    public static final String BATCH_KILOBYTES = "client: kB per batch";

    /** Batch size below which a batch costs a broker more than the batch's records do. */
    public static final double SMALL_BATCH_KB = 4;

    private LimitingParty() {}

    /**
     * Returns whether a reading driver is known to have had a fetch in flight all the time. If it had not, the brokers
     * are not responsible for its waits.
     */
    public static boolean asksAlways(Totals totals) {
        double told = totals.metrics().getOrDefault(Pass.FETCH_UNDER_WAY, Double.NaN) / 100;
        double ofClient = totals.metrics().getOrDefault(Pass.FETCHES_OF_CLIENT, Double.NaN);
        return told >= ALWAYS || ofClient >= ALWAYS;
    }

    /**
     * Returns whether a writing driver is known to send very small batches. The brokers then spend their time on
     * requests, whose number depends on the driver's small window, so the brokers are not responsible for the limit.
     */
    public static boolean sendsLittle(Totals totals) {
        return totals.metrics().getOrDefault(BATCH_KILOBYTES, Double.NaN) < SMALL_BATCH_KB;
    }

    /** Finds the limits of a driver that always requests more records, judged by processor time. */
    public static Set<Flag> ofProcessorTime(
            Totals totals, int cores, int brokers, boolean streams, boolean isBaseline) {
        return ofProcessorTime(totals, cores, brokers, streams, isBaseline, true);
    }

    /**
     * Finds the limits of a run, judged by processor time. Returns no flags if a required count was not measured.
     *
     * @param streams whether the driver waits only for brokers, not for handlers or a plan
     * @param isBaseline whether this run is a run of the baseline
     * @param asksAlways whether brokers are known to have always had a request of the driver
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
        // A connection is served by one network thread of the broker. If each broker used a whole core and the driver
        // mostly waited, then the driver waited for the brokers.
        boolean heldBack = brokerCores >= BUSY * brokers && driverCores < IDLE;
        if (streams) {
            double waiting = 1 - driverCores;
            // No thread of the driver ran while the brokers worked, so the driver waited for them.
            heldBack |= asksAlways && waiting >= HELD_BACK && brokerCores / brokers >= waiting;
            // The brokers took cores that the driver could have used.
            heldBack |= saturated && brokerCores >= SMALL_PART * cores;
        }
        if (heldBack) {
            flags.add(isBaseline ? Flag.BASELINE_BROKER_BOUND : Flag.BROKER_BOUND);
        }
        return flags;
    }

    /**
     * Returns whether more records were sent late than {@link #MAX_LATE_SHARE} allows. The generator then did not keep
     * to the plan, and the run measured the generator.
     */
    public static boolean isGeneratorBound(Histogram latenessNanos, long toleranceNanos) {
        return isGeneratorBound(latenessNanos, toleranceNanos, MAX_LATE_SHARE);
    }

    /** Returns whether more than {@code maxLateShare} of the records were sent late. */
    public static boolean isGeneratorBound(Histogram latenessNanos, long toleranceNanos, double maxLateShare) {
        long total = latenessNanos.getTotalCount();
        if (total == 0) {
            return false;
        }
        long late = total - latenessNanos.getCountBetweenValues(0, toleranceNanos);
        return late > total * maxLateShare;
    }
}
