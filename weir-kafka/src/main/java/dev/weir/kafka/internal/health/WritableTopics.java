package dev.weir.kafka.internal.health;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartitionInfo;

/** Asks brokers, each time by a new connection, whether topics can be written to. Stateless but for its settings. */
final class WritableTopics {

    private static final long ANSWER_MILLIS = 5_000;

    private final Map<String, Object> config;

    WritableTopics(Map<String, ?> clientConfig) {
        config = new HashMap<>(clientConfig);
        config.keySet().retainAll(AdminClientConfig.configNames());
        config.remove(AdminClientConfig.CLIENT_ID_CONFIG);
    }

    /** Whether all partitions have a leader and all replicas in sync; false if the brokers do not say. */
    boolean areWritable(Set<String> topics) {
        if (topics.isEmpty()) {
            return false;
        }
        Admin admin = null;
        try {
            admin = Admin.create(config);
            Map<String, TopicDescription> described =
                    admin.describeTopics(List.copyOf(topics)).allTopicNames().get(ANSWER_MILLIS, TimeUnit.MILLISECONDS);
            return described.values().stream()
                    .flatMap(topic -> topic.partitions().stream())
                    .allMatch(WritableTopics::isWritable);
        } catch (ExecutionException | TimeoutException | KafkaException noAnswer) {
            return false;
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            if (admin != null) {
                admin.close(Duration.ZERO);
            }
        }
    }

    private static boolean isWritable(TopicPartitionInfo partition) {
        // Without one of them min.insync.replicas may not be met: the brokers refuse records then, and that passes.
        return partition.leader() != null
                && !partition.leader().isEmpty()
                && partition.isr().size() == partition.replicas().size();
    }
}
