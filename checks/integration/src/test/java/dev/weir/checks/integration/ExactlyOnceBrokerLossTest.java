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
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The broker that coordinates a transaction dies, as a reader with read_committed sees it. */
class ExactlyOnceBrokerLossTest {

    private static final int COUNT = 20_000;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokers(3).forked().heapMegabytes(256));

    /** The coordinator of a transactional id of the group. */
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

    @Test
    @Tag("long")
    @Timeout(240)
    void coordinatorOfTheTransactionKilled_eachInputIsSeenOnceAndInOrder() throws Exception {
        KAFKA.cluster().createTopic("in", 4);
        KAFKA.cluster().createTopic("out", 4);
        Records.produce(KAFKA.bootstrapServers(), "in", 0, COUNT, ExactlyOnceLedger.KEYS);
        ProducerSettings<byte[], byte[]> producer = ProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .property("request.timeout.ms", "8000")
                .build();
        try (RunningPipeline run = KafkaSource.exactlyOnce(
                        ConsumerLedger.settings(KAFKA.cluster(), "copy").build(), "in")
                .commitInterval(Duration.ofMillis(50))
                .produceTo(
                        producer,
                        records -> records.mapBlocking(16, RecordOrdering.byKey(), record -> {
                                    ConsumerLedger.work(Duration.ofMillis(4));
                                    return record;
                                })
                                .map(record -> new ProducerRecord<>("out", record.key(), record.value())))
                .run()) {
            ConsumerLedger.await("the first transactions", Duration.ofMinutes(1), () -> committed(run) > 3);
            Broker coordinator = coordinator("copy");
            coordinator.kill();
            ConsumerLedger.await(
                    "all is committed",
                    Duration.ofMinutes(2),
                    () -> KAFKA.cluster()
                            .committedOffsets("copy")
                            .equals(KAFKA.cluster().endOffsets("in")));
            coordinator.start();
            assertThat(run.drain(Duration.ofSeconds(30)).leftUndone()).isEmpty();
        }
        ExactlyOnceLedger.assertEachOnceInOrderOfItsKey(KAFKA.cluster(), "out", COUNT);
    }

    private static long committed(RunningPipeline run) {
        return run.handles(TransactionHandle.class).getFirst().snapshot().committed();
    }
}
