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
        // The client has a metric of the same name for each broker. It must not be mistaken for the client's own.
        metric("request-latency-avg", "producer-node-metrics", 99.0);
        assertThat(ProducerLook.of(client).at("produce", 3))
                .isEqualTo(Snapshot.of("produce", 3, 1000, 10, 5_000_000_000L, 7.5, 2.5));
    }

    @Test
    void look_atAClientWithoutMeters_hasNoValues() {
        Snapshot look = ProducerLook.of(client).at("produce", 0);
        assertThat(look.bufferBytes()).isNaN();
        assertThat(look.requestMillis()).isNaN();
        assertThat(look.blockedNanos()).isZero();
        assertThat(look.throttledNanos()).isZero();
    }

    /**
     * The client reports a mean over many answers. A hundred answers without throttling hide new throttling for a
     * while.
     */
    @Test
    void throttledTime_ofTheClientsMeans_isThatOfTheAnswersSinceTheLookBefore() {
        ProducerLook look = ProducerLook.of(client);
        throttle(0, 0, 100);
        assertThat(throttledMillis(look)).isZero();
        throttle(10 * 98.0 / 110, 98, 110);
        assertThat(throttledMillis(look)).isEqualTo(980);
        // Read again without any response in between.
        assertThat(throttledMillis(look)).isEqualTo(980);
        throttle(15 * 98.0 / 115, 98, 115);
        assertThat(throttledMillis(look)).isEqualTo(1_470);
        // The client's mean stays above zero for a minute, although nothing is throttled any more.
        throttle(15 * 98.0 / 200, 98, 200);
        assertThat(throttledMillis(look)).isEqualTo(1_470);
    }

    /** The client's mean covers the last minute, which has some 6,000 answers. */
    @Test
    void throttledTime_ofAClientThatRunsForLong_grows() {
        ProducerLook look = ProducerLook.of(client);
        throttle(50, 90, 1_000_000);
        long before = throttledMillis(look);
        throttle(50, 90, 1_000_100);
        assertThat(throttledMillis(look) - before).isEqualTo(5_000);
        before = throttledMillis(look);
        throttle(50 * 6_000.0 / 6_100, 90, 1_000_200);
        assertThat(throttledMillis(look)).isEqualTo(before);
    }

    @Test
    void throttledTime_ofAClientThatCounts_isItsCounter() {
        metric(ProducerLook.THROTTLED, "producer-metrics", 5e9);
        assertThat(ProducerLook.of(client).at("produce", 0).throttledNanos()).isEqualTo(5_000_000_000L);
    }

    private void throttle(double mean, double max, double answers) {
        metric("produce-throttle-time-avg", "producer-metrics", mean);
        metric("produce-throttle-time-max", "producer-metrics", max);
        metric("response-total", "producer-metrics", answers);
        metric("response-rate", "producer-metrics", 100.0);
    }

    private static long throttledMillis(ProducerLook look) {
        return Math.round(look.at("produce", 0).throttledNanos() / 1e6);
    }
}
