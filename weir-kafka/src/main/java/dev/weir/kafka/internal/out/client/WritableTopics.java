package dev.weir.kafka.internal.out.client;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/**
 * Checks whether topics can be written to and whether transaction coordinators respond. Each check queries the brokers
 * on a new connection.
 */
final class WritableTopics {

    private static final long ANSWER_MILLIS = 5_000;

    private final Map<String, Object> config;
    private final Set<String> transactionalIds;

    /**
     * Creates a check with the brokers in a producer's configuration.
     *
     * @param transactionalIds the ids whose coordinators must respond; empty for a producer without transactions
     */
    WritableTopics(Map<String, ?> clientConfig, Collection<String> transactionalIds) {
        config = new HashMap<>(clientConfig);
        config.keySet().retainAll(AdminClientConfig.configNames());
        config.remove(AdminClientConfig.CLIENT_ID_CONFIG);
        this.transactionalIds = Set.copyOf(transactionalIds);
    }

    /** Returns why a producer cannot make progress at present, or an empty string. */
    String obstacle(Set<String> topics) {
        if (topics.isEmpty()) {
            return "it is not known which topics its records are for";
        }
        Admin admin = null;
        try {
            admin = Admin.create(config);
            String ofTopics = ofTopics(admin, topics);
            return ofTopics.isEmpty() ? ofTransactions(admin) : ofTopics;
        } catch (ExecutionException | KafkaException failure) {
            Throwable cause = failure instanceof ExecutionException ? failure.getCause() : failure;
            return "the brokers do not say whether " + String.join(", ", topics) + " can be written to: " + cause;
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            return "interrupted before the brokers answered";
        } finally {
            if (admin != null) {
                admin.close(Duration.ZERO);
            }
        }
    }

    private static String ofTopics(Admin admin, Set<String> topics) throws ExecutionException, InterruptedException {
        Map<String, TopicDescription> described;
        try {
            described = answer(admin.describeTopics(List.copyOf(topics)).allTopicNames());
        } catch (TimeoutException silent) {
            return "no broker says whether " + String.join(", ", topics) + " can be written to";
        }
        for (TopicDescription topic : described.values()) {
            String obstacle = ofPartitions(admin, topic);
            if (!obstacle.isEmpty()) {
                return obstacle;
            }
        }
        return "";
    }

    private static String ofPartitions(Admin admin, TopicDescription topic) throws InterruptedException {
        int least = 0;
        for (TopicPartitionInfo partition : topic.partitions()) {
            String name = topic.name() + "-" + partition.partition();
            if (partition.leader() == null || partition.leader().isEmpty()) {
                return name + " has no leader";
            }
            if (partition.isr().size() < partition.replicas().size()) {
                // A missing replica alone is no obstacle, because a broker may be gone for good.
                least = least == 0 ? leastInSync(admin, topic.name()) : least;
                if (partition.isr().size() < least) {
                    return name + " lacks replicas in sync";
                }
            }
        }
        return "";
    }

    /** Returns the topic's {@code min.insync.replicas}; {@link Integer#MAX_VALUE} if it is unknown. */
    private static int leastInSync(Admin admin, String topic) throws InterruptedException {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        try {
            ConfigEntry least = answer(admin.describeConfigs(List.of(resource)).all()).values().stream()
                    .map(config -> config.get(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
            return least == null || least.value() == null ? Integer.MAX_VALUE : Integer.parseInt(least.value());
        } catch (ExecutionException | TimeoutException unknown) {
            // The producer's user may not be allowed to describe the topic's configuration, for example.
            return Integer.MAX_VALUE;
        }
    }

    private String ofTransactions(Admin admin) throws ExecutionException, InterruptedException {
        if (transactionalIds.isEmpty()) {
            return "";
        }
        var described = admin.describeTransactions(transactionalIds);
        for (String id : transactionalIds) {
            try {
                TransactionState state = answer(described.description(id)).state();
                if (state == TransactionState.PREPARE_COMMIT || state == TransactionState.PREPARE_ABORT) {
                    return "the coordinator of transactional.id=" + id + " still ends a transaction (" + state + ")";
                }
            } catch (TimeoutException silent) {
                return "the coordinator of transactional.id=" + id + " does not answer";
            } catch (ExecutionException failure) {
                // No obstacle: the coordinator does not know the id, or the brokers are older than 3.0 and do not
                // support the query.
                if (!(failure.getCause() instanceof TransactionalIdNotFoundException)
                        && !(failure.getCause() instanceof UnsupportedVersionException)) {
                    return "the coordinator of transactional.id=" + id + " does not answer: " + failure.getCause();
                }
            }
        }
        return "";
    }

    private static <T> T answer(KafkaFuture<T> asked)
            throws ExecutionException, InterruptedException, TimeoutException {
        return asked.get(ANSWER_MILLIS, TimeUnit.MILLISECONDS);
    }
}
