package dev.weir.stream;

import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The delay between attempts. It doubles after each failure, from {@code min} up to {@code max}. Immutable. */
public final class Backoff {

    private static final Duration LONGEST = Duration.ofDays(365);
    private static final int MAX_DOUBLINGS = 62;

    /** The default jitter: {@value}. */
    public static final double DEFAULT_JITTER = 0.2;

    /** A back-off without any delay. */
    public static final Backoff NONE = new Backoff(Duration.ZERO, Duration.ZERO, 0);

    private final Values values;

    private Backoff(Duration min, Duration max, double jitter) {
        this.values = new Values(min, max, jitter);
    }

    /** The delay after the first failure, at least 0. */
    public Duration min() {
        return values.min;
    }

    /** The longest delay, at least {@code min}. */
    public Duration max() {
        return values.max;
    }

    /**
     * The fraction of each delay that is randomised, 0 to 1. Jitter spreads out callers that failed at the same moment.
     */
    public double jitter() {
        return values.jitter;
    }

    /** Creates a back-off whose delay doubles from {@code min} to {@code max}, with {@link #DEFAULT_JITTER}. */
    public static Backoff between(Duration min, Duration max) {
        return new Backoff(min, max, DEFAULT_JITTER);
    }

    /** Returns this back-off with a different jitter, the fraction of each delay that is random; 0 means none. */
    public Backoff withJitter(double newJitter) {
        return new Backoff(values.min, values.max, newJitter);
    }

    /**
     * Returns the delay after a failure, including jitter.
     *
     * @param failures number of failures so far, at least 1
     */
    public Duration after(int failures) {
        return after(failures, System.nanoTime());
    }

    /**
     * Returns the delay after a failure. The jitter is derived from the time, so that a run on a test's clock can be
     * repeated exactly.
     *
     * @param failures number of failures so far, at least 1
     * @param nowNanos current time of the run's {@link dev.weir.stream.spi.Clock}
     */
    public Duration after(int failures, long nowNanos) {
        if (failures < 1) {
            throw new IllegalArgumentException("failures must be at least 1: failures=" + failures);
        }
        long doublings = 1L << Math.min(failures - 1, MAX_DOUBLINGS);
        long minNanos = values.min.toNanos();
        long maxNanos = values.max.toNanos();
        long full = doublings > maxNanos / Math.max(1, minNanos) ? maxNanos : minNanos * doublings;
        return Duration.ofNanos(full - (long) (full * values.jitter * new SplittableRandom(nowNanos).nextDouble()));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Backoff that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "Backoff");
    }

    private record Values(Duration min, Duration max, double jitter) {

        Values {
            Objects.requireNonNull(min, "min");
            Objects.requireNonNull(max, "max");
            if (min.isNegative()) {
                throw new IllegalArgumentException("a back-off's min must not be negative: min=" + min);
            }
            if (max.compareTo(min) < 0 || max.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException(
                        "a back-off's max must be from min to " + LONGEST + ": max=" + max + " min=" + min);
            }
            if (!(jitter >= 0 && jitter <= 1)) {
                throw new IllegalArgumentException("a back-off's jitter must be 0 to 1: jitter=" + jitter);
            }
        }
    }
}
