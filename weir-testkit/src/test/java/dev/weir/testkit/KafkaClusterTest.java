package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

final class KafkaClusterTest {
    @Test
    void start_oneBroker_servesTopics() {
        long startNanos = System.nanoTime();
        try (KafkaCluster cluster = KafkaCluster.builder().start()) {
            System.err.println("up in " + (System.nanoTime() - startNanos) / 1_000_000 + " ms");
            cluster.createTopic("orders", 2);
            assertThat(cluster.endOffsets("orders"))
                    .isEqualTo(Map.of(new TopicPartition("orders", 0), 0L, new TopicPartition("orders", 1), 0L));
            startNanos = System.nanoTime();
        }
        System.err.println("down in " + (System.nanoTime() - startNanos) / 1_000_000 + " ms");
    }
}
