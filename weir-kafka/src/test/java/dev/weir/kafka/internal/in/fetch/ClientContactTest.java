package dev.weir.kafka.internal.in.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.Measurable;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.MetricValueProvider;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientContactTest {

    private static final MetricName EVENTS =
            new MetricName("background-event-queue-size", "consumer-metrics", "", Map.of());
    private static final int CALLS = 10_000;

    private double waiting;

    private static ClientContact contact(Map<MetricName, ? extends Metric> metrics) {
        return new ClientContact(new MockConsumer<>("earliest") {
            @Override
            @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
            public Map<MetricName, ? extends Metric> metrics() {
                return metrics;
            }
        });
    }

    private static ClientContact contact(MetricValueProvider<?> events) {
        return contact(Map.of(EVENTS, new KafkaMetric(new Object(), EVENTS, events, new MetricConfig(), Time.SYSTEM)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void events_areSeen_fromEitherKindOfMetric(boolean isMeasurable) {
        ClientContact contact = isMeasurable
                ? contact((Measurable) (config, now) -> waiting)
                : contact((Gauge<Integer>) (config, now) -> (int) waiting);
        assertThat(contact.hasEvents()).as("before the metric is looked up").isFalse();
        assertThat(contact.tellsEvents()).isTrue();
        assertThat(contact.hasEvents()).isFalse();
        waiting = 1;
        assertThat(contact.hasEvents()).isTrue();
    }

    @Test
    void client_withoutTheMetric_tellsNoEvents() {
        ClientContact contact = contact(Map.of());
        assertThat(contact.tellsEvents()).isFalse();
        assertThat(contact.hasEvents()).isFalse();
    }

    @Test
    void lookingForEvents_allocatesNothing() {
        ClientContact contact = contact((Measurable) (config, now) -> waiting);
        assertThat(contact.tellsEvents()).isTrue();
        assertThat(looks(contact)).isZero(); // loads the classes
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        int seen = looks(contact);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(seen).isZero();
        assertThat(allocated).isLessThanOrEqualTo(2_000);
    }

    private static int looks(ClientContact contact) {
        int seen = 0;
        for (int i = 0; i < CALLS; i++) {
            seen += contact.hasEvents() ? 1 : 0;
        }
        return seen;
    }
}
