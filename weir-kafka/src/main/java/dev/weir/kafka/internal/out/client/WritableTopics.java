package dev.weir.kafka.internal.out.client;

import java.time.Duration;
import java.util.Collection;
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
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/**
 * Checks whether topics can be written to and whether transaction coordinators respond. Queries the brokers, on a new
 * connection for each check. Keeps no state between checks.
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

    /**
     * Returns the reason why a producer cannot make progress at present; an empty string if there is none. Possible
     * reasons are a partition without a leader or without all replicas in sync, a coordinator that does not respond or
     * has not finished the previous transaction, and brokers that do not respond.
     */
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
            for (TopicPartitionInfo partition : topic.partitions()) {
                // If a replica is missing, min.insync.replicas may not be met, in which case brokers reject records for
                // a while.
                boolean isLed =
                        partition.leader() != null && !partition.leader().isEmpty();
                if (!isLed || partition.isr().size() != partition.replicas().size()) {
                    return topic.name() + "-" + partition.partition()
                            + (isLed ? " lacks replicas in sync" : " has no leader");
                }
            }
        }
        return "";
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
                // Neither of these two failures is an obstacle. If the id is unknown, the coordinator has responded. If
                // the query is not supported, the brokers are older than 3.0, and the coordinator cannot be checked.
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
