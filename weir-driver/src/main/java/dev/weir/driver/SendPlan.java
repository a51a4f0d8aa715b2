package dev.weir.driver;

import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The time at which each record of an open-loop run is due, whatever happened to the ones before. Confined to one
 * thread, but for {@link #change}.
 *
 * <p>A late sender sends at once and keeps the plan, so what it missed is caught up and never forgotten. A change of
 * the rate keeps that debt too: what was due before it stays due.
 */
public final class SendPlan {

    /** Option of all who take part in a plan: how many records are due in a second; 0 for none until it is changed. */
    public static final String RATE = "plan.records.per.second";

    /** Option of the sender: {@code even} or {@code poisson}. */
    public static final String ARRIVALS = "plan.arrivals";

    /** Option of the sender: a {@link LoadShape}, which begins with the first rate; none for a rate that stays. */
    public static final String SHAPE = "plan.shape";

    /** Option of the sender: how unevenly partitions get records, as {@link PartitionSpread} takes it. */
    public static final String PARTITION_SKEW = "plan.partition.skew";

    /** Option of the sender: how many keys each partition has; 0: records have none. */
    public static final String KEYS = "plan.keys.per.partition";

    /** Option of the sender: how unevenly a partition's records have its keys, as {@link KeySpread} takes it. */
    public static final String KEY_SKEW = "plan.key.skew";

    /** Option of the sender: how many producers it has, each for partitions of its own. */
    public static final String PRODUCERS = "plan.producers";

    /** Option of the sender: draws the arrivals that are not even. */
    public static final String SEED = "plan.seed";

    /** Option of the sender: when the plan begins, by the clock of the harness. */
    public static final String START = "plan.start.nanos";

    /** Time of the harness's clock from which a changed {@link #RATE} applies. */
    public static final String AT = "plan.at.nanos";

    /** The time when no record is due. */
    public static final long NEVER = Long.MAX_VALUE;

    static final String NO_COMMON_CLOCK =
            "the processes have no common clock, so latencies cannot be taken on this machine";

    private static final double SECOND_NANOS = 1e9;
    private static final long MAX_DISTANCE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Interval at which waiting threads check whether the wait is over. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final boolean poisson;
    private final SplittableRandom random;
    private final long startNanos;
    private final Queue<Change> changes = new ConcurrentLinkedQueue<>();

    private LoadShape shape = LoadShape.CONSTANT;
    private double shapeNanos = Double.NaN; // when it begins, since the start
    private double recordsPerSecond;
    private double fromNanos; // since the start: the last record's time, or the last change's
    private double gaps; // from there to the next record
    private volatile @Nullable Thread waiting;

    private record Change(long atNanos, double recordsPerSecond) {}

    private SendPlan(double recordsPerSecond, boolean poisson, long seed, long startNanos) {
        requireRate(recordsPerSecond);
        this.recordsPerSecond = recordsPerSecond;
        this.poisson = poisson;
        this.random = new SplittableRandom(seed);
        this.startNanos = startNanos;
    }

    private static void requireRate(double recordsPerSecond) {
        if (!(recordsPerSecond >= 0) || Double.isInfinite(recordsPerSecond)) {
            throw new IllegalArgumentException(
                    "recordsPerSecond must be at least 0: recordsPerSecond=" + recordsPerSecond);
        }
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
        if (Math.abs(start - CampaignClock.nanos()) > MAX_DISTANCE_NANOS) {
            throw new IllegalStateException("the plan does not begin now: " + NO_COMMON_CLOCK);
        }
        return new SendPlan(
                        Double.parseDouble(rate),
                        options.getOrDefault(ARRIVALS, "even").equals("poisson"),
                        Long.parseLong(options.getOrDefault(SEED, "0")),
                        start)
                .shaped(LoadShape.parse(options.getOrDefault(SHAPE, "")));
    }

    /** The same with a rate that changes with time; to be called before anything is asked for. */
    public SendPlan shaped(LoadShape newShape) {
        shape = newShape;
        shapeNanos = recordsPerSecond > 0 ? 0 : Double.NaN;
        return this;
    }

    /** Another rate from that time on, of the plan's clock; 0 for none. Any thread, in the order of their times. */
    public void change(long atNanos, double newRecordsPerSecond) {
        requireRate(newRecordsPerSecond);
        changes.add(new Change(atNanos, newRecordsPerSecond));
        LockSupport.unpark(waiting);
    }

    /**
     * The time when the next record is due, in nanoseconds of the plan's clock, as things stand; {@link #NEVER} at a
     * rate of 0.
     */
    public long dueNanos() {
        for (Change next = changes.peek(); next != null && next.atNanos() <= unchanged(); next = changes.peek()) {
            double at = Math.max(fromNanos, (double) (next.atNanos() - startNanos));
            gaps = Math.max(0, gaps - recordsBetween(fromNanos, at));
            fromNanos = at;
            recordsPerSecond = next.recordsPerSecond();
            if (Double.isNaN(shapeNanos) && recordsPerSecond > 0) {
                shapeNanos = at;
            }
            changes.remove();
        }
        return unchanged();
    }

    private long unchanged() {
        return recordsPerSecond == 0 ? NEVER : startNanos + (long) nextSinceStart();
    }

    private double nextSinceStart() {
        if (shape == LoadShape.CONSTANT) {
            return fromNanos + gaps * (SECOND_NANOS / recordsPerSecond);
        }
        double soFar = shape.area((fromNanos - shapeNanos) / SECOND_NANOS);
        return shapeNanos + SECOND_NANOS * shape.when(soFar + gaps / recordsPerSecond);
    }

    private double recordsBetween(double from, double to) {
        if (shape == LoadShape.CONSTANT || recordsPerSecond == 0) {
            return (to - from) * recordsPerSecond / SECOND_NANOS;
        }
        double seconds = shape.area((to - shapeNanos) / SECOND_NANOS) - shape.area((from - shapeNanos) / SECOND_NANOS);
        return seconds * recordsPerSecond;
    }

    /**
     * Takes the next record: when it is due, in nanoseconds of the plan's clock;
     * the first of an even plan at its start.
     *
     * @throws IllegalStateException if none is
     */
    public long nextNanos() {
        long due = dueNanos();
        if (due == NEVER) {
            throw new IllegalStateException("no record is due at a rate of 0");
        }
        fromNanos = nextSinceStart();
        gaps = poisson ? -Math.log1p(-random.nextDouble()) : 1;
        return due;
    }

    /** Waits until the next record is due and takes it; {@link #NEVER} if it is over before. */
    public long awaitNext(BooleanSupplier isOver) {
        waiting = Thread.currentThread();
        while (!isOver.getAsBoolean()) {
            long due = dueNanos();
            long left = due == NEVER ? LOOK_NANOS : due - CampaignClock.nanos();
            if (left <= 0) {
                return nextNanos();
            }
            LockSupport.parkNanos(Math.min(left, LOOK_NANOS));
        }
        return NEVER;
    }
}
