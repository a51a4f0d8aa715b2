package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Checks that a stuck producer is reported even if a broker has failed permanently. */
@Timeout(120)
class LostReplicaTest {

    /**
     * Returns the warning about a producer without a response for a minute. Calls an internal method by reflection, to
     * avoid waiting for that minute.
     */
    private static String trouble(KafkaCluster cluster, String topic) throws ReflectiveOperationException {
        Class<?> type = Class.forName("dev.weir.kafka.internal.out.client.ClientProgress");
        Object progress = type.getMethod("of", Map.class)
                .invoke(null, Map.of("bootstrap.servers", cluster.bootstrapServers(), "request.timeout.ms", "1000"));
        long minute = TimeUnit.MINUTES.toNanos(1);
        type.getMethod("look", long.class, Set.class, long.class).invoke(progress, minute, Set.of(topic), minute);
        return (String) type.getMethod("trouble").invoke(progress);
    }

    private static boolean isAlone(KafkaCluster cluster, String topic) {
        try {
            List<TopicPartitionInfo> partitions = cluster.admin()
                    .describeTopics(List.of(topic))
                    .allTopicNames()
                    .get()
                    .get(topic)
                    .partitions();
            return partitions.stream().allMatch(each -> each.isr().size() == 1 && each.leader() != null);
        } catch (Exception notYet) {
            return false;
        }
    }

    @Test
    void topic_withEnoughReplicasInSync_canBeWritten() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().brokers(2).start()) {
            cluster.createTopic("enough", 1, 2, Map.of("min.insync.replicas", "1"));
            cluster.createTopic("lacking", 1, 2, Map.of("min.insync.replicas", "2"));
            cluster.brokers().getLast().stop();
            ConsumerLedger.await(
                    "one replica is left",
                    Duration.ofMinutes(1),
                    () -> isAlone(cluster, "enough") && isAlone(cluster, "lacking"));
            assertThat(trouble(cluster, "enough")).contains("although the brokers say", "enough replicas in sync");
            assertThat(trouble(cluster, "lacking")).contains("lacking-0 lacks replicas in sync");
        }
    }
}
