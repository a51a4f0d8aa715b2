package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.LeanProducer;
import dev.weir.lean.LeanProducerSettings;
import dev.weir.testkit.Broker;
import dev.weir.testkit.KafkaCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests a lean producer while leaders move, are killed and are frozen. No record may be lost, duplicated or out of
 * order.
 */
class LeanProducerFaultsTest {

    private static final String TOPIC = "faults";
    private static final int PARTITIONS = 6;
    private static final int PHASE = 6_000;
    private static final int SHORT_PHASE = 2_000;
    private static final Duration LONG = Duration.ofMinutes(3);

    @Test
    @Tag("long")
    @Timeout(300)
    void leader_killed_costsNothing() throws Exception {
        SendLedger ledger = new SendLedger(SHORT_PHASE, PARTITIONS);
        try (KafkaCluster cluster = cluster();
                LeanProducer producer = LeanProducer.open(settings(cluster), ledger)) {
            int leader = partitions(cluster).getFirst().leader().id();
            during(producer, ledger, 0, SHORT_PHASE, () -> {
                cluster.broker(leader).kill();
                awaitNotLeading(cluster, leader);
            });
            ledger.assertAllOnceInOrder(cluster.bootstrapServers(), TOPIC);
        }
    }

    @Test
    @Tag("long")
    @Timeout(600)
    void leaders_movedKilledAndFrozen_costNothing() throws Exception {
        try (KafkaCluster cluster = cluster()) {
            SendLedger ledger = new SendLedger(3 * PHASE, PARTITIONS);
            try (LeanProducer producer = LeanProducer.open(settings(cluster), ledger)) {
                during(producer, ledger, 0, PHASE, () -> moveLeaders(cluster));
                during(producer, ledger, PHASE, PHASE, () -> cluster.broker(1).kill());
                cluster.broker(1).start();
                cluster.awaitInSync(TOPIC);
                Broker frozen =
                        cluster.broker(partitions(cluster).getFirst().leader().id());
                during(producer, ledger, 2 * PHASE, PHASE, () -> {
                    frozen.freeze();
                    awaitNotLeading(cluster, frozen.id());
                    frozen.thaw();
                });
                assertThat(producer.metrics().resentBatches()).isPositive();
                assertThat(producer.metrics().failed()).isZero();
            }
            ledger.assertAllOnceInOrder(cluster.bootstrapServers(), TOPIC, true);
        }
    }

    private static KafkaCluster cluster() throws Exception {
        KafkaCluster cluster = KafkaCluster.builder().brokers(3).forked().start();
        cluster.createTopic(TOPIC, PARTITIONS, 3, Map.of("min.insync.replicas", "2"));
        return cluster;
    }

    private static LeanProducerSettings settings(KafkaCluster cluster) {
        return LeanProducerSettings.builder()
                .bootstrapServers(cluster.bootstrapServers())
                .batchBytes(2 * 1024)
                .bufferBytes(64 * 1024)
                .maxRequestBytes(16 * 1024)
                .requestTimeout(Duration.ofSeconds(5))
                .deliveryTimeout(Duration.ofMinutes(10))
                .maxBlock(Duration.ofMinutes(10))
                .build();
    }

    /** Sends the records of one phase of a test. The last quarter follows after the fault. */
    private static void during(LeanProducer producer, SendLedger ledger, long first, long count, ThrowingRunnable fault)
            throws Exception {
        long before = count * 3 / 4;
        CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> ledger.send(producer, TOPIC, first, before));
        Awaitility.await().atMost(LONG).until(() -> ledger.acknowledged.get() > first + count / 20);
        fault.run();
        sent.get(LONG.toSeconds(), TimeUnit.SECONDS);
        ledger.send(producer, TOPIC, first + before, count - before);
        assertThat(producer.flush(LONG)).as("%s", producer.metrics()).hasToString("0 records ()");
    }

    private interface ThrowingRunnable {
        void run() throws Exception;
    }

    /** Moves each partition's leadership to its second replica. */
    private static void moveLeaders(KafkaCluster cluster) throws Exception {
        Map<TopicPartition, Optional<NewPartitionReassignment>> moves = new HashMap<>();
        partitions(cluster).forEach(partition -> {
            List<Integer> replicas =
                    new ArrayList<>(partition.replicas().stream().map(Node::id).toList());
            Collections.rotate(replicas, -1);
            moves.put(
                    new TopicPartition(TOPIC, partition.partition()),
                    Optional.of(new NewPartitionReassignment(replicas)));
        });
        cluster.admin().alterPartitionReassignments(moves).all().get();
        // Kafka reports an error for partitions that their preferred replica already leads.
        cluster.admin()
                .electLeaders(ElectionType.PREFERRED, moves.keySet())
                .partitions()
                .get();
    }

    private static List<TopicPartitionInfo> partitions(KafkaCluster cluster) throws Exception {
        return cluster.admin()
                .describeTopics(List.of(TOPIC))
                .allTopicNames()
                .get()
                .get(TOPIC)
                .partitions();
    }

    private static void awaitNotLeading(KafkaCluster cluster, int broker) {
        Awaitility.await()
                .atMost(LONG)
                .ignoreExceptions()
                .until(() -> partitions(cluster).stream()
                        .allMatch(partition ->
                                partition.leader() != null && partition.leader().id() != broker));
    }
}
