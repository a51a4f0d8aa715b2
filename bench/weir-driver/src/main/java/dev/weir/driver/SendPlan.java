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
 * Determines the time at which each record of an open-loop run is due, no matter when earlier records were sent.
 * Confined to one thread, except for {@link #change}.
 *
 * <p>A sender that is late sends overdue records immediately, without changing the plan, until it has caught up. A
 * change of the rate does not cancel overdue records: records that were due before the change stay due.
 */
public final class SendPlan {

    /**
     * Option of the sender and of all receivers: the number of records due per second. If it is 0, no record is due
     * until a change sets another rate.
     */
    public static final String RATE = "plan.records.per.second";

    /** Option of the sender: {@code even} or {@code poisson}. */
    public static final String ARRIVALS = "plan.arrivals";

    /**
     * Option of the sender: a {@link LoadShape}, whose factor is multiplied by the rate. The shape starts when the rate
     * is first above 0. Without a shape, the rate is constant.
     */
    public static final String SHAPE = "plan.shape";

    /** Option of the sender: the skew of the distribution over partitions, see {@link PartitionSpread}. */
    public static final String PARTITION_SKEW = "plan.partition.skew";

    /** Option of the sender: the number of keys per partition; 0 for records without keys. */
    public static final String KEYS = "plan.keys.per.partition";

    /** Option of the sender: the skew of the distribution over keys, see {@link KeySpread}. */
    public static final String KEY_SKEW = "plan.key.skew";

    /** Option of the sender: its number of producers, each with its own partitions. */
    public static final String PRODUCERS = "plan.producers";

    /** Option of the sender: the random seed for arrivals with uneven gaps. */
    public static final String SEED = "plan.seed";

    /** Option of the sender: the start time of the plan, on the harness's clock. */
    public static final String START = "plan.start.nanos";

    /** Option: the time on the harness's clock from which a changed {@link #RATE} applies. */
    public static final String AT = "plan.at.nanos";

    /** The due time for a plan in which no record is due. */
    public static final long NEVER = Long.MAX_VALUE;

    static final String NO_COMMON_CLOCK =
            "the processes have no common clock, so latencies cannot be taken on this machine";

    private static final double SECOND_NANOS = 1e9;
    private static final long MAX_DISTANCE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Interval at which a waiting thread checks whether to stop waiting. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final boolean poisson;
    private final SplittableRandom random;
    private final long startNanos;
    private final Queue<Change> changes = new ConcurrentLinkedQueue<>();

    private LoadShape shape = LoadShape.CONSTANT;
    private double shapeNanos = Double.NaN; // start of the shape, relative to the start of the plan
    private double recordsPerSecond;
    private double fromNanos; // time of the last record or rate change, relative to the plan's start
    private double gaps; // gap from fromNanos to the next record, as a multiple of the mean gap
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

    /** Returns a plan with even gaps. */
    public static SendPlan constant(double recordsPerSecond) {
        return new SendPlan(recordsPerSecond, false, 0, 0);
    }

    /**
     * Returns a plan of arrivals from many independent senders, with exponential gaps. The gaps are the same for the
     * same seed.
     */
    public static SendPlan poisson(double recordsPerSecond, long seed) {
        return new SendPlan(recordsPerSecond, true, seed, 0);
    }

    /**
     * Returns the plan described by {@code options}.
     *
     * @throws IllegalArgumentException if the options describe no plan
     * @throws IllegalStateException if the plan's start time is far from the current time
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

    /** Returns a plan whose rate follows a shape; call it before any record is requested. */
    public SendPlan shaped(LoadShape newShape) {
        shape = newShape;
        shapeNanos = recordsPerSecond > 0 ? 0 : Double.NaN;
        return this;
    }

    /**
     * Changes the rate as of {@code atNanos}, a time on the plan's clock. At a rate of 0, no record is due. May be
     * called by any thread. The times of successive calls must ascend.
     */
    public void change(long atNanos, double newRecordsPerSecond) {
        requireRate(newRecordsPerSecond);
        changes.add(new Change(atNanos, newRecordsPerSecond));
        LockSupport.unpark(waiting);
    }

    /**
     * Returns when the next record is due at the current rate, in nanoseconds on the plan's clock; {@link #NEVER} at a
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
     * Takes the next record and returns its due time, in nanoseconds on the plan's clock. The first record of an even
     * plan is due at the plan's start.
     *
     * @throws IllegalStateException if no record is due
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

    /**
     * Waits until the next record is due, takes it and returns its due time; {@link #NEVER} if the pass is over first.
     */
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
