package dev.weir.testkit;

import dev.weir.testkit.internal.MetadataProbe;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Manages the topics and offsets of a cluster. Each call returns when all brokers know the result. Thread-safe. */
final class TopicAdmin {
    private final Admin admin;
    private final List<Broker> brokers;

    TopicAdmin(Admin admin, List<Broker> brokers) {
        this.admin = admin;
        this.brokers = brokers;
    }

    Admin admin() {
        return admin;
    }

    void create(String topic, int partitions, int replicas, Map<String, String> config) {
        create(new NewTopic(topic, partitions, (short) replicas).configs(config), partitions);
    }

    void create(String topic, Map<Integer, List<Integer>> brokersByPartition) {
        create(new NewTopic(topic, brokersByPartition), brokersByPartition.size());
    }

    private void create(NewTopic topic, int partitions) {
        Await.get(
                "create topic " + topic.name(),
                admin.createTopics(List.of(topic)).all());
        awaitLeaders(topic.name(), partitions);
        awaitLogs(topic.name());
    }

    /**
     * Waits until the leaders accept writes, shortly after brokers announce a new topic. A broker that rejects an
     * idempotent producer's first batch and accepts its second never accepts the first.
     */
    private void awaitLogs(String topic) {
        if (brokers.stream().allMatch(Broker::isResponsive)) {
            var ignored = endOffsets(topic); // repeated until every leader responds
        }
    }

    void delete(String topic) {
        Await.get("delete topic " + topic, admin.deleteTopics(List.of(topic)).all());
        awaitLeaders(topic, 0);
    }

    private void awaitLeaders(String topic, int partitions) {
        Await.until("all brokers know " + partitions + " leader(s) of topic " + topic, () -> {
            for (Broker broker : brokers) {
                String missing = broker.isResponsive() ? missing(broker, topic, partitions) : null;
                if (missing != null) {
                    return missing;
                }
            }
            return null;
        });
    }

    private static @Nullable String missing(Broker broker, String topic, int partitions) {
        try {
            int led = MetadataProbe.partitionsWithLeader(broker.port(), topic);
            return led == partitions ? null : broker + " knows " + led;
        } catch (IOException e) {
            return broker + " does not answer: " + e.getMessage();
        }
    }

    /**
     * Waits until all responsive brokers agree that all replicas are in sync. A broker that was just thawed has
     * outdated metadata.
     */
    void awaitInSync(String topic) {
        Await.until("all replicas of topic " + topic + " are in sync, by each broker's account", () -> {
            List<String> agreed = null;
            for (Broker broker : brokers) {
                if (!broker.isResponsive()) {
                    continue;
                }
                List<String> view = view(broker, topic);
                if (agreed != null && !agreed.equals(view)) {
                    return agreed + ", but " + broker + " says " + view;
                }
                agreed = view;
            }
            boolean inSync = agreed != null
                    && !agreed.isEmpty()
                    && agreed.stream().allMatch(line -> line.endsWith(MetadataProbe.IN_SYNC));
            return inSync ? null : String.valueOf(agreed);
        });
    }

    private static List<String> view(Broker broker, String topic) {
        try {
            return MetadataProbe.view(broker.port(), topic);
        } catch (IOException e) {
            return List.of(broker + " does not answer: " + e.getMessage());
        }
    }

    Map<TopicPartition, Long> endOffsets(String topic) {
        Map<TopicPartition, OffsetSpec> latest = describe(topic).partitions().stream()
                .map(partition -> new TopicPartition(topic, partition.partition()))
                .collect(Collectors.toMap(Function.identity(), partition -> OffsetSpec.latest()));
        Map<TopicPartition, Long> offsets = new HashMap<>();
        Map<TopicPartition, ListOffsetsResultInfo> found = Await.get(
                "end offsets of topic " + topic, admin.listOffsets(latest).all());
        found.forEach((partition, info) -> offsets.put(partition, info.offset()));
        return offsets;
    }

    Map<TopicPartition, Long> committedOffsets(String group) {
        Map<TopicPartition, Long> offsets = new HashMap<>();
        Await.get(
                        "committed offsets of group " + group,
                        admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
                .forEach((partition, committed) ->
                        Optional.ofNullable(committed).ifPresent(offset -> offsets.put(partition, offset.offset())));
        return offsets;
    }

    private TopicDescription describe(String topic) {
        KafkaFuture<TopicDescription> description =
                admin.describeTopics(List.of(topic)).topicNameValues().get(topic);
        if (description == null) {
            throw new IllegalStateException("the admin client forgot the topic it was asked for: " + topic);
        }
        return Await.get("describe topic " + topic, description);
    }

    void close() {
        admin.close(Duration.ofSeconds(1));
    }
}
