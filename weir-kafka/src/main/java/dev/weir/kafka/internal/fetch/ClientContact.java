package dev.weir.kafka.internal.fetch;

import dev.weir.kafka.internal.lookup.BrokerContact;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;

/**
 * Reads from the metrics of a client what has come from brokers, and what waits for its next poll. Confined to the
 * owner thread.
 */
final class ClientContact {

    private static final String GROUP = "consumer-metrics";
    private static final String ANSWERS = "response-total";
    private static final String LOSSES = "connection-close-total";

    /** Of the client of the consumer protocol alone: rebalances to call back, and errors to throw. */
    private static final String EVENTS = "background-event-queue-size";

    private final Consumer<?, ?> client;

    // Looked for once: a client of thousands of partitions has tens of thousands of metrics.
    private @Nullable Metric answers;
    private @Nullable Metric losses;
    private @Nullable Metric events;

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

    /** Returns whether the client says what waits for its next poll. */
    boolean tellsEvents() {
        if (answers == null) {
            find();
        }
        return events != null;
    }

    /** Returns whether something waits for the client's next poll, as far as it says. */
    boolean hasEvents() {
        Metric waiting = events;
        return waiting != null && value(waiting.metricValue()) > 0;
    }

    private void find() {
        for (Map.Entry<MetricName, ? extends Metric> each : client.metrics().entrySet()) {
            if (each.getKey().group().equals(GROUP)) {
                switch (each.getKey().name()) {
                    case ANSWERS -> answers = each.getValue();
                    case LOSSES -> losses = each.getValue();
                    case EVENTS -> events = each.getValue();
                    default -> {
                        // Of something else.
                    }
                }
            }
        }
    }

    private static long value(Object metric) {
        return metric instanceof Number number ? number.longValue() : 0;
    }
}
