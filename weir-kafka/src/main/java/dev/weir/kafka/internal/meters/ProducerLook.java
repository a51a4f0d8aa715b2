package dev.weir.kafka.internal.meters;

import dev.weir.kafka.ProducerHandle.Snapshot;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/**
 * Reads a producer's metrics while it is open. The names come from the sections "Producer Sender Metrics" and "Common
 * monitoring metrics" of the client's documentation; a metric that the client lacks is missing from the snapshot.
 * Thread-safe.
 */
public final class ProducerLook {

    /** Total time for which brokers have throttled a client. Kafka's own client does not report it. */
    public static final String THROTTLED = "produce-throttle-time-ns-total";

    private static final String GROUP = "producer-metrics";
    private static final String BUFFER = "buffer-total-bytes";
    private static final String FREE = "buffer-available-bytes";
    private static final String BLOCKED = "bufferpool-wait-time-ns-total";
    private static final String QUEUED = "record-queue-time-avg";
    private static final String REQUEST = "request-latency-avg";
    private static final String THROTTLE_MEAN = "produce-throttle-time-avg";
    private static final String THROTTLE_MAX = "produce-throttle-time-max";
    private static final String ANSWERS = "response-total";
    private static final String ANSWERS_PER_SECOND = "response-rate";
    private static final Set<String> NAMES = Set.of(
            BUFFER,
            FREE,
            BLOCKED,
            QUEUED,
            REQUEST,
            THROTTLED,
            THROTTLE_MEAN,
            THROTTLE_MAX,
            ANSWERS,
            ANSWERS_PER_SECOND);

    private final Supplier<? extends Map<MetricName, ? extends Metric>> meters;
    private final ThrottleTime throttled = new ThrottleTime();

    private ProducerLook(Supplier<? extends Map<MetricName, ? extends Metric>> meters) {
        this.meters = meters;
    }

    /** Returns a reader of a client's metrics. */
    public static ProducerLook of(Producer<?, ?> client) {
        return new ProducerLook(client::metrics);
    }

    /** Returns a reader of metrics with the names that Kafka's client uses. */
    public static ProducerLook of(Supplier<? extends Map<MetricName, ? extends Metric>> meters) {
        return new ProducerLook(meters);
    }

    /** Returns the current values for a sender that waits only inside the client. */
    public Snapshot at(String stage, long unanswered) {
        return at(stage, unanswered, 0);
    }

    /**
     * Returns the current values for a sender that also waits before it calls the client.
     *
     * @param waitedNanos the time that the sender has waited outside the client
     */
    public Snapshot at(String stage, long unanswered, long waitedNanos) {
        Map<String, Double> values = values();
        return Snapshot.of(
                        stage,
                        unanswered,
                        values.getOrDefault(BUFFER, Double.NaN),
                        values.getOrDefault(FREE, Double.NaN),
                        values.getOrDefault(BLOCKED, 0.0).longValue() + waitedNanos,
                        values.getOrDefault(QUEUED, Double.NaN),
                        values.getOrDefault(REQUEST, Double.NaN))
                .withThrottledNanos(throttledNanos(values));
    }

    private long throttledNanos(Map<String, Double> values) {
        Double counted = values.get(THROTTLED);
        return counted != null
                ? counted.longValue()
                : throttled.read(
                        values.getOrDefault(THROTTLE_MEAN, Double.NaN),
                        values.getOrDefault(THROTTLE_MAX, Double.NaN),
                        values.getOrDefault(ANSWERS, Double.NaN),
                        values.getOrDefault(ANSWERS_PER_SECOND, Double.NaN));
    }

    private Map<String, Double> values() {
        Map<String, Double> values = new HashMap<>();
        meters.get().forEach((name, metric) -> {
            if (name.group().equals(GROUP)
                    && NAMES.contains(name.name())
                    && metric.metricValue() instanceof Double value) {
                values.put(name.name(), value);
            }
        });
        return values;
    }
}
