package dev.weir.bench.statistics;

import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.Totals;
import dev.weir.driver.Pass;
import java.util.EnumSet;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * The party that limited a run: the generator, the brokers, the machine;
 * else it was the driver. Stateless, thread-safe.
 */
public final class LimitingParty {

    /** Largest part of its plan that a generator may send late. */
    public static final double MAX_LATE_SHARE = 0.01;

    /** A thread that runs more than this share of the time is not waiting for anybody. */
    static final double BUSY = 0.9;

    /** A process that runs less than this share of the time mostly waits. */
    static final double IDLE = 0.5;

    /** Share of waiting time from which a rate is noticeably below what the library could do. */
    static final double HELD_BACK = 0.2;

    /** All cores are busy from this share of them on. */
    private static final double SATURATED = 0.95;

    /** Share of the cores that brokers may take on a busy machine without being blamed. */
    private static final double SMALL_PART = 0.1;

    /** Part of the time with a fetch in flight below which a driver may have waited without asking for records. */
    static final double ALWAYS = 0.9;

    /** Figure of Kafka's producers. */
    public static final String BATCH_KILOBYTES = "client: kB per batch";

    /** Size below which a batch costs a broker more than its records do. */
    public static final double SMALL_BATCH_KB = 4;

    private LimitingParty() {}

    /**
     * Returns whether a reading driver is known to have had a fetch in flight all the time; otherwise its waits are not
     * the brokers' fault.
     */
    public static boolean asksAlways(Totals totals) {
        double told = totals.metrics().getOrDefault(Pass.FETCH_UNDER_WAY, Double.NaN) / 100;
        double ofClient = totals.metrics().getOrDefault(Pass.FETCHES_OF_CLIENT, Double.NaN);
        return told >= ALWAYS || ofClient >= ALWAYS;
    }

    /**
     * Returns whether a driver that writes is known to send very little at a time: brokers then work on its requests,
     * as many as its small window makes, and are not to blame for that.
     */
    public static boolean sendsLittle(Totals totals) {
        return totals.metrics().getOrDefault(BATCH_KILOBYTES, Double.NaN) < SMALL_BATCH_KB;
    }

    /** Judges by processor time a driver that always asks for more. */
    public static Set<Flag> ofProcessorTime(
            Totals totals, int cores, int brokers, boolean streams, boolean isBaseline) {
        return ofProcessorTime(totals, cores, brokers, streams, isBaseline, true);
    }

    /**
     * Judges by processor time. Counts that were not taken are ignored.
     *
     * @param streams whether a driver waits only for brokers, not for handlers or a plan
     * @param isBaseline whether this run is the baseline
     * @param asksAlways whether brokers are known to have always had its requests
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
        // One connection is served by one network thread of the broker: a whole core at each broker, with a driver that
        // mostly waits, means that the driver waited for them.
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

    /** Returns whether too many records were sent late: the plan was not kept, and the run measured the generator. */
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
