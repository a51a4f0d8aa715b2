package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.stream.DrainReport;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.Broker;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Stops, freezes and restarts brokers under a pipeline from topic to topic. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConsumerBrokerLossTest {

    private static final int RECORDS = 16_000;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokers(3).forked().heapMegabytes(256));

    private static RunningPipeline copy(String topic) {
        var consumer = ConsumerLedger.settings(KAFKA.cluster(), topic)
                .property("session.timeout.ms", "20000")
                .build();
        var producer = ProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .property("request.timeout.ms", "5000")
                .build();
        return KafkaSource.from(consumer, topic)
                .atLeastOnce()
                .mapBlocking(32, RecordOrdering.byKey(), record -> {
                    ConsumerLedger.work(Duration.ofMillis(1));
                    return record;
                })
                .map(record -> new ProducerRecord<>(topic + "-out", record.key(), record.value()))
                .to(KafkaSink.with(producer).records())
                .run();
    }

    private static Broker coordinator(String group) throws Exception {
        int id = KAFKA.cluster()
                .admin()
                .describeConsumerGroups(List.of(group))
                .all()
                .get(20, TimeUnit.SECONDS)
                .get(group)
                .coordinator()
                .id();
        return KAFKA.cluster().broker(id);
    }

    private static void prepare(String topic) {
        KAFKA.cluster().createTopic(topic, 4);
        KAFKA.cluster().createTopic(topic + "-out", 4);
    }

    private static CompletableFuture<Void> produceSlowly(String topic) {
        return CompletableFuture.runAsync(() -> {
            for (int first = 0; first < RECORDS; first += 800) {
                Records.produce(KAFKA.bootstrapServers(), topic, first, 800, 100);
            }
        });
    }

    private static void awaitAllCopied(String topic) {
        ConsumerLedger.await(
                "all committed",
                Duration.ofMinutes(1),
                () -> KAFKA.cluster()
                        .committedOffsets(topic)
                        .equals(KAFKA.cluster().endOffsets(topic)));
        List<Long> numbers = Records.numbers(
                Records.readAll(KAFKA.bootstrapServers(), topic + "-out", IsolationLevel.READ_UNCOMMITTED));
        assertThat(new HashSet<>(numbers))
                .hasSize(RECORDS)
                .containsAll(LongStream.range(0, 100).boxed().toList());
        assertThat(numbers.size() - RECORDS).as("duplicates").isZero();
    }

    @Test
    @Order(1)
    @Timeout(120)
    void coordinatorKilledAndRestarted_pipelineSurvives_losesNothing() throws Exception {
        prepare("killed");
        CompletableFuture<Void> load = produceSlowly("killed");
        try (RunningPipeline running = copy("killed")) {
            ConsumerLedger.await(
                    "first commit",
                    Duration.ofSeconds(20),
                    () -> !KAFKA.cluster().committedOffsets("killed").isEmpty());
            Broker victim = coordinator("killed");
            victim.kill();
            load.get(60, TimeUnit.SECONDS);
            victim.start();
            awaitAllCopied("killed");
            assertThat(running.completion().isDone()).isFalse();
        }
    }

    @Test
    @Order(2)
    @Tag("long")
    @Timeout(120)
    void brokerFrozenAndThawed_pipelineSurvives_losesNothing() throws Exception {
        prepare("frozen");
        CompletableFuture<Void> load = produceSlowly("frozen");
        try (RunningPipeline running = copy("frozen")) {
            ConsumerLedger.await(
                    "first commit",
                    Duration.ofSeconds(20),
                    () -> !KAFKA.cluster().committedOffsets("frozen").isEmpty());
            Broker victim = coordinator("frozen");
            victim.freeze(); // 9 s: longer than a request timeout, and than brokers wait for a leader (4 s)
            ConsumerLedger.work(Duration.ofSeconds(9));
            victim.thaw();
            load.get(60, TimeUnit.SECONDS);
            awaitAllCopied("frozen");
            assertThat(running.completion().isDone()).isFalse();
        }
    }

    // Runs last, because it stops the cluster.
    @Test
    @Order(3)
    @Timeout(120)
    void drain_withAllBrokersGone_endsInTimeAndSaysWhatWasNotCommitted() throws Exception {
        KAFKA.cluster().createTopic("gone", 1);
        Records.produce(KAFKA.bootstrapServers(), "gone", 0, 100);
        ConsumerLedger ledger = new ConsumerLedger(100);
        var settings = ConsumerLedger.settings(KAFKA.cluster(), "gone")
                .commitInterval(Duration.ofMinutes(10))
                .build();
        RunningPipeline running = KafkaSource.from(settings, "gone")
                .atLeastOnce()
                .to(Sink.forEach(ledger::handled))
                .run();
        ledger.awaitSeen(100, Duration.ofMinutes(1));
        KAFKA.cluster().brokers().forEach(Broker::kill);
        long start = System.nanoTime();
        DrainReport report = running.drain(Duration.ofSeconds(40));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(35));
        assertThat(report.drained()).isFalse();
        assertThat(report.leftUndone())
                .singleElement()
                .asString()
                .contains("gone-0")
                .contains("not committed");
        assertThat(running.handles(ConsumerHandle.class)).hasSize(1);
    }
}
