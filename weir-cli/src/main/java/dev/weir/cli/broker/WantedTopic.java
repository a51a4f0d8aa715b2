package dev.weir.cli.broker;

import dev.weir.command.client.ClientFault;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.Terminal;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterException;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.internals.Topic;

/**
 * A topic requested with {@code --topic}. Immutable.
 *
 * @param partitions the requested number of partitions
 */
record WantedTopic(String name, int partitions) {

    private static final int MAX_PARTITIONS = 10_000;

    static WantedTopic parse(String text) {
        int colon = text.lastIndexOf(':');
        try {
            int partitions = Integer.parseInt(text.substring(colon + 1));
            if (colon > 0 && partitions >= 1 && partitions <= MAX_PARTITIONS) {
                String name = text.substring(0, colon);
                Topic.validate(name);
                return new WantedTopic(name, partitions);
            }
        } catch (NumberFormatException ignored) { // reported below
        } catch (InvalidTopicException e) {
            throw CliFailure.usage(
                    "'" + text.substring(0, colon) + "' cannot be the name of a topic: " + ClientFault.withCause(e),
                    "");
        }
        throw CliFailure.badValue("--topic", text, "NAME:PARTITIONS with 1 to " + MAX_PARTITIONS + " partitions");
    }

    /**
     * Creates the topic. It may exist from an earlier start, or because a client requested it. If it has no records,
     * adds missing partitions.
     */
    void createIn(KafkaCluster cluster, Terminal terminal) {
        try {
            cluster.createTopic(name, partitions);
        } catch (KafkaClusterException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
            adopt(cluster, terminal);
        }
    }

    private void adopt(KafkaCluster cluster, Terminal terminal) {
        Map<?, Long> ends = cluster.endOffsets(name);
        int there = ends.size();
        if (there == partitions) {
            return;
        }
        if (there < partitions && ends.values().stream().allMatch(end -> end == 0)) {
            addPartitions(cluster);
            return;
        }
        terminal.note("weir: topic " + name + " is there already, with " + there
                + (there == 1 ? " partition" : " partitions") + ": --topic=" + name + ":" + partitions
                + " has no effect");
    }

    private void addPartitions(KafkaCluster cluster) {
        try {
            cluster.admin()
                    .createPartitions(Map.of(name, NewPartitions.increaseTo(partitions)))
                    .all()
                    .get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaClusterException("interrupted: add partitions to topic " + name, e);
        } catch (ExecutionException e) {
            throw new KafkaClusterException("cannot add partitions to topic " + name + ": " + e.getMessage(), e);
        }
    }
}
