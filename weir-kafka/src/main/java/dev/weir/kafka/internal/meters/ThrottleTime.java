package dev.weir.kafka.internal.meters;

import java.util.concurrent.locks.ReentrantLock;

/**
 * The time for which brokers throttled a client, as a counter. Kafka's client has no such counter. It publishes the
 * average of about the last minute, which hides throttling that has just begun and shows it long after its end.
 * Thread-safe.
 *
 * <pre>
 *   n answers in the window, mean a | d more, then mean b | mean of those d: b + n (b - a) / d
 * </pre>
 */
public final class ThrottleTime {

    /** The longest window of the client's average: three samples of half a minute each. */
    private static final double WINDOW_SECONDS = 90;

    private static final double NANOS_PER_MILLI = 1e6;

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private double meanBefore;
    private double answersBefore;
    private double nanos;

    /**
     * Takes the client's current metrics and returns the total time so far.
     *
     * @param meanMillis the client's average throttle time per answer; NaN without one
     * @param maxMillis the longest in the same window; NaN without one
     * @param answers the number of answers so far; NaN if not known
     * @param answersPerSecond the rate in the same window; NaN if not known
     */
    public long read(double meanMillis, double maxMillis, double answers, double answersPerSecond) {
        double mean = Double.isNaN(meanMillis) ? 0 : meanMillis;
        lock.lock();
        try {
            double came = answers - answersBefore;
            if (came > 0) {
                // Assumes too many rather than too few, so that answers without throttling add nothing.
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
