package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.TransactionHandle;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.Broker;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests what a reader with read_committed sees when the transaction coordinator's broker dies. */
class ExactlyOnceBrokerLossTest {

    private static final int COUNT = 20_000;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokers(3).forked().heapMegabytes(256));

    private static Broker coordinator(String group) throws Exception {
        List<String> ids = KAFKA.cluster().admin().listTransactions().all().get(20, TimeUnit.SECONDS).stream()
                .map(TransactionListing::transactionalId)
                .filter(id -> id.startsWith(group + "-weir-"))
                .sorted()
                .toList();
        return KAFKA.cluster()
                .broker(KAFKA.cluster()
                        .admin()
                        .describeTransactions(ids)
                        .description(ids.getFirst())
                        .get(20, TimeUnit.SECONDS)
                        .coordinatorId());
    }

    /** A fault of the cluster after the first committed transactions. Returns when the cluster has recovered. */
    @FunctionalInterface
    private interface Fault {
        void strike(RunningPipeline run) throws Exception;
    }

    private static void copy(String name, Fault fault) throws Exception {
        Records.produce(KAFKA.bootstrapServers(), name + "-in", 0, COUNT, ExactlyOnceLedger.KEYS);
        ProducerSettings<byte[], byte[]> producer = ProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .property("request.timeout.ms", "8000")
                .build();
        try (RunningPipeline run = KafkaSource.from(
                        ConsumerLedger.settings(KAFKA.cluster(), name).build(), name + "-in")
                .exactlyOnce()
                .commitInterval(Duration.ofMillis(50))
                .produceTo(
                        producer,
                        records -> records.mapBlocking(16, RecordOrdering.byKey(), record -> {
                                    ConsumerLedger.work(Duration.ofMillis(4));
                                    return record;
                                })
                                .map(record -> new ProducerRecord<>(name + "-out", record.key(), record.value())))
                .run()) {
            ConsumerLedger.await("the first transactions", Duration.ofMinutes(1), () -> committed(run) > 3);
            fault.strike(run);
            assertThat(run.drain(Duration.ofSeconds(30)).leftUndone()).isEmpty();
        }
        ExactlyOnceLedger.assertEachOnceInOrderOfItsKey(KAFKA.cluster(), name + "-out", COUNT);
    }

    private static void awaitAll(String name) {
        ConsumerLedger.await(
                "all is committed",
                Duration.ofMinutes(2),
                () -> KAFKA.cluster()
                        .committedOffsets(name)
                        .equals(KAFKA.cluster().endOffsets(name + "-in")));
    }

    @Test
    @Tag("long")
    @Timeout(240)
    void coordinatorOfTheTransactionKilled_eachInputIsSeenOnceAndInOrder() throws Exception {
        KAFKA.cluster().createTopic("copy-in", 4);
        KAFKA.cluster().createTopic("copy-out", 4);
        copy("copy", run -> {
            Broker coordinator = coordinator("copy");
            coordinator.kill();
            awaitAll("copy");
            coordinator.start();
        });
    }

    /** One output partition has no leader for a while. Its records and the commits wait. */
    @Test
    @Tag("long")
    @Timeout(240)
    void partitionOfTheOutputOffline_eachInputIsSeenOnceAndInOrder() throws Exception {
        KAFKA.cluster().createTopic("halted-in", 4);
        List<Integer> ids =
                KAFKA.cluster().brokers().stream().map(Broker::id).sorted().toList();
        int lost = ids.getLast();
        KAFKA.cluster()
                .createTopic("halted-out", Map.of(0, List.of(ids.get(0)), 1, List.of(lost), 2, List.of(ids.get(1))));
        copy("halted", run -> {
            KAFKA.cluster().broker(lost).kill();
            ConsumerLedger.await("no leader", Duration.ofMinutes(1), () -> !hasLeader("halted-out", 1));
            KAFKA.cluster().broker(lost).start();
            awaitAll("halted");
        });
    }

    private static boolean hasLeader(String topic, int partition) {
        try {
            Node leader = KAFKA.cluster()
                    .admin()
                    .describeTopics(List.of(topic))
                    .allTopicNames()
                    .toCompletionStage()
                    .toCompletableFuture()
                    .join()
                    .get(topic)
                    .partitions()
                    .get(partition)
                    .leader();
            return leader != null && !leader.isEmpty();
        } catch (CompletionException notNow) {
            return true;
        }
    }

    private static long committed(RunningPipeline run) {
        return run.handles(TransactionHandle.class).getFirst().snapshot().committed();
    }
}
