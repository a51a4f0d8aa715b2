package dev.weir.driver;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * The work of a handler on a record, according to the workload: a wait, CPU time, or nothing. Thread-safe. The duration
 * for a record is drawn from the record's number, so it is the same for each library.
 */
public final class HandlerWork {
    /** The time for which a handler blocks, in milliseconds. */
    public static final String MILLIS = "work.millis";

    /** The number of rounds of arithmetic that a handler does; a round takes about a nanosecond. */
    public static final String ROUNDS = "work.rounds";

    /**
     * The distribution of durations: {@code none}, {@code exponential}, {@code bimodal}, {@code heavy-tail} or
     * {@code stragglers}; all have the same mean.
     */
    public static final String SPREAD = "work.spread";

    /** The number of handlers that may block at a time, as with a connection pool; 0 for no limit. */
    public static final String DOWNSTREAM = "work.downstream";

    // Bimodal: one record in a hundred takes about a hundred times as long as the others.
    private static final double SLOW_SHARE = 0.01;
    private static final double SLOW_FACTOR = 50.5;
    private static final double FAST_FACTOR = 0.5;

    // Stragglers: one record in ten thousand takes 400 times the mean, for example 2 s instead of 5 ms.
    private static final double STRAGGLER_SHARE = 1e-4;
    private static final double STRAGGLER_FACTOR = 400;
    private static final double OTHERS_FACTOR = 0.96 / (1 - STRAGGLER_SHARE);

    // Heavy tail: a Pareto distribution with exponent 1.5, cut off at a hundred times the mean. The least value x is
    // chosen so that the mean is 1 in spite of the cut: 3 x - 0.2 x^1.5 = 1.
    private static final double TAIL_LEAST = 0.346957940;
    private static final double TAIL_EXPONENT = -1 / 1.5;
    private static final double TAIL_MOST = 100;

    private final int rounds;
    private final String spread;
    private final Semaphore downstream;
    private final LongAdder calls = new LongAdder();
    private final LongAdder takenNanos = new LongAdder();

    private volatile long nanos;

    @SuppressWarnings("unused") // written but never read
    private static volatile boolean zero;

    private HandlerWork(long nanos, int rounds, String spread, int downstream) {
        this.nanos = nanos;
        this.rounds = rounds;
        this.spread = spread;
        this.downstream = new Semaphore(downstream == 0 ? Integer.MAX_VALUE : downstream);
    }

    /** Returns the work that is configured by {@code options}. By default, there is no work. */
    public static HandlerWork of(Map<String, String> options) {
        double millis = Double.parseDouble(options.getOrDefault(MILLIS, "0"));
        return new HandlerWork(
                nanos(millis),
                Integer.parseInt(options.getOrDefault(ROUNDS, "0")),
                options.getOrDefault(SPREAD, "none"),
                Integer.parseInt(options.getOrDefault(DOWNSTREAM, "0")));
    }

    private static long nanos(double millis) {
        return (long) (millis * TimeUnit.MILLISECONDS.toNanos(1));
    }

    /** Sets the mean blocking time of handlers that start from now on. */
    void blockFor(double millis) {
        nanos = nanos(millis);
    }

    /** Does the work. Uses the result of the arithmetic, so that compilers keep it. */
    public void on(byte[] value) {
        on(RecordLayout.number(value));
    }

    void on(long number) {
        double factor = factor(number);
        long meanNanos = nanos;
        if (meanNanos > 0) {
            downstream.acquireUninterruptibly();
            long begunNanos = System.nanoTime();
            try {
                block((long) (meanNanos * factor));
            } finally {
                takenNanos.add(System.nanoTime() - begunNanos);
                calls.increment();
                downstream.release();
            }
        }
        // Without the shift, compilers fold several rounds into one.
        long mixed = number + 1;
        int mostRounds = (int) (rounds * factor);
        for (int i = 0; i < mostRounds; i++) {
            mixed = (mixed ^ (mixed >>> 31)) * 6_364_136_223_846_793_005L;
        }
        if (mixed == 0) {
            zero = true; // never true, but compilers do not know this
        }
    }

    /** Returns the number of finished calls and their total blocking time. */
    HandlerTime time() {
        return new HandlerTime(calls.sum(), takenNanos.sum());
    }

    private static void block(long nanos) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /**
     * Returns the duration of the work for the record with the given number, as a multiple of the mean, for simulations
     * and predictions.
     */
    public double factorOf(long number) {
        return factor(number);
    }

    /** Returns the duration of the work for the record with the given number, as a multiple of the mean. */
    double factor(long number) {
        if (spread.equals("none")) {
            return 1;
        }
        double drawn = new SplittableRandom(number).nextDouble();
        return switch (spread) {
            case "exponential" -> -Math.log1p(-drawn);
            case "bimodal" -> drawn < SLOW_SHARE ? SLOW_FACTOR : FAST_FACTOR;
            case "heavy-tail" -> Math.min(TAIL_MOST, TAIL_LEAST * Math.pow(1 - drawn, TAIL_EXPONENT));
            case "stragglers" -> drawn < STRAGGLER_SHARE ? STRAGGLER_FACTOR : OTHERS_FACTOR;
            default ->
                throw new IllegalArgumentException(SPREAD
                        + " must be none, exponential, bimodal, heavy-tail or stragglers: " + SPREAD + "=" + spread);
        };
    }
}
