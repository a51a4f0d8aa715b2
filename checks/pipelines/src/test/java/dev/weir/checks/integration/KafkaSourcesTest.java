package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Position;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the guarantees of all sources except the committable one. */
class KafkaSourcesTest {

    private static final Duration SOON = Duration.ofMinutes(1);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("group.initial.rebalance.delay.ms", "0")
            .brokerConfig("group.consumer.min.heartbeat.interval.ms", "300")
            .brokerConfig("group.consumer.heartbeat.interval.ms", "300"));

    private static ConsumerSettings.Builder<byte[], byte[]> settings(String group, String protocol) {
        return ConsumerLedger.settings(KAFKA.cluster(), group).property("group.protocol", protocol);
    }

    private static ConsumerSettings.Builder<byte[], byte[]> groupless() {
        return ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .fetch(OnLeanPath.current())
                .fetchThreads(OnLeanPath.threads());
    }

    private static void fill(String topic, int partitions, int records) {
        KAFKA.cluster().createTopic(topic, partitions);
        Records.produce(KAFKA.bootstrapServers(), topic, 0, records);
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void plain_inAGroup_readsAllAndCommitsNothing(String protocol) {
        String topic = "plain-" + protocol;
        fill(topic, 3, 20_000);
        ConsumerLedger ledger = new ConsumerLedger(20_000);
        try (RunningPipeline running = KafkaSource.from(
                        settings(topic, protocol).bufferBytes(1024 * 1024).build(), topic)
                .plain()
                .to(Sink.forEach(ledger::handled))
                .run()) {
            ledger.awaitSeen(20_000, SOON);
            assertThat(running.drain(SOON).leftUndone()).isEmpty();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(ledger.duplicates()).isZero();
        assertThat(KAFKA.cluster().committedOffsets(topic)).isEmpty();
    }

    @Test
    void plain_withoutGroup_readsAllPartitionsAndThoseAddedLater() throws Exception {
        fill("open", 2, 1_000);
        ConsumerLedger ledger = new ConsumerLedger(2_000);
        var settings = groupless().property("metadata.max.age.ms", "500").build();
        try (RunningPipeline running = KafkaSource.from(settings, "open")
                .plain()
                .to(Sink.forEach(ledger::handled))
                .run()) {
            ledger.awaitSeen(1_000, SOON);
            KAFKA.cluster()
                    .admin()
                    .createPartitions(Map.of("open", NewPartitions.increaseTo(4)))
                    .all()
                    .get();
            Records.produce(KAFKA.bootstrapServers(), "open", 1_000, 1_000);
            ledger.awaitSeen(2_000, SOON);
            assertThat(running.completion()).isNotDone();
        }
        assertThat(ledger.duplicates()).isZero();
    }

    @Test
    void plain_boundedWithoutGroup_endsAndStartsAgainEachTime() throws Exception {
        fill("anew", 3, 5_000);
        for (int i = 0; i < 2; i++) {
            ConsumerLedger ledger = new ConsumerLedger(5_000);
            try (RunningPipeline running = KafkaSource.from(
                            groupless().build(), Subscription.topics("anew").untilEnd())
                    .plain()
                    .to(Sink.forEach(ledger::handled))
                    .run()) {
                assertThat(running.await().drained()).isTrue();
            }
            assertThat(ledger.lost()).isZero();
            assertThat(ledger.duplicates()).isZero();
        }
    }

    @Test
    void plain_slowReader_isBoundedByItsBuffer() {
        fill("wide", 1, 200_000);
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger seen = new AtomicInteger();
        var settings = groupless()
                .bufferBytes(1024 * 1024)
                .property("max.poll.records", "500")
                .build();
        try (RunningPipeline running = KafkaSource.from(settings, "wide")
                .plain()
                .mapBlocking(1, RecordOrdering.byPartition(), record -> {
                    seen.incrementAndGet();
                    never.await();
                    return record;
                })
                .to(Sink.ignore())
                .run()) {
            ConsumerLedger.await(
                    "paused",
                    SOON,
                    () -> running.handles(ConsumerHandle.class)
                                    .get(0)
                                    .snapshot()
                                    .pausedPartitions()
                            == 1);
            int buffered =
                    running.handles(ConsumerHandle.class).get(0).snapshot().bufferedRecords();
            assertThat(buffered).isBetween(1_000, 20_000);
            never.countDown();
            ConsumerLedger.await("all", SOON, () -> seen.get() == 200_000);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void atMostOnce_eachRecord_isCommittedBeforeItIsSeen(String protocol) throws Exception {
        String topic = "ahead-" + protocol;
        fill(topic, 1, 3_000);
        AtomicInteger late = new AtomicInteger();
        ConsumerLedger ledger = new ConsumerLedger(3_000);
        try (RunningPipeline running = KafkaSource.from(
                        settings(topic, protocol).build(),
                        Subscription.topics(topic).untilEnd())
                .atMostOnce(100)
                .to(Sink.forEach(record -> {
                    if (record.offset() % 50 == 0) {
                        long committed =
                                KAFKA.cluster().committedOffsets(topic).getOrDefault(new TopicPartition(topic, 0), 0L);
                        if (committed <= record.offset() || committed > record.offset() + 200) {
                            late.incrementAndGet();
                        }
                    }
                    ledger.handled(record);
                }))
                .run()) {
            assertThat(running.await().leftUndone()).isEmpty();
        }
        assertThat(late).hasValue(0);
        assertThat(ledger.lost()).isZero();
        assertThat(ledger.duplicates()).isZero();
    }

    @Test
    void atMostOnce_pipelineThatFails_losesNoMoreThanItSaysAndRepeatsNothing() throws Exception {
        fill("crash", 2, 10_000);
        ConsumerLedger ledger = new ConsumerLedger(10_000);
        var settings = settings("crash", "classic").build();
        Subscription bounded = Subscription.topics("crash").untilEnd();
        for (int i = 0; i < 5; i++) {
            int stopAt = 1_000 * (i + 1);
            try (RunningPipeline running = KafkaSource.from(settings, bounded)
                    .atMostOnce(100)
                    .to(Sink.forEach(record -> {
                        ledger.handled(record);
                        if (ledger.seen() >= stopAt) {
                            throw new IllegalStateException("crash");
                        }
                    }))
                    .run()) {
                assertThatThrownBy(running::await).hasMessage("crash");
            }
        }
        try (RunningPipeline running = KafkaSource.from(settings, bounded)
                .atMostOnce(100)
                .to(Sink.forEach(ledger::handled))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(ledger.duplicates()).isZero();
        // Each of the five restarts may lose the pulled batch and the records committed before they were read.
        assertThat(ledger.lost()).isBetween(0, 5 * 200);
    }

    @ParameterizedTest
    @ValueSource(strings = "consumer")
    void atMostOnce_membersThatComeAndGo_repeatNothingAndDrainAll(String protocol) throws Exception {
        String topic = "roll-" + protocol;
        fill(topic, 4, 30_000);
        ConsumerLedger ledger = new ConsumerLedger(30_000);
        var settings = settings(topic, protocol).build();
        Pipeline pipeline = KafkaSource.from(settings, topic)
                .atMostOnce(200)
                .mapBlocking(4, RecordOrdering.byPartition(), record -> {
                    ConsumerLedger.work(Duration.ofNanos(100_000));
                    ledger.handled(record);
                    return record;
                })
                .to(Sink.ignore());
        try (RunningPipeline first = pipeline.run()) {
            ledger.awaitSeen(3_000, SOON);
            try (RunningPipeline second = pipeline.run()) {
                ledger.awaitSeen(8_000, SOON);
                assertThat(second.drain(SOON).leftUndone()).isEmpty();
            }
            ledger.awaitSeen(30_000, SOON);
            assertThat(first.completion()).isNotDone();
        }
        assertThat(ledger.duplicates()).isZero();
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = "classic")
    void atMostOnce_onTheClassicProtocol_repeatsNothingAndDrainsAll(String protocol) throws Exception {
        atMostOnce_membersThatComeAndGo_repeatNothingAndDrainAll(protocol);
    }

    @ParameterizedTest
    @ValueSource(strings = "classic")
    void partitioned_onePartitionStuck_othersGoOnAndStreamsEndWhenRevoked(String protocol) throws Exception {
        String topic = "sub-" + protocol;
        fill(topic, 4, 40_000);
        ConsumerLedger ledger = new ConsumerLedger(40_000);
        CountDownLatch stuck = new CountDownLatch(1);
        Map<TopicPartition, Integer> begun = new ConcurrentHashMap<>();
        var settings = settings(topic, protocol).maxOutstandingRecords(500).build();
        Pipeline pipeline = KafkaSource.from(settings, topic)
                .partitioned()
                .flatMapMerge(Integer.MAX_VALUE, partition -> {
                    begun.merge(partition.partition(), 1, Integer::sum);
                    return partition.records().mapBlocking(1, RecordOrdering.byPartition(), record -> {
                        if (record.partition() == 0) {
                            stuck.await();
                        }
                        ledger.handled(record);
                        return record;
                    });
                })
                .to(Sink.ignore());
        long others = KAFKA.cluster().endOffsets(topic).entrySet().stream()
                .filter(end -> end.getKey().partition() != 0)
                .mapToLong(Map.Entry::getValue)
                .sum();
        try (RunningPipeline first = pipeline.run()) {
            ConsumerHandle consumer = first.handles(ConsumerHandle.class).get(0);
            ConsumerLedger.await(
                    () -> ledger.seen() + " of " + others + ", begun " + begun + ": " + consumer.dump(),
                    SOON,
                    () -> first.completion().isDone() || ledger.seen() >= others);
            assertThat(first.completion()).isNotDone();
            assertThat(begun).hasSize(4);
            stuck.countDown();
            try (RunningPipeline second = pipeline.run()) {
                ConsumerLedger.await(
                        "streams in the second member",
                        SOON,
                        () -> begun.values().stream()
                                        .mapToInt(Integer::intValue)
                                        .sum()
                                >= 6);
                ledger.awaitSeen(40_000, SOON);
                assertThat(second.drain(SOON).leftUndone()).isEmpty();
            }
            ConsumerLedger.await(
                    "all committed",
                    SOON,
                    () -> KAFKA.cluster()
                            .committedOffsets(topic)
                            .equals(KAFKA.cluster().endOffsets(topic)));
            assertThat(first.drain(SOON).leftUndone()).isEmpty();
        }
        assertThat(ledger.duplicates()).isZero();
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = "consumer")
    void partitioned_onTheConsumerProtocol_othersGoOnAndStreamsEndWhenRevoked(String protocol) throws Exception {
        partitioned_onePartitionStuck_othersGoOnAndStreamsEndWhenRevoked(protocol);
    }

    /** Stores positions in a map. */
    private static final class Store implements ExternalOffsets {
        final Map<TopicPartition, Long> next = new ConcurrentHashMap<>();
        final Queue<Set<TopicPartition>> revoked = new ConcurrentLinkedQueue<>();
        final AtomicInteger failures = new AtomicInteger();
        final CompletableFuture<Void> gate = new CompletableFuture<>();

        @Override
        public CompletionStage<Map<TopicPartition, Position>> load(Set<TopicPartition> partitions) {
            if (failures.getAndDecrement() > 0) {
                throw new IllegalStateException("the store is away");
            }
            return gate.thenApply(open -> {
                Map<TopicPartition, Position> positions = new HashMap<>();
                partitions.forEach(id -> positions.put(id, Position.offset(next.getOrDefault(id, 0L))));
                return positions;
            });
        }

        @Override
        public void revoked(Set<TopicPartition> partitions) {
            revoked.add(partitions);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void external_positions_areLoadedBeforeAnythingIsReadAndToldOfTheRevocation(String protocol) {
        String topic = "ext-" + protocol;
        fill(topic, 2, 10_000);
        ConsumerLedger ledger = new ConsumerLedger(10_000);
        Store store = new Store();
        store.failures.set(2);
        Pipeline pipeline = KafkaSource.from(settings(topic, protocol).build(), Subscription.topics(topic))
                .plain(store)
                .to(Sink.forEach(record -> {
                    ledger.handled(record);
                    store.next.put(new TopicPartition(record.topic(), record.partition()), record.offset() + 1);
                }));
        try (RunningPipeline running = pipeline.run()) {
            ConsumerLedger.await("asked a third time", SOON, () -> store.failures.get() == -1);
            assertThat(ledger.seen()).isZero();
            store.gate.complete(null);
            ledger.awaitSeen(10_000, SOON);
            assertThat(running.completion()).isNotDone();
        }
        assertThat(store.revoked).isNotEmpty();
        Records.produce(KAFKA.bootstrapServers(), topic, 0, 100);
        try (RunningPipeline running = pipeline.run()) {
            ConsumerLedger.await("the new ones alone", SOON, () -> ledger.duplicates() == 100);
            assertThat(running.completion()).isNotDone();
        }
    }

    @Test
    void external_storeThatStaysAway_failsTheRun() {
        fill("away", 1, 10);
        Store store = new Store();
        store.failures.set(100);
        try (RunningPipeline running = KafkaSource.from(
                        settings("away", "classic").build(), Subscription.topics("away"))
                .plain(store)
                .to(Sink.ignore())
                .run()) {
            assertThatThrownBy(running::await)
                    .isInstanceOf(KafkaPipelineException.class)
                    .hasMessageContaining("away-0")
                    .hasMessageContaining("the store is away");
        }
    }

    @Test
    void priority_ofATopic_letsItsBacklogGoFirstAndTheOtherAdvance() {
        fill("urgent", 2, 3_000);
        KAFKA.cluster().createTopic("bulk", 2);
        Records.produce(KAFKA.bootstrapServers(), "bulk", 3_000, 6_000);
        ConsumerLedger ledger = new ConsumerLedger(9_000);
        Queue<String> order = new ConcurrentLinkedQueue<>();
        CountDownLatch fetched = new CountDownLatch(1);
        int pulledBefore;
        var settings = settings("priority", "classic").bufferBytes(16 * 1024 * 1024);
        var subscription = Subscription.topics("urgent", "bulk").priority("urgent", 10);
        try (RunningPipeline running = KafkaSource.from(settings.build(), subscription)
                .atLeastOnce()
                // One worker, to observe elements in the order in which they are pulled.
                .mapBlocking(1, Ordering.unordered(), record -> {
                    fetched.await();
                    order.add(record.topic());
                    ledger.handled(record);
                    return record;
                })
                .to(Sink.ignore())
                .run()) {
            ConsumerHandle consumer = running.handles(ConsumerHandle.class).get(0);
            ConsumerLedger.await(
                    "all fetched",
                    SOON,
                    () -> consumer.dump().partitions().stream()
                                    .mapToInt(each -> each.buffered() + each.inFlight())
                                    .sum()
                            == 9_000);
            pulledBefore = consumer.dump().partitions().stream()
                    .filter(each -> each.topic().equals("bulk"))
                    .mapToInt(each -> each.inFlight())
                    .sum();
            fetched.countDown();
            ledger.awaitSeen(9_000, SOON);
            assertThat(running.drain(SOON).leftUndone()).isEmpty();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(ledger.duplicates()).isZero();
        List<String> topics = List.copyOf(order);
        List<String> untilLastUrgent = topics.subList(0, topics.lastIndexOf("urgent"));
        // Bulk records may be pulled before the urgent ones arrive. If the topics took turns, there would be 3,000
        // more.
        assertThat(untilLastUrgent.stream().filter("bulk"::equals)).hasSizeLessThan(pulledBefore + 800);
        int halfUrgent = untilLastUrgent.size() - 1_500;
        assertThat(untilLastUrgent.subList(halfUrgent, untilLastUrgent.size())).contains("bulk");
    }
}
