package dev.weir.kafka.internal.meters;

import java.util.concurrent.locks.ReentrantLock;

/**
 * The total time for which brokers have throttled a Kafka client. The client itself publishes only an average over the
 * last minute or so. Thread-safe.
 *
 * <p>The mean of the new responses follows from two averages. If the average is {@code a} after {@code n} responses,
 * and {@code b} after {@code d} more, the mean of these {@code d} responses is {@code b + n (b - a) / d}.
 */
public final class ThrottleTime {

    /** Maximum window of the client's average: three samples of half a minute each. */
    private static final double WINDOW_SECONDS = 90;

    private static final double NANOS_PER_MILLI = 1e6;

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private double meanBefore;
    private double answersBefore;
    private double nanos;

    /**
     * Updates the total time from the client's current metrics, and returns it.
     *
     * @param meanMillis the client's average throttle time per response; NaN if there is none
     * @param maxMillis the maximum throttle time in the same window; NaN if there is none
     * @param answers number of responses so far; NaN if unknown
     * @param answersPerSecond rate of responses in the same window; NaN if unknown
     */
    public long read(double meanMillis, double maxMillis, double answers, double answersPerSecond) {
        double mean = Double.isNaN(meanMillis) ? 0 : meanMillis;
        lock.lock();
        try {
            double came = answers - answersBefore;
            if (came > 0) {
                // An upper bound of n in the formula: a lower value would add throttle time that did not occur.
                double counted = Double.isNaN(answersPerSecond)
                        ? answersBefore
                        : Math.min(answersBefore, answersPerSecond * WINDOW_SECONDS);
                double most = Double.isNaN(maxMillis) ? mean : maxMillis;
                double each = mean + counted * (mean - meanBefore) / came;
                nanos += came * Math.clamp(each, 0, Math.max(0, most)) * NANOS_PER_MILLI;
            }
            if (came != 0 && !Double.isNaN(answers)) {
                answersBefore = answers;
                meanBefore = mean;
            }
            return (long) nanos;
        } finally {
            lock.unlock();
        }
    }
}
