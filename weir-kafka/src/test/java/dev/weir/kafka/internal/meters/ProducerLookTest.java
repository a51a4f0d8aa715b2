package dev.weir.kafka.internal.meters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ProducerHandle.Snapshot;
import java.util.Map;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.junit.jupiter.api.Test;

class ProducerLookTest {

    private final MockProducer<byte[], byte[]> client = new MockProducer<>();

    private void metric(String name, String group, Object value) {
        MetricName id = new MetricName(name, group, "", Map.of());
        client.setMockMetrics(id, new Metric() {
            @Override
            public MetricName metricName() {
                return id;
            }

            @Override
            public Object metricValue() {
                return value;
            }
        });
    }

    @Test
    void look_readsTheClientsOwnMeters() {
        metric("buffer-total-bytes", "producer-metrics", 1000.0);
        metric("buffer-available-bytes", "producer-metrics", 10.0);
        metric("bufferpool-wait-time-ns-total", "producer-metrics", 5e9);
        metric("record-queue-time-avg", "producer-metrics", 7.5);
        metric("request-latency-avg", "producer-metrics", 2.5);
        // The same for a single node.
        metric("request-latency-avg", "producer-node-metrics", 99.0);
        assertThat(ProducerLook.at(client, "produce", 3))
                .isEqualTo(Snapshot.of("produce", 3, 1000, 10, 5_000_000_000L, 7.5, 2.5));
    }

    @Test
    void look_atAClientWithoutMeters_hasNoValues() {
        Snapshot look = ProducerLook.at(client, "produce", 0);
        assertThat(look.bufferBytes()).isNaN();
        assertThat(look.requestMillis()).isNaN();
        assertThat(look.blockedNanos()).isZero();
    }
}
