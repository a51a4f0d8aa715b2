package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ShareGroupConfig;
import dev.weir.kafka.ShareHandle;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.ShareSettings.Start;
import dev.weir.kafka.SharedRecord;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests one member of a share group: its notifications, its acknowledgements, and the outcome of its records. Uses the
 * client path unless a test says otherwise; {@link LeanShareTest} has the lean path.
 */
@Timeout(60)
class ShareGroupTest {

    private static final Duration SOON = Duration.ofMinutes(1);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static ShareSettings.Builder<byte[], byte[]> group(String group) {
        return ShareSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(group)
                .fetch(FetchPath.CLIENT)
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
    void allRecords_areHandledOnce_byMoreWorkersThanPartitions() throws Exception {
        topic("all", 2, 3_000);
        ConsumerLedger ledger = new ConsumerLedger(3_000);
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (RunningPipeline running = KafkaFlow.shared(group("all").untilEnd().build(), "all")
                .forEach(32, Ordering.unordered(), record -> {
                    most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                    ConsumerLedger.work(Duration.ofMillis(2));
                    atOnce.decrementAndGet();
                    ledger.handled(record);
                })
                .run()) {
            assertThat(running.await().drained()).isTrue();
            assertThat(member(running).accepted()).isEqualTo(3_000);
            assertThat(member(running).failedAcknowledgements()).isZero();
        }
        assertThat(ledger.lost()).isZero();
        assertThat(ledger.duplicates()).isZero();
        assertThat(most).hasValueGreaterThan(2);
    }

    @ParameterizedTest
    @EnumSource
    void member_isReady_onceTheGroupHasGivenItPartitions(FetchPath fetch) throws Exception {
        String name = "ready-" + fetch;
        topic(name, 2, 0);
        try (RunningPipeline running = KafkaFlow.shared(
                        group(name).fetch(fetch).maxLanes(1).build(), name)
                .forEach(2, Ordering.unordered(), record -> {})
                .run()) {
            ShareHandle handle = running.handles(ShareHandle.class).getFirst();
            ConsumerLedger.await("ready", SOON, () -> handle.health().ready());
            assertThat(KAFKA.cluster()
                            .admin()
                            .describeShareGroups(List.of(name))
                            .describedGroups()
                            .get(name)
                            .get()
                            .members())
                    .singleElement()
                    .satisfies(member ->
                            assertThat(member.assignment().topicPartitions()).hasSize(2));
            assertThat(handle.health().live()).isTrue();
            assertThat(running.drain(SOON).drained()).isTrue();
        }
    }

    @Test
    void newGroup_withoutAStart_isRefusedWithTheWayOut() {
        KAFKA.cluster().createTopic("unsaid", 1);
        var settings = ShareSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId("unsaid")
                .build();
        var pipeline = KafkaSource.shared(settings, "unsaid").to(Sink.ignore());
        assertThatThrownBy(pipeline::run)
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("share group unsaid has not begun")
                .hasMessageContaining("startAt(EARLIEST)");
    }

    @Test
    void missingTopic_isRefusedByName() {
        var pipeline =
                KafkaSource.shared(group("missing").build(), "missing-topic").to(Sink.ignore());
        assertThatThrownBy(pipeline::run)
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("no such topic");
    }

    @Test
    void groupConfig_isWrittenAndRead() {
        var settings = group("configured").build();
        ShareGroupConfig.set(
                settings,
                Map.of(
                        "share.record.lock.duration.ms", "7000",
                        "share.delivery.count.limit", "4",
                        "share.partition.max.record.locks", "500",
                        "share.auto.offset.reset", "earliest",
                        "share.renew.acknowledge.enable", "false"));
        ShareGroupConfig config = ShareGroupConfig.read(settings);
        assertThat(config.lockDuration()).isEqualTo(Duration.ofSeconds(7));
        assertThat(config.deliveryLimit()).isEqualTo(4);
        assertThat(config.locksPerPartition()).isEqualTo(500);
        assertThat(config.start()).isEqualTo("earliest");
        assertThat(config.isStartSaid()).isTrue();
        assertThat(config.renewsLocks()).isFalse();
        ShareGroupConfig neverSet = ShareGroupConfig.read(group("never-set").build());
        assertThat(neverSet.isStartSaid()).isFalse();
        assertThat(neverSet.renewsLocks()).isTrue();
    }

    @Test
    void poisonRecord_isDeliveredAgain_andBecomesALetterInItsLastDelivery() throws Exception {
        topic("poison", 2, 500);
        KAFKA.cluster().createTopic("poison-dead", 1);
        KAFKA.cluster().createTopic("poison-parked", 1);
        var settings = group("poison").untilEnd().parking("poison-parked").build();
        ShareGroupConfig.set(settings, Map.of("share.delivery.count.limit", "3"));
        ConsumerLedger good = new ConsumerLedger(500);
        AtomicInteger bad = new AtomicInteger();
        try (RunningPipeline running = KafkaFlow.shared(settings, "poison")
                .forEach(8, Ordering.unordered(), record -> {
                    if (number(record) == 77) {
                        bad.incrementAndGet();
                        throw new IllegalStateException("cannot be mapped");
                    }
                    good.handled(record);
                })
                .deadLetter("poison-dead")
                .run()) {
            assertThat(running.await().drained()).isTrue();
            assertThat(member(running).redelivered()).isGreaterThanOrEqualTo(2);
            assertThat(member(running).parked()).isGreaterThanOrEqualTo(1);
        }
        assertThat(bad).hasValue(3);
        assertThat(good.seen()).isEqualTo(499);
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), "poison-dead"))
                .singleElement()
                .satisfies(deadLetter -> {
                    assertThat(FailureTopics.value(deadLetter.record())).isEqualTo("77");
                    assertThat(deadLetter.header(DeadLetterHeaders.REASON)).isEqualTo("HANDLER");
                });
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), "poison-parked"))
                .allSatisfy(deadLetter ->
                        assertThat(deadLetter.header(DeadLetterHeaders.REASON)).isEqualTo("PARKED"))
                .anySatisfy(deadLetter ->
                        assertThat(FailureTopics.value(deadLetter.record())).isEqualTo("77"));
    }

    @Test
    void rejectedRecord_neverComesAgain() throws Exception {
        topic("reject", 1, 50);
        AtomicInteger calls = new AtomicInteger();
        try (RunningPipeline running = KafkaFlow.shared(
                        group("reject").untilEnd().build(), "reject")
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
    void element_showsItsDelivery_andMayAskForAnother() throws Exception {
        topic("again", 1, 20);
        AtomicInteger first = new AtomicInteger();
        AtomicInteger second = new AtomicInteger();
        try (RunningPipeline running = KafkaSource.shared(
                        group("again").untilEnd().build(), "again")
                .map(record -> {
                    assertThat(record.deliveryCount()).hasValue((short) record.delivery());
                    if (record.delivery() == 1) {
                        first.incrementAndGet();
                        record.releaseWhenDone();
                    } else {
                        second.incrementAndGet();
                    }
                    return record;
                })
                .to(Sink.ignore())
                .run()) {
            assertThat(running.await().drained()).isTrue();
            assertThat(member(running).released()).isEqualTo(20);
        }
        assertThat(first).hasValue(20);
        assertThat(second).hasValue(20);
    }

    @Test
    void lockShorterThanTheHandler_isRenewed() throws Exception {
        topic("renew", 1, 6);
        var settings = group("renew").untilEnd().build();
        ShareGroupConfig.set(settings, Map.of("share.record.lock.duration.ms", "4000"));
        ConsumerLedger ledger = new ConsumerLedger(6);
        try (RunningPipeline running = KafkaFlow.shared(settings, "renew")
                .forEach(6, Ordering.unordered(), record -> {
                    ConsumerLedger.work(Duration.ofSeconds(6));
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
    void slowRecord_holdsUpNobody() throws Exception {
        topic("slow", 2, 1_000);
        ConsumerLedger ledger = new ConsumerLedger(1_000);
        CountDownLatch othersDone = new CountDownLatch(999);
        try (RunningPipeline running = KafkaFlow.shared(group("slow").untilEnd().build(), "slow")
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
    }

    @Test
    void drain_givesBackWhatWasNotBegun_andTheNextRunHandlesIt() throws Exception {
        topic("drain", 2, 300);
        ConsumerLedger ledger = new ConsumerLedger(300);
        CountDownLatch begun = new CountDownLatch(4);
        CountDownLatch goOn = new CountDownLatch(1);
        try (RunningPipeline running = KafkaFlow.shared(group("drain").build(), "drain")
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
                        group("drain").untilEnd().build(), "drain")
                .forEach(16, Ordering.unordered(), ledger::handled)
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(ledger.lost()).isZero();
        assertThat(ledger.duplicates()).isZero();
    }

    @Test
    void failedPipeline_givesItsRecordsBack() throws Exception {
        topic("fail", 1, 100);
        try (RunningPipeline running = KafkaFlow.shared(group("fail").build(), "fail")
                .forEach(4, Ordering.unordered(), record -> {
                    throw new IllegalStateException("for good");
                })
                .run()) {
            assertThatThrownBy(running::await).hasMessage("for good");
        }
        ConsumerLedger ledger = new ConsumerLedger(100);
        try (RunningPipeline running = KafkaFlow.shared(group("fail").untilEnd().build(), "fail")
                .forEach(4, Ordering.unordered(), ledger::handled)
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(ledger.lost()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = "CLIENT")
    @Tag("long")
    void threeMembers_onTheClientPath_replacedUnderLoad_loseNothing(FetchPath path) throws Exception {
        threeMembers_replacedOneAfterTheOtherUnderLoad_loseNothing(path);
    }

    @ParameterizedTest
    @EnumSource(names = "LEAN")
    void threeMembers_replacedOneAfterTheOtherUnderLoad_loseNothing(FetchPath path) throws Exception {
        topic("rolling-" + path, 3, 6_000);
        ConsumerLedger ledger = new ConsumerLedger(6_000);
        RunningPipeline[] members = new RunningPipeline[3];
        for (int i = 0; i < 3; i++) {
            members[i] = rollingMember(ledger, path);
        }
        for (int i = 0; i < 3; i++) {
            ledger.awaitSeen(1_000 * (i + 1), SOON);
            assertThat(members[i].drain(SOON).drained()).isTrue();
            members[i] = rollingMember(ledger, path);
        }
        ledger.awaitSeen(6_000, SOON);
        for (RunningPipeline member : members) {
            assertThat(member.drain(SOON).drained()).isTrue();
        }
        assertThat(ledger.lost()).isZero();
        assertThat(ledger.duplicates()).isZero();
    }

    private static RunningPipeline rollingMember(ConsumerLedger ledger, FetchPath path) {
        String name = "rolling-" + path;
        return KafkaFlow.shared(group(name).maxLanes(4).fetch(path).build(), name)
                .forEach(4, Ordering.unordered(), record -> {
                    ConsumerLedger.work(Duration.ofMillis(5));
                    ledger.handled(record);
                })
                .run();
    }

    @Test
    void recordsOfOneKey_doNotOvertakeEachOther_withinOneMember() throws Exception {
        KAFKA.cluster().createTopic("keyed", 2);
        Records.produce(KAFKA.bootstrapServers(), "keyed", 0, 400, 10);
        AtomicInteger[] atOnce = new AtomicInteger[10];
        for (int i = 0; i < atOnce.length; i++) {
            atOnce[i] = new AtomicInteger();
        }
        AtomicInteger together = new AtomicInteger();
        try (RunningPipeline running = KafkaSource.shared(
                        group("keyed").untilEnd().build(), "keyed")
                .mapBlocking(
                        16,
                        Ordering.<SharedRecord<byte[], byte[]>>byHash(
                                record -> FailureTopics.key(record).hashCode()),
                        record -> {
                            AtomicInteger ofKey = atOnce[number(record) % 10];
                            if (ofKey.incrementAndGet() > 1) {
                                together.incrementAndGet();
                            }
                            ConsumerLedger.work(Duration.ofMillis(1));
                            ofKey.decrementAndGet();
                            return record;
                        })
                .to(Sink.ignore())
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(together).hasValue(0);
    }
}
