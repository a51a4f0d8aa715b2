package dev.weir.cli.replay;

import dev.weir.command.client.ClientFault;
import dev.weir.command.terminal.CliFailure;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.internals.Topic;
import org.jspecify.annotations.Nullable;

/**
 * The target topics of dead-letter records, as the brokers describe them. Checked before sending: for a missing
 * partition, a producer would wait a minute or cause the topic to be created. Confined to one thread, which closes it.
 */
final class Targets implements AutoCloseable {

    /**
     * The reason why a record cannot be written.
     *
     * @param isFinal whether a later run probably cannot write it either
     */
    record Refusal(String why, boolean isFinal) {}

    /**
     * One topic.
     *
     * @param refusal why nothing can be written to it, or null
     * @param partitions its number of partitions
     */
    private record Target(@Nullable Refusal refusal, int partitions) {}

    /** Delay before the brokers must confirm an answer. */
    private static final long CONFIRM_MILLIS = 250;

    private final Supplier<Admin> clients;
    private final Duration patience;
    private final Map<String, Target> known = new HashMap<>();
    private @Nullable Admin admin;

    /**
     * Creates an object that has not queried any topic yet.
     *
     * @param clients opens an admin client, which this object closes
     */
    Targets(Supplier<Admin> clients, Duration patience) {
        this.clients = clients;
        this.patience = patience;
    }

    /**
     * Returns why records cannot be written to a partition of a topic; null if they can.
     *
     * @param partition the number of the partition; null if the partition is chosen by key
     */
    @Nullable
    Refusal refusal(String topic, @Nullable Integer partition) {
        Target target = known.computeIfAbsent(topic, this::ask);
        if (target.refusal() != null) {
            return target.refusal();
        }
        return partition == null || partition < target.partitions()
                ? null
                : new Refusal(
                        "there is no partition " + topic + "-" + partition + " any more: the topic has "
                                + target.partitions(),
                        true);
    }

    /** Makes the next call query the brokers about a topic again. */
    void forget(String topic) {
        known.remove(topic);
    }

    private Target ask(String topic) {
        if (TopicRules.isInternal(topic)) {
            return refused("topic " + topic + " is internal to Kafka");
        }
        // A client cannot send a name that does not fit into a request.
        if (!Topic.isValid(topic)) {
            return refused("no topic can have the name " + topic);
        }
        try {
            TopicDescription description = describe(topic);
            return description.isInternal()
                    ? refused("topic " + topic + " is internal to Kafka")
                    : new Target(null, description.partitions().size());
        } catch (ExecutionException answer) {
            Throwable cause = cause(answer);
            return switch (cause) {
                case UnknownTopicOrPartitionException missing -> refused("there is no topic " + topic);
                case AuthorizationException denied -> new Target(new Refusal(ClientFault.withCause(denied), false), 0);
                default -> throw unanswered(topic, cause);
            };
        }
    }

    /**
     * Returns the id of an existing topic, or null if the brokers have no topic ids. A broker may report the id of a
     * deleted topic. The id must therefore be in the group's commits, or be reported on two connections in a row.
     *
     * @param committed the topic ids in the group's commits
     */
    @Nullable
    Uuid idOf(String topic, Set<Uuid> committed) {
        Uuid id = idOf(topic);
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        Uuid before = id == null || committed.equals(Set.of(id)) ? id : null;
        while (!Objects.equals(id, before)) {
            if (System.nanoTime() >= deadlineNanos) {
                throw CliFailure.work(
                        "the brokers do not agree within " + patience.toMillis() + " ms on the id of topic " + topic
                                + ", which may just have been recreated",
                        "Run it again; --connect-timeout waits longer for an answer.");
            }
            close();
            admin = null;
            pause(topic);
            before = id;
            id = idOf(topic);
        }
        return id;
    }

    private @Nullable Uuid idOf(String topic) {
        try {
            Uuid id = describe(topic).topicId();
            return id.equals(Uuid.ZERO_UUID) ? null : id;
        } catch (ExecutionException answer) {
            throw unanswered(topic, cause(answer));
        }
    }

    private void pause(String topic) {
        try {
            boolean ignored = new CountDownLatch(1).await(CONFIRM_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unanswered(topic, e);
        }
    }

    private TopicDescription describe(String topic) throws ExecutionException {
        if (admin == null) {
            admin = clients.get();
        }
        try {
            return Objects.requireNonNull(admin.describeTopics(List.of(topic))
                    .allTopicNames()
                    .get(patience.toMillis(), TimeUnit.MILLISECONDS)
                    .get(topic));
        } catch (TimeoutException late) {
            throw unanswered(topic, late);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unanswered(topic, e);
        }
    }

    private static Throwable cause(ExecutionException answer) {
        return answer.getCause() == null ? answer : answer.getCause();
    }

    private static Target refused(String why) {
        return new Target(new Refusal(why, true), 0);
    }

    private CliFailure unanswered(String topic, Throwable cause) {
        return CliFailure.work(
                "no broker says within " + patience.toMillis() + " ms whether there is a topic " + topic + ": "
                        + ClientFault.withCause(cause),
                "Run it again; --connect-timeout waits longer for an answer.",
                cause);
    }

    @Override
    public void close() {
        if (admin != null) {
            admin.close(Duration.ZERO);
        }
    }
}
