package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.ShareGroupConfig;
import dev.weir.kafka.ShareHandle;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.ShareSettings.Start;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests a share group member on the lean path: the requests that it sends, and the outcome of its records. */
@Timeout(120)
class LeanShareTest {

    private static final Duration SOON = Duration.ofMinutes(3);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static ShareSettings.Builder<byte[], byte[]> group(String group) {
        return ShareSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(group)
                .fetch(FetchPath.LEAN)
                .startAt(Start.EARLIEST);
    }

    private static void topic(String name, int partitions, int records) {
        KAFKA.cluster().createTopic(name, partitions);
        Records.produce(KAFKA.bootstrapServers(), name, 0, records);
    }

    private static ShareHandle.Snapshot member(RunningPipeline running) {
        return running.handles(ShareHandle.class).getFirst().snapshot();
    }

    private static int number(ConsumerRecord<byte[], byte[]> record) {
        return Integer.parseInt(FailureTopics.value(record));
    }

    @Test
    void recordsOfAHundredPartitions_areAcceptedOnce_byOneMember() throws Exception {
        topic("lean-all", 100, 20_000);
        ConsumerLedger ledger = new ConsumerLedger(20_000);
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (RunningPipeline running = KafkaFlow.shared(
                        group("lean-all").untilEnd().build(), "lean-all")
                .forEach(32, Ordering.unordered(), record -> {
                    most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                    ConsumerLedger.work(Duration.ofNanos(500_000));
                    atOnce.decrementAndGet();
                    ledger.handled(record);
                })
                .run()) {
            assertThat(running.await().drained()).isTrue();
            assertThat(member(running).accepted()).isEqualTo(20_000);
            assertThat(member(running).redelivered()).isZero();
            assertThat(member(running).failedAcknowledgements()).isZero();
            assertThat(member(running).lockExpired()).isZero();
        }
        assertThat(ledger.lost()).isZero();
        assertThat(ledger.duplicates()).isZero();
        assertThat(most).hasValueGreaterThan(3);
    }

    /** Regression: brokers read the partitions of a session unfairly, so that one of 60 waited for some 360 fetches. */
    @Test
    void partitionsWithABacklog_takeTurns() throws Exception {
        int partitions = 60;
        topic("lean-turns", partitions, 120_000);
        // The number of records in a turn depends on the machine's load, so the test counts turns.
        List<Integer> turns = new ArrayList<>();
        CountDownLatch enough = new CountDownLatch(3 * partitions);
        try (RunningPipeline running = KafkaFlow.shared(group("lean-turns").build(), "lean-turns")
                .forEach(1, Ordering.unordered(), record -> {
                    if (enough.getCount() > 0) {
                        if (turns.isEmpty() || turns.getLast() != record.partition()) {
                            turns.add(record.partition());
                            enough.countDown();
                        }
                        LockSupport.parkNanos(200_000);
                    }
                })
                .run()) {
            assertThat(enough.await(100, TimeUnit.SECONDS)).isTrue();
            assertThat(member(running).redelivered()).isZero();
            assertThat(member(running).failedAcknowledgements()).isZero();
            running.cancel();
        }
        int[] lastTurns = new int[partitions];
        int longest = 0;
        for (int turn = 0; turn < turns.size(); turn++) {
            longest = Math.max(longest, turn - lastTurns[turns.get(turn)]);
            lastTurns[turns.get(turn)] = turn;
        }
        for (int last : lastTurns) {
            longest = Math.max(longest, turns.size() - last);
        }
        assertThat(longest).as("turns from one of a partition to its next").isLessThan(2 * partitions);
    }

    @Test
    void lockShorterThanTheHandler_isRenewed() throws Exception {
        topic("lean-renew", 1, 6);
        var settings = group("lean-renew").untilEnd().build();
        ShareGroupConfig.set(settings, Map.of("share.record.lock.duration.ms", "2000"));
        ConsumerLedger ledger = new ConsumerLedger(6);
        try (RunningPipeline running = KafkaFlow.shared(settings, "lean-renew")
                .forEach(6, Ordering.unordered(), record -> {
                    ConsumerLedger.work(Duration.ofSeconds(4));
                    ledger.handled(record);
                })
                .run()) {
            assertThat(running.await().drained()).isTrue();
            assertThat(member(running).renewed()).isGreaterThanOrEqualTo(6);
            assertThat(member(running).accepted()).isEqualTo(6);
            assertThat(member(running).lockExpired()).isZero();
        }
        assertThat(ledger.lost()).isZero();
        assertThat(ledger.duplicates()).isZero();
    }

    @Test
    void poisonAmongAHundredThousand_isDeliveredAgain_untilItIsALetter() throws Exception {
        topic("lean-poison", 2, 100_000);
        KAFKA.cluster().createTopic("lean-poison-dead", 1);
        var settings = group("lean-poison").untilEnd().build();
        ShareGroupConfig.set(settings, Map.of("share.delivery.count.limit", "3"));
        ConsumerLedger good = new ConsumerLedger(100_000);
        AtomicInteger bad = new AtomicInteger();
        try (RunningPipeline running = KafkaFlow.shared(settings, "lean-poison")
                .forEach(8, Ordering.unordered(), record -> {
                    if (number(record) == 77) {
                        bad.incrementAndGet();
                        throw new IllegalStateException("cannot be mapped");
                    }
                    good.handled(record);
                })
                .deadLetter("lean-poison-dead")
                .run()) {
            assertThat(running.await().drained()).isTrue();
            assertThat(member(running).redelivered()).isGreaterThanOrEqualTo(2);
        }
        assertThat(bad).hasValue(3);
        assertThat(good.seen()).isEqualTo(99_999);
        assertThat(good.duplicates()).isZero();
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), "lean-poison-dead"))
                .anySatisfy(deadLetter ->
                        assertThat(FailureTopics.value(deadLetter.record())).isEqualTo("77"));
    }

    @Test
    void rejectedRecord_neverComesAgain() throws Exception {
        topic("lean-reject", 1, 50);
        AtomicInteger calls = new AtomicInteger();
        try (RunningPipeline running = KafkaFlow.shared(
                        group("lean-reject").untilEnd().build(), "lean-reject")
                .forEach(4, Ordering.unordered(), record -> {
                    calls.incrementAndGet();
                    if (number(record) % 10 == 0) {
                        throw new NumberFormatException("not wanted");
                    }
                })
                .reject(NumberFormatException.class)
                .run()) {
            assertThat(running.await().drained()).isTrue();
            assertThat(member(running).rejected()).isEqualTo(5);
            assertThat(member(running).accepted()).isEqualTo(45);
        }
        assertThat(calls).hasValue(50);
    }

    @Test
    void slowRecord_holdsUpNobody() throws Exception {
        topic("lean-slow", 2, 1_000);
        ConsumerLedger ledger = new ConsumerLedger(1_000);
        CountDownLatch othersDone = new CountDownLatch(999);
        try (RunningPipeline running = KafkaFlow.shared(
                        group("lean-slow").untilEnd().build(), "lean-slow")
                .forEach(16, Ordering.unordered(), record -> {
                    if (number(record) == 3) {
                        othersDone.await();
                    } else {
                        othersDone.countDown();
                    }
                    ledger.handled(record);
                })
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(ledger.lost()).isZero();
        assertThat(ledger.duplicates()).isZero();
    }

    /**
     * A slow record stops its partition: locks cover a limited range of offsets from the first unfinished record on.
     */
    @Test
    void slowRecord_stopsItsPartitionAtTheLocks_andIsNamed() throws Exception {
        KAFKA.cluster().createTopic("lean-window", 1);
        for (int batch = 0; batch < 20; batch++) {
            Records.produce(KAFKA.bootstrapServers(), "lean-window", batch * 20L, 20);
        }
        var settings = group("lean-window").untilEnd().build();
        ShareGroupConfig.set(settings, Map.of("share.partition.max.record.locks", "100"));
        ConsumerLedger ledger = new ConsumerLedger(400);
        CountDownLatch goOn = new CountDownLatch(1);
        try (RunningPipeline running = KafkaFlow.shared(settings, "lean-window")
                .forEach(16, Ordering.unordered(), record -> {
                    if (number(record) == 0) {
                        goOn.await();
                    }
                    ledger.handled(record);
                })
                .run()) {
            ConsumerLedger.await(
                    () -> member(running).limit().toString(),
                    SOON,
                    () -> member(running).limit().kind().equals("share-window"));
            // At least the limit of locks, plus at most one batch of the producer.
            assertThat(ledger.seen()).isBetween(89, 119);
            assertThat(member(running).limit().advice()).startsWith("share.partition.max.record.locks of ");
            goOn.countDown();
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(ledger.lost()).isZero();
        assertThat(ledger.duplicates()).isZero();
    }

    @Test
    void drain_givesBackWhatWasNotBegun_andTheNextRunHandlesIt() throws Exception {
        topic("lean-drain", 2, 300);
        ConsumerLedger ledger = new ConsumerLedger(300);
        CountDownLatch begun = new CountDownLatch(4);
        CountDownLatch goOn = new CountDownLatch(1);
        try (RunningPipeline running = KafkaFlow.shared(group("lean-drain").build(), "lean-drain")
                .forEach(4, Ordering.unordered(), record -> {
                    begun.countDown();
                    goOn.await();
                    ledger.handled(record);
                })
                .run()) {
            begun.await();
            running.stop();
            goOn.countDown();
            assertThat(running.await().drained()).isTrue();
            assertThat(member(running).accepted()).isEqualTo(ledger.seen());
            assertThat(member(running).failedAcknowledgements()).isZero();
        }
        assertThat(ledger.seen()).isLessThan(300);
        try (RunningPipeline running = KafkaFlow.shared(
                        group("lean-drain").untilEnd().build(), "lean-drain")
                .forEach(16, Ordering.unordered(), ledger::handled)
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(ledger.lost()).isZero();
        assertThat(ledger.duplicates()).isZero();
    }

    @Test
    void failedPipeline_givesItsRecordsBack() throws Exception {
        topic("lean-fail", 1, 100);
        try (RunningPipeline running = KafkaFlow.shared(group("lean-fail").build(), "lean-fail")
                .forEach(4, Ordering.unordered(), record -> {
                    throw new IllegalStateException("for good");
                })
                .run()) {
            assertThatThrownBy(running::await).hasMessage("for good");
        }
        ConsumerLedger ledger = new ConsumerLedger(100);
        try (RunningPipeline running = KafkaFlow.shared(
                        group("lean-fail").untilEnd().build(), "lean-fail")
                .forEach(4, Ordering.unordered(), ledger::handled)
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(ledger.lost()).isZero();
    }

    @Test
    void memberBesideOneOfKafkasClient_andDrainedUnderLoad_losesNothing() throws Exception {
        topic("lean-mixed", 3, 6_000);
        ConsumerLedger ledger = new ConsumerLedger(6_000);
        RunningPipeline lean = mixedMember(FetchPath.LEAN, ledger);
        RunningPipeline client = mixedMember(FetchPath.CLIENT, ledger);
        ledger.awaitSeen(1_000, SOON);
        assertThat(lean.drain(SOON).drained()).isTrue();
        lean = mixedMember(FetchPath.LEAN, ledger);
        ledger.awaitSeen(6_000, SOON);
        assertThat(lean.drain(SOON).drained()).isTrue();
        assertThat(client.drain(SOON).drained()).isTrue();
        assertThat(ledger.lost()).isZero();
        assertThat(ledger.duplicates()).isZero();
    }

    private static RunningPipeline mixedMember(FetchPath path, ConsumerLedger ledger) {
        return KafkaFlow.shared(group("lean-mixed").fetch(path).maxLanes(4).build(), "lean-mixed")
                .forEach(4, Ordering.unordered(), record -> {
                    ConsumerLedger.work(Duration.ofMillis(5));
                    ledger.handled(record);
                })
                .run();
    }

    @Test
    void abortedTransactions_andMarkers_areNoRecords_whereTheGroupReadsCommittedOnes() throws Exception {
        KAFKA.cluster().createTopic("lean-gaps", 1);
        ConsumerLedger ledger = new ConsumerLedger(40);
        for (int from = 0; from < 40; from += 10) {
            transaction("lean-gaps", from, 10, true);
            transaction("lean-gaps", -1, 5, false);
        }
        var settings = group("lean-gaps").untilEnd().build();
        ShareGroupConfig.set(settings, Map.of("share.isolation.level", "read_committed"));
        try (RunningPipeline running = KafkaFlow.shared(settings, "lean-gaps")
                .forEach(4, Ordering.unordered(), ledger::handled)
                .run()) {
            assertThat(running.await().drained()).isTrue();
            assertThat(member(running).accepted()).isEqualTo(40);
        }
        assertThat(ledger.lost()).isZero();
        assertThat(ledger.duplicates()).isZero();
    }

    private static void transaction(String topic, int first, int records, boolean commits) {
        Map<String, Object> config =
                Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "transactional.id", topic, "acks", "all");
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            for (int i = 0; i < records; i++) {
                byte[] value = Integer.toString(first + i).getBytes(StandardCharsets.US_ASCII);
                var ignored = producer.send(new ProducerRecord<>(topic, 0, null, value));
            }
            producer.flush();
            if (commits) {
                producer.commitTransaction();
            } else {
                producer.abortTransaction();
            }
        }
    }
}
