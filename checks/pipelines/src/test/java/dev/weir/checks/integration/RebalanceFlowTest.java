package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.RecordOrdering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a member that joins while another one is working. Moving partitions must be released immediately, and the
 * others must continue.
 */
class RebalanceFlowTest {

    private static final int RECORDS = 4_000;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("group.consumer.min.heartbeat.interval.ms", "300")
            .brokerConfig("group.consumer.heartbeat.interval.ms", "300"));

    private final ConsumerLedger ledger = new ConsumerLedger(RECORDS);

    /** Indexed by partition. The first member's handlers wait for them. */
    private final List<CountDownLatch> gates = List.of(new CountDownLatch(1), new CountDownLatch(1));

    private final AtomicIntegerArray begunByFirst = new AtomicIntegerArray(2);
    private final Set<Integer> partitionsOfSecond = ConcurrentHashMap.newKeySet();

    private static ConsumerSettings<byte[], byte[]> settings(String protocol, String group) {
        var settings = ConsumerLedger.settings(KAFKA.cluster(), group)
                // Less than the stage can hold, so a stuck partition does not block the other one.
                .maxOutstandingRecords(100)
                .property("max.poll.records", "100");
        return protocol.equals("consumer")
                ? settings.property("group.protocol", "consumer").build()
                : settings.property("heartbeat.interval.ms", "300").build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void memberJoins_workNotBegunMoves_whatStaysFlowsOn(String protocol) throws Exception {
        String topic = "flow-" + protocol;
        KAFKA.cluster().createTopic(topic, 2);
        Records.produce(KAFKA.bootstrapServers(), topic, 0, RECORDS, 1_000);
        var settings = settings(protocol, topic);
        try (RunningPipeline first = KafkaSource.from(settings, topic)
                .atLeastOnce()
                .mapBlocking(8, RecordOrdering.byPartition(), this::workOfFirst)
                .to(Sink.ignore())
                .named("first")
                .run()) {
            ConsumerLedger.await("begun", PATIENCE, () -> begunByFirst.get(0) == 1 && begunByFirst.get(1) == 1);
            try (RunningPipeline second = KafkaSource.from(settings, topic)
                    .atLeastOnce()
                    .to(Sink.forEach(this::workOfSecond))
                    .run()) {
                ConsumerLedger.await("revoking", PATIENCE, RebalanceFlowTest::isRevoking);
                gates.get(0).countDown();
                ConsumerLedger.await(
                        "flows on, or has moved",
                        PATIENCE,
                        () -> begunByFirst.get(0) >= 50 || partitionsOfSecond.contains(0));
                int moved = partitionsOfSecond.contains(0) ? 0 : 1;
                assertThat(partitionsOfSecond.contains(1))
                        .as("still waited for")
                        .isFalse();
                gates.get(1).countDown();
                ledger.awaitSeen(RECORDS, PATIENCE);
                assertThat(partitionsOfSecond).containsExactly(moved);
                assertThat(begunByFirst.get(moved))
                        .as("begun by the one that lost it")
                        .isEqualTo(1);
                assertThat(first.completion()).isNotDone();
                assertThat(second.completion()).isNotDone();
            }
        }
        assertThat(ledger.duplicates()).isZero();
    }

    private ConsumerRecord<byte[], byte[]> workOfFirst(ConsumerRecord<byte[], byte[]> record)
            throws InterruptedException {
        begunByFirst.incrementAndGet(record.partition());
        gates.get(record.partition()).await();
        ledger.handled(record);
        return record;
    }

    private void workOfSecond(ConsumerRecord<byte[], byte[]> record) {
        partitionsOfSecond.add(record.partition());
        ledger.handled(record);
    }

    private static boolean isRevoking() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> thread.getKey().getName().equals("weir-first-consumer"))
                .flatMap(thread -> Stream.of(thread.getValue()))
                .anyMatch(frame -> frame.getMethodName().equals("awaitFinished"));
    }
}
