package dev.weir.driver;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * When each record of an open-loop run is due, whatever happened to the ones before. Confined to one thread.
 *
 * <p>A late sender sends at once and keeps the plan, so what it missed is caught up and never forgotten.
 */
public final class SendPlan {

    /** Option of all who take part in a plan: how many records are due in a second. */
    public static final String RATE = "plan.records.per.second";

    /** Option of the sender: {@code even} or {@code poisson}. */
    public static final String ARRIVALS = "plan.arrivals";

    /** Option of the sender: draws the arrivals that are not even. */
    public static final String SEED = "plan.seed";

    /** Option of the sender: when the plan begins, as {@link System#nanoTime}, which the processes of a machine share. */
    public static final String START = "plan.start.nanos";

    static final String NO_COMMON_CLOCK =
            "the processes have no common clock, so latencies cannot be taken on this machine";

    private static final long MAX_DISTANCE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final double gapNanos;
    private final boolean poisson;
    private final SplittableRandom random;
    private final long startNanos;
    private double dueNanos;

    private SendPlan(double recordsPerSecond, boolean poisson, long seed, long startNanos) {
        if (!(recordsPerSecond > 0) || Double.isInfinite(recordsPerSecond)) {
            throw new IllegalArgumentException(
                    "recordsPerSecond must be above 0: recordsPerSecond=" + recordsPerSecond);
        }
        this.gapNanos = 1e9 / recordsPerSecond;
        this.poisson = poisson;
        this.random = new SplittableRandom(seed);
        this.startNanos = startNanos;
    }

    /** Even gaps. */
    public static SendPlan constant(double recordsPerSecond) {
        return new SendPlan(recordsPerSecond, false, 0, 0);
    }

    /** Arrivals as of many independent senders: exponential gaps, the same for the same seed. */
    public static SendPlan poisson(double recordsPerSecond, long seed) {
        return new SendPlan(recordsPerSecond, true, seed, 0);
    }

    /**
     * The plan of these options.
     *
     * @throws IllegalArgumentException if they hold none
     * @throws IllegalStateException if it begins at a time that this process's clock does not know
     */
    public static SendPlan of(Map<String, String> options) {
        String rate = options.get(RATE);
        if (rate == null) {
            throw new IllegalArgumentException("it sends at a planned rate, and none is ordered");
        }
        long start = Long.parseLong(options.getOrDefault(START, "0"));
        if (Math.abs(start - System.nanoTime()) > MAX_DISTANCE_NANOS) {
            throw new IllegalStateException("the plan does not begin now: " + NO_COMMON_CLOCK);
        }
        return new SendPlan(
                Double.parseDouble(rate),
                options.getOrDefault(ARRIVALS, "even").equals("poisson"),
                Long.parseLong(options.getOrDefault(SEED, "0")),
                start);
    }

    /** When the next record is due, in nanoseconds of the plan's clock; the first of an even plan at its start. */
    public long nextNanos() {
        long due = startNanos + (long) dueNanos;
        dueNanos += poisson ? -Math.log1p(-random.nextDouble()) * gapNanos : gapNanos;
        return due;
    }
}
