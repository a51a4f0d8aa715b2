package dev.weir.kafka.internal.in.fetch;

import dev.weir.kafka.internal.in.lookup.BrokerContact;
import dev.weir.kafka.internal.meters.ThrottleTime;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.jspecify.annotations.Nullable;

/**
 * Reads metrics of Kafka's client: responses, lost connections, throttling and waiting events. Confined to the owner
 * thread.
 */
final class ClientContact {

    private static final String GROUP = "consumer-metrics";
    private static final String ANSWERS = "response-total";
    private static final String LOSSES = "connection-close-total";

    private static final String ANSWERS_PER_SECOND = "response-rate";
    private static final String FETCH_GROUP = "consumer-fetch-manager-metrics";
    private static final String THROTTLE_MEAN = "fetch-throttle-time-avg";
    private static final String THROTTLE_MAX = "fetch-throttle-time-max";

    /**
     * Number of rebalance callbacks and errors that wait for the next poll. Only clients of the consumer protocol have
     * this metric.
     */
    private static final String EVENTS = "background-event-queue-size";

    private final Consumer<?, ?> client;

    // Each metric is looked up once: a client with thousands of partitions has tens of thousands of metrics.
    private @Nullable Metric answers;
    private @Nullable Metric losses;
    private @Nullable Metric events;
    private @Nullable Metric answersPerSecond;
    private @Nullable Metric throttleMean;
    private @Nullable Metric throttleMax;

    private final ThrottleTime throttled = new ThrottleTime();

    ClientContact(Consumer<?, ?> client) {
        this.client = client;
    }

    BrokerContact get() {
        if (answers == null || losses == null) {
            find();
        }
        return answers == null || losses == null
                ? BrokerContact.UNKNOWN
                : new BrokerContact(value(answers.metricValue()), value(losses.metricValue()));
    }

    /** Returns whether the client reports how many events wait for its next poll. */
    boolean tellsEvents() {
        if (answers == null) {
            find();
        }
        return events != null;
    }

    boolean hasEvents() {
        Metric waiting = events;
        if (waiting instanceof KafkaMetric metric && metric.isMeasurable()) {
            // metricValue() would create an object in each call, up to 40 times a second. Without the metric's lock, a
            // new event may be seen only in the next call.
            return metric.measurable().measure(metric.config(), System.currentTimeMillis()) > 0;
        }
        return waiting != null && value(waiting.metricValue()) > 0;
    }

    long throttledNanos() {
        if (answers == null) {
            find();
        }
        return throttled.read(number(throttleMean), number(throttleMax), number(answers), number(answersPerSecond));
    }

    private static double number(@Nullable Metric metric) {
        return metric != null && metric.metricValue() instanceof Number number ? number.doubleValue() : Double.NaN;
    }

    private void find() {
        for (Map.Entry<MetricName, ? extends Metric> each : client.metrics().entrySet()) {
            if (each.getKey().group().equals(FETCH_GROUP)) {
                switch (each.getKey().name()) {
                    case THROTTLE_MEAN -> throttleMean = each.getValue();
                    case THROTTLE_MAX -> throttleMax = each.getValue();
                    default -> {
                        // Not needed.
                    }
                }
            } else if (each.getKey().group().equals(GROUP)) {
                switch (each.getKey().name()) {
                    case ANSWERS -> answers = each.getValue();
                    case LOSSES -> losses = each.getValue();
                    case EVENTS -> events = each.getValue();
                    case ANSWERS_PER_SECOND -> answersPerSecond = each.getValue();
                    default -> {
                        // Not needed.
                    }
                }
            }
        }
    }

    private static long value(Object metric) {
        return metric instanceof Number number ? number.longValue() : 0;
    }
}
