package dev.weir.bench.cluster;

import dev.weir.bench.BenchException;
import dev.weir.testkit.Broker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Uses the brokers of an existing cluster. Creates and deletes only topics and groups with the cluster's prefix. Broker
 * counters and processor time are not available. Confined to one thread.
 */
final class ExistingBrokers implements Brokers {
    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final ExistingCluster cluster;
    private final Consumer<String> note;
    private final Admin admin;
    private final String clusterId;
    private final Collection<Node> nodes;

    /**
     * Connects to the cluster.
     *
     * @param note receives messages about failures that do not end the campaign
     */
    ExistingBrokers(ExistingCluster cluster, Consumer<String> note) {
        this.cluster = cluster;
        this.note = note;
        Map<String, Object> config = new HashMap<>(cluster.client());
        config.put("bootstrap.servers", cluster.bootstrapServers());
        try {
            this.admin = Admin.create(config);
        } catch (KafkaException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new BenchException(
                    "no client can be made for " + cluster.bootstrapServers() + ": " + cause.getMessage(), e);
        }
        try {
            this.clusterId =
                    Asked.of("which cluster they are", admin.describeCluster().clusterId());
            this.nodes = Asked.of("who they are", admin.describeCluster().nodes());
        } catch (RuntimeException e) {
            admin.close();
            throw e;
        }
    }

    @Override
    public String bootstrapServers() {
        return cluster.bootstrapServers();
    }

    @Override
    public Map<String, String> client() {
        return cluster.client();
    }

    @Override
    public Admin admin() {
        return admin;
    }

    @Override
    public List<Broker> forked() {
        return List.of();
    }

    @Override
    public String named(String name) {
        return cluster.prefix() + name;
    }

    @Override
    public String freshName(String name) {
        return named(name) + "-" + UUID.randomUUID().toString().substring(0, 13);
    }

    /** Creates topics with the cluster's default number of replicas. */
    @Override
    public void create(String topic, int partitions, int replicas, Map<String, String> config) {
        NewTopic created = new NewTopic(topic, Optional.of(partitions), Optional.empty()).configs(config);
        Asked.of(
                "to create topic " + topic, admin.createTopics(List.of(created)).all());
        await("topic " + topic + " has leaders", () -> {
            try {
                return admin.describeTopics(List.of(topic)).allTopicNames().get().values().stream()
                        .flatMap(description -> description.partitions().stream())
                        .noneMatch(partition ->
                                partition.leader() == null || partition.leader().isEmpty());
            } catch (ExecutionException e) {
                if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                    return false; // At least one broker does not know the topic yet.
                }
                throw new BenchException("brokers cannot be asked for topic " + topic + ": " + e.getCause(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new BenchException("interrupted", e);
            }
        });
    }

    @Override
    public void delete(String topic) {
        Asked.of("to delete topic " + topic, admin.deleteTopics(List.of(topic)).all());
        await(
                "topic " + topic + " is gone",
                () -> !Asked.of("for their topics", admin.listTopics().names()).contains(topic));
    }

    private static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + DEADLINE_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline >= 0) {
                throw new BenchException(
                        "waited " + TimeUnit.NANOSECONDS.toSeconds(DEADLINE_NANOS) + " s until " + what);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    @Override
    public void cleanUp() {
        if (!cluster.keepsTopics()) {
            try {
                deleteTopics();
            } catch (BenchException e) {
                note.accept("some topics that begin with " + cluster.prefix() + " are left at "
                        + cluster.bootstrapServers() + ": " + e.getMessage());
            }
        }
        // Brokers refuse to delete a group with members.
        try {
            List<String> groups = Asked.of(
                            "for their groups", admin.listGroups().valid())
                    .stream()
                    .map(GroupListing::groupId)
                    .filter(cluster::isGroupOfCampaigns)
                    .toList();
            Asked.of("to delete groups", admin.deleteConsumerGroups(groups).all());
        } catch (BenchException e) {
            // Brokers expire the remaining groups.
        }
    }

    /**
     * Deletes the topics of this and all earlier campaigns, even kept topics and topics of killed campaigns. Skips
     * topics that cannot be deleted.
     */
    private void deleteTopics() {
        Set<String> deleted = new HashSet<>();
        List<BenchException> refused = new ArrayList<>();
        List<String> topics = Asked.of("for their topics", admin.listTopics().names()).stream()
                .filter(cluster::isOfCampaigns)
                .toList();
        admin.deleteTopics(topics).topicNameValues().forEach((topic, answer) -> {
            try {
                Asked.of("to delete topic " + topic, answer);
                deleted.add(topic);
            } catch (BenchException e) {
                refused.add(e);
            }
        });
        await(
                "topics are gone",
                () -> Collections.disjoint(
                        Asked.of("for their topics", admin.listTopics().names()), deleted));
        if (!refused.isEmpty()) {
            throw refused.getFirst();
        }
    }

    /**
     * Returns the cluster's ID and a hash of the client properties. Values that may be secret do not enter the hash.
     */
    @Override
    public String id() {
        return clusterId + "-" + Integer.toHexString(cluster.described().hashCode());
    }

    @Override
    public Map<String, String> settings() {
        Map<String, String> settings = new TreeMap<>();
        cluster.described().forEach((name, value) -> settings.put("cluster." + name, value));
        try {
            settings.putAll(BrokerConfig.of(admin, nodes.iterator().next().idString()));
        } catch (BenchException e) { // the user may not be allowed to read the configuration
            settings.put("broker.config", String.valueOf(e.getMessage()));
        }
        settings.put(BenchCluster.CLUSTER_ID, clusterId);
        settings.put("cluster.bootstrap", cluster.bootstrapServers());
        settings.put("cluster.prefix", cluster.prefix());
        settings.put("broker.count", Integer.toString(nodes.size()));
        settings.put(
                "broker.place",
                String.format(
                        Locale.ROOT, "there already, %s; neither CPU nor fetches are counted", cluster.protocol()));
        return settings;
    }

    @Override
    public Map<String, String> versions() {
        return Map.of("brokers", "unknown");
    }

    @Override
    public void close() {
        admin.close();
    }
}
