package dev.weir.kafka.internal.meters;

import java.util.concurrent.locks.ReentrantLock;

/**
 * The time for which brokers throttled a client, as a counter. Kafka's client has no such counter; it publishes the
 * mean of its last minute or so, which hides that throttling has just begun and shows it long after its end.
 * Thread-safe.
 *
 * <pre>
 *   n answers in the window, mean a | d more, then mean b | mean of those d: b + n (b - a) / d
 * </pre>
 */
public final class ThrottleTime {

    /** The longest time that the client's mean is of: three samples of half a minute each. */
    private static final double WINDOW_SECONDS = 90;

    private static final double NANOS_PER_MILLI = 1e6;

    private final ReentrantLock lock = new ReentrantLock();

    // Under the lock.
    private double meanBefore;
    private double answersBefore;
    private double nanos;

    /**
     * Takes the client's figures of now and returns the time so far.
     *
     * @param meanMillis throttle time of an answer, the client's mean; NaN without one
     * @param maxMillis the longest one in the same time; NaN without one
     * @param answers all of them so far; NaN if it does not tell
     * @param answersPerSecond of the same time; NaN if it does not tell
     */
    public long read(double meanMillis, double maxMillis, double answers, double answersPerSecond) {
        double mean = Double.isNaN(meanMillis) ? 0 : meanMillis;
        lock.lock();
        try {
            double came = answers - answersBefore;
            if (came > 0) {
                // Too many rather than too few: then answers that are not throttled add nothing.
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
