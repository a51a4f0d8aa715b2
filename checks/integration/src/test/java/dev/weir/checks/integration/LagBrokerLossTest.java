package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.cli.group.GroupReader;
import dev.weir.cli.group.GroupSnapshot;
import dev.weir.cli.group.GroupSnapshot.PartitionLag;
import dev.weir.command.client.ClusterClients;
import dev.weir.testkit.Broker;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the lag of a group while a partition has no leader. */
@Tag("long")
@Timeout(240)
class LagBrokerLossTest {

    /** Regression: no lag was known, because the answer about one of the partitions took the whole time limit. */
    @Test
    void partitionWithoutALeader_isUnknown_andTheOthersAreNot() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().brokers(3).start()) {
            Broker lost = cluster.brokers().getLast();
            cluster.createTopic("works", 1);
            cluster.createTopic("stuck", Map.of(0, List.of(lost.id())));
            Records.produce(cluster.bootstrapServers(), "works", 0, 5);
            TopicPartition works = new TopicPartition("works", 0);
            TopicPartition stuck = new TopicPartition("stuck", 0);
            cluster.admin()
                    .alterConsumerGroupOffsets(
                            "group", Map.of(works, new OffsetAndMetadata(2), stuck, new OffsetAndMetadata(0)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
            lost.stop();
            Duration patience = Duration.ofSeconds(5);
            ClusterClients clients = new ClusterClients(cluster.bootstrapServers(), null, null, patience);
            ConsumerLedger.await("the brokers notice the loss", Duration.ofMinutes(1), () -> hasTwo(cluster));
            try (GroupReader reader = GroupReader.open(clients, patience)) {
                GroupSnapshot read = reader.read("group");
                assertThat(read.partitions())
                        .extracting(PartitionLag::partition, PartitionLag::records)
                        .containsExactlyInAnyOrder(tuple(works, 3L), tuple(stuck, PartitionLag.UNKNOWN));
            }
        }
    }

    private static boolean hasTwo(KafkaCluster cluster) {
        try {
            return cluster.admin()
                            .describeCluster()
                            .nodes()
                            .get(10, TimeUnit.SECONDS)
                            .size()
                    == 2;
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }
}
