package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.RecordOrdering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.FaultProxy;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a member that loses the network for longer than its session timeout while it is processing records. */
class ConsumerNetworkCutTest {

    private static final int RECORDS = 400;
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("group.min.session.timeout.ms", "1000")
            .brokerConfig("group.consumer.min.session.timeout.ms", "1000")
            .brokerConfig("group.consumer.session.timeout.ms", "2000")
            .brokerConfig("group.consumer.min.heartbeat.interval.ms", "300")
            .brokerConfig("group.consumer.heartbeat.interval.ms", "300"));

    private final ConsumerLedger ledger = new ConsumerLedger(RECORDS);
    private final CountDownLatch cutMemberMayGoOn = new CountDownLatch(1);
    private final CountDownLatch otherMayGoOn = new CountDownLatch(1);
    private final AtomicInteger begunByCutMember = new AtomicInteger();
    private final Set<Integer> partitionsOfOther = ConcurrentHashMap.newKeySet();

    private static ConsumerSettings<byte[], byte[]> settings(String protocol, String group, String bootstrapServers) {
        var settings = ConsumerSettings.builder()
                .bootstrapServers(bootstrapServers)
                .groupId(group)
                .fetch(OnLeanPath.current())
                .commitInterval(Duration.ofMillis(100))
                .revokeDeadline(Duration.ofSeconds(1))
                .property("request.timeout.ms", "1500")
                .property("default.api.timeout.ms", "3000");
        return protocol.equals("consumer")
                ? settings.property("group.protocol", "consumer").build()
                : settings.property("heartbeat.interval.ms", "300")
                        .property("session.timeout.ms", "2000")
                        .build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    @Timeout(150)
    void networkCut_longerThanTheSession_fencedMemberCommitsNothingAndComesBack(String protocol) throws Exception {
        String topic = "cut-" + protocol;
        KAFKA.cluster().createTopic(topic, 2);
        Records.produce(KAFKA.bootstrapServers(), topic, 0, RECORDS, 1_000);
        try (FaultProxy network = FaultProxy.to(KAFKA.bootstrapServers());
                RunningPipeline cut =
                        member(settings(protocol, topic, network.bootstrapServers()), topic, this::workOfCutMember)) {
            ConsumerLedger.await("begun in both", PATIENCE, () -> begunByCutMember.get() >= 2);
            network.halfOpen();
            try (RunningPipeline other =
                    member(settings(protocol, topic, KAFKA.bootstrapServers()), topic, this::workOfOther)) {
                ConsumerLedger.await("taken over", PATIENCE, () -> partitionsOfOther.size() == 2);
                // The expelled member finishes all of its records.
                cutMemberMayGoOn.countDown();
                ledger.awaitSeen(RECORDS, PATIENCE);
                network.restore();
                ConsumerLedger.await("fenced", PATIENCE, () -> rebalances(cut) > 0);
                ConsumerLedger.await("back", PATIENCE, () -> partitions(cut) == 1 && partitions(other) == 1);
                int ofOther = consumer(other).snapshot().partitions().get(0).partition();
                TopicPartition mine = new TopicPartition(topic, 1 - ofOther);
                ConsumerLedger.await(
                        "commits what it has again",
                        PATIENCE,
                        () -> KAFKA.cluster()
                                .endOffsets(topic)
                                .get(mine)
                                .equals(KAFKA.cluster().committedOffsets(topic).get(mine)));
                assertThat(KAFKA.cluster().committedOffsets(topic).getOrDefault(new TopicPartition(topic, ofOther), 0L))
                        .as("only the fenced member has finished anything there")
                        .isZero();
                otherMayGoOn.countDown();
                ConsumerLedger.await(
                        "all committed",
                        PATIENCE,
                        () -> KAFKA.cluster()
                                .committedOffsets(topic)
                                .equals(KAFKA.cluster().endOffsets(topic)));
                assertThat(cut.completion()).isNotDone();
                assertThat(other.completion()).isNotDone();
            }
        }
        assertThat(ledger.lost()).isZero();
    }

    private static RunningPipeline member(ConsumerSettings<byte[], byte[]> settings, String topic, Work work) {
        return KafkaSource.from(settings, topic)
                .atLeastOnce()
                .mapBlocking(8, RecordOrdering.byPartition(), record -> {
                    work.on(record);
                    return record;
                })
                .to(Sink.ignore())
                .run();
    }

    /** The handler of a member's records. */
    private interface Work {
        void on(ConsumerRecord<byte[], byte[]> record) throws InterruptedException;
    }

    private void workOfCutMember(ConsumerRecord<byte[], byte[]> record) throws InterruptedException {
        begunByCutMember.incrementAndGet();
        cutMemberMayGoOn.await();
        ledger.handled(record);
    }

    private void workOfOther(ConsumerRecord<byte[], byte[]> record) throws InterruptedException {
        partitionsOfOther.add(record.partition());
        otherMayGoOn.await();
        ledger.handled(record);
    }

    private static ConsumerHandle consumer(RunningPipeline running) {
        return running.handles(ConsumerHandle.class).get(0);
    }

    private static int rebalances(RunningPipeline running) {
        return consumer(running).snapshot().rebalances();
    }

    private static int partitions(RunningPipeline running) {
        return consumer(running).snapshot().partitions().size();
    }
}
