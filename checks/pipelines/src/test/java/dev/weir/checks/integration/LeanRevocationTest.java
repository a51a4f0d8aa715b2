package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSource;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that a revocation on the lean path stops only the revoked partitions while it waits for handlers (ADR 65). */
class LeanRevocationTest {

    private static final int AT_START = 20;
    private static final int LATER = 400;
    private static final Duration SOON = Duration.ofSeconds(40);

    /** The minimum duration of a handler of the revoked partition. */
    private static final Duration HELD = Duration.ofSeconds(2);

    /** Longer than the owner thread's interval between polls of the client. */
    private static final Duration AWAY = Duration.ofMillis(1_500);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(GroupLoad.quickGroups().brokerConfig("group.initial.rebalance.delay.ms", "0"));

    private final ConsumerLedger ledger = new ConsumerLedger(AT_START + LATER);
    private final AtomicIntegerArray handled = new AtomicIntegerArray(2);
    private final Set<Integer> held = ConcurrentHashMap.newKeySet();
    private final CountDownLatch release = new CountDownLatch(1);

    /** Holds the first record of both partitions, because the group chooses which one it revokes. */
    private ConsumerRecord<byte[], byte[]> hold(ConsumerRecord<byte[], byte[]> record) throws InterruptedException {
        if (record.offset() == 0) {
            held.add(record.partition());
            release.await();
        }
        handled.incrementAndGet(record.partition());
        ledger.handled(record);
        return record;
    }

    private boolean isAllHandled(String topic, int partition) {
        Long end = KAFKA.cluster().endOffsets(topic).get(new TopicPartition(topic, partition));
        return end != null && handled.get(partition) == end - 1;
    }

    private static Duration sinceLastPoll(ConsumerHandle consumer) {
        return consumer.dump().sinceLastPoll();
    }

    @ParameterizedTest
    @EnumSource(
            value = GroupLoad.Protocol.class,
            names = {"COOPERATIVE", "CONSUMER"})
    void revocation_thatWaitsForAHandler_otherPartitionGoesOnReceivingNewRecords(GroupLoad.Protocol protocol)
            throws Exception {
        String topic = "stays-" + protocol;
        KAFKA.cluster().createTopic(topic, 2);
        Records.produce(KAFKA.bootstrapServers(), topic, 0, AT_START);
        ConsumerSettings<byte[], byte[]> settings = GroupLoad.settings(KAFKA.cluster(), protocol, topic).toBuilder()
                .fetch(FetchPath.LEAN)
                .revokeDeadline(Duration.ofMinutes(1))
                .build();
        try (RunningPipeline first = KafkaSource.from(settings, topic)
                .atLeastOnce()
                .mapBlocking(8, Ordering.unordered(), this::hold)
                .to(Sink.ignore())
                .run()) {
            ConsumerHandle consumer = first.handles(ConsumerHandle.class).getFirst();
            ledger.awaitSeen(AT_START - 2, SOON);
            ConsumerLedger.await("a record of each partition at work", SOON, () -> held.size() == 2);
            try (RunningPipeline second = KafkaSource.from(settings, topic)
                    .atLeastOnce()
                    .to(Sink.forEach(ledger::handled))
                    .run()) {
                ConsumerLedger.await(
                        "a revocation that waits",
                        SOON,
                        () -> sinceLastPoll(consumer).compareTo(AWAY) > 0);
                long begin = System.nanoTime();
                int[] before = {handled.get(0), handled.get(1)};
                Records.produce(KAFKA.bootstrapServers(), topic, AT_START, LATER);
                ConsumerLedger.await(
                        "new records of the partition that stays",
                        SOON,
                        () -> isAllHandled(topic, 0) || isAllHandled(topic, 1));
                ConsumerLedger.await("held for long enough", SOON, () -> System.nanoTime() - begin > HELD.toNanos());
                assertThat(sinceLastPoll(consumer))
                        .as("still within the same revocation")
                        .isGreaterThan(HELD);
                int revoked = isAllHandled(topic, 0) ? 1 : 0;
                assertThat(handled.get(revoked))
                        .as("nothing of the revoked partition is emitted")
                        .isEqualTo(before[revoked]);
                release.countDown();
                ledger.awaitSeen(AT_START + LATER, SOON);
                assertThat(second.completion()).isNotDone();
            }
        } finally {
            release.countDown();
        }
        assertThat(ledger.duplicates()).isZero();
    }
}
