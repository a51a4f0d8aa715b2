package dev.weir.kafka.internal.meters;

import dev.weir.kafka.ProducerHandle.Snapshot;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/**
 * Reads a producer's own meters. The names are those of the client's documentation, "Producer Sender Metrics" and
 * "Common monitoring metrics"; a client without one of them shows no value there.
 */
public final class ProducerLook {

    private static final String GROUP = "producer-metrics";
    private static final String BUFFER = "buffer-total-bytes";
    private static final String FREE = "buffer-available-bytes";
    private static final String BLOCKED = "bufferpool-wait-time-ns-total";
    private static final String QUEUED = "record-queue-time-avg";
    private static final String REQUEST = "request-latency-avg";
    private static final Set<String> NAMES = Set.of(BUFFER, FREE, BLOCKED, QUEUED, REQUEST);

    private ProducerLook() {}

    /** A client as it is now, whose sender waits for room in its buffer alone. */
    public static Snapshot at(Producer<?, ?> client, String stage, long unanswered) {
        return at(client, stage, unanswered, 0);
    }

    /** A client as it is now, whose sender has waited so long before it asked the client for room. */
    public static Snapshot at(Producer<?, ?> client, String stage, long unanswered, long waitedNanos) {
        return of(client.metrics(), stage, unanswered, waitedNanos);
    }

    /** A client with these meters, whose sender waits for room in its buffer alone. */
    public static Snapshot of(Map<MetricName, ? extends Metric> meters, String stage, long unanswered) {
        return of(meters, stage, unanswered, 0);
    }

    private static Snapshot of(
            Map<MetricName, ? extends Metric> meters, String stage, long unanswered, long waitedNanos) {
        Map<String, Double> values = new HashMap<>();
        meters.forEach((name, metric) -> {
            if (name.group().equals(GROUP)
                    && NAMES.contains(name.name())
                    && metric.metricValue() instanceof Double value) {
                values.put(name.name(), value);
            }
        });
        return Snapshot.of(
                stage,
                unanswered,
                values.getOrDefault(BUFFER, Double.NaN),
                values.getOrDefault(FREE, Double.NaN),
                values.getOrDefault(BLOCKED, 0.0).longValue() + waitedNanos,
                values.getOrDefault(QUEUED, Double.NaN),
                values.getOrDefault(REQUEST, Double.NaN));
    }
}
