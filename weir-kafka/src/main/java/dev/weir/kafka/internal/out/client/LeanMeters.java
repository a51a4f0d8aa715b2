package dev.weir.kafka.internal.out.client;

import dev.weir.kafka.internal.meters.ProducerLook;
import dev.weir.lean.LeanProducerMetrics;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/**
 * A lean producer's metrics, under the names that Kafka's client uses ("Producer Sender Metrics"), and one metric that
 * Kafka's client lacks. Thread-safe.
 */
public final class LeanMeters {

    private static final double NANOS_PER_MILLI = 1e6;

    /** The minimum period of an average. */
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(30);

    private record Sample(long nanos, LeanProducerMetrics counts) {}

    private record Meter(MetricName metricName, Object metricValue) implements Metric {}

    private final Supplier<LeanProducerMetrics> counts;
    private final long bufferBytes;
    private final LongAdder blockedNanos;

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock
    private Sample base;
    private Sample next;

    public LeanMeters(Supplier<LeanProducerMetrics> counts, long bufferBytes, LongAdder blockedNanos) {
        this.counts = counts;
        this.bufferBytes = bufferBytes;
        this.blockedNanos = blockedNanos;
        this.base = new Sample(System.nanoTime(), counts.get());
        this.next = base;
    }

    /** Returns the current values. */
    public Map<MetricName, Metric> read() {
        LeanProducerMetrics now = counts.get();
        LeanProducerMetrics before = before(now);
        Map<MetricName, Metric> meters = new HashMap<>();
        put(meters, "buffer-total-bytes", (double) bufferBytes);
        put(meters, "buffer-available-bytes", (double) now.freeBytes());
        put(meters, "bufferpool-wait-time-ns-total", (double) blockedNanos.sum());
        put(meters, ProducerLook.THROTTLED, now.throttledMillis() * NANOS_PER_MILLI);
        put(
                meters,
                "record-queue-time-avg",
                mean(now.queuedNanos() - before.queuedNanos(), now.sentBatches() - before.sentBatches()));
        put(
                meters,
                "request-latency-avg",
                mean(now.answerNanos() - before.answerNanos(), now.answeredRequests() - before.answeredRequests()));
        return meters;
    }

    private LeanProducerMetrics before(LeanProducerMetrics now) {
        lock.lock();
        try {
            long nanos = System.nanoTime();
            if (nanos - next.nanos >= WINDOW_NANOS) {
                base = next;
                next = new Sample(nanos, now);
            }
            return base.counts;
        } finally {
            lock.unlock();
        }
    }

    private static double mean(long nanos, long count) {
        return count == 0 ? Double.NaN : nanos / (count * NANOS_PER_MILLI);
    }

    private static void put(Map<MetricName, Metric> meters, String name, double value) {
        MetricName id = new MetricName(name, "producer-metrics", "", Map.of());
        meters.put(id, new Meter(id, value));
    }
}
