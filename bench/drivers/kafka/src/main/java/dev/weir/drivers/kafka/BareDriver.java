package dev.weir.drivers.kafka;

import dev.weir.driver.Command;
import dev.weir.driver.Driver;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartitionInfo;

/**
 * A minimal consumer, whose rate is the upper limit for all others. It uses one blocking socket per broker and fetches
 * ahead while it walks the records of a response. It checks the CRC of each batch. It does not support groups,
 * compression or changes of leaders. Confined to the main thread.
 */
final class BareDriver implements Driver {
    private final BareConnection.Kind kind;

    BareDriver(BareConnection.Kind kind) {
        this.kind = kind;
    }

    @Override
    public Set<Scenario> scenarios() {
        // DISCARDING does not read values, which contain the due times that STEADY needs.
        return kind == BareConnection.Kind.DISCARDING
                ? Set.of(Scenario.CONSUME)
                : Set.of(Scenario.CONSUME, Scenario.STEADY);
    }

    @Override
    public void run(Pass pass) throws Exception {
        List<BareConnection> connections = new ArrayList<>();
        try {
            for (Map.Entry<String, List<Integer>> broker :
                    partitionsByLeader(pass.configuration()).entrySet()) {
                connections.add(new BareConnection(broker.getKey(), broker.getValue(), pass, kind));
            }
            for (BareConnection connection : connections) {
                connection.request();
            }
            while (!pass.isDone()) {
                for (BareConnection connection : connections) {
                    connection.receive();
                }
            }
            pass.figure(
                    Pass.FETCH_UNDER_WAY,
                    100
                            * connections.stream()
                                    .mapToDouble(BareConnection::underWayShare)
                                    .average()
                                    .orElse(0));
        } finally {
            for (BareConnection connection : connections) {
                connection.close();
            }
        }
    }

    static Map<String, List<Integer>> partitionsByLeader(Command.Configure configuration) throws Exception {
        Map<String, List<Integer>> partitions = new TreeMap<>();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", configuration.bootstrapServers()))) {
            TopicDescription topic = admin.describeTopics(List.of(configuration.topic()))
                    .topicNameValues()
                    .values()
                    .iterator()
                    .next()
                    .get();
            for (TopicPartitionInfo partition : topic.partitions()) {
                if (partition.leader() == null) {
                    throw new IOException("partition " + partition.partition() + " has no leader");
                }
                partitions
                        .computeIfAbsent(
                                partition.leader().host() + ":"
                                        + partition.leader().port(),
                                leader -> new ArrayList<>())
                        .add(partition.partition());
            }
        }
        return partitions;
    }
}
