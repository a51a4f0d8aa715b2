package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.PartitionSource;
import dev.weir.kafka.Position;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests records with a header that contains their due time, on a real broker. */
@Timeout(240)
class DueAtTest {

    private static final Duration SOON = Duration.ofMinutes(1);
    private static final long HOUR_MILLIS = 3_600_000;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("group.consumer.min.heartbeat.interval.ms", "300")
            .brokerConfig("group.consumer.heartbeat.interval.ms", "300"));

    private record Handled(long atMillis, int partition, int number) {}

    private final Queue<Handled> handled = new ConcurrentLinkedQueue<>();

    private static ConsumerSettings.Builder<byte[], byte[]> settings(String group) {
        return ConsumerLedger.settings(KAFKA.cluster(), group);
    }

    private static Instant due(ConsumerRecord<byte[], byte[]> record) {
        Header due = record.headers().lastHeader("due");
        return due == null ? null : Instant.ofEpochMilli(Long.parseLong(new String(due.value(), UTF_8)));
    }

    private static int number(ConsumerRecord<byte[], byte[]> record) {
        return Integer.parseInt(new String(record.value(), UTF_8));
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, int partition, int number, long dueMillis) {
        var record = new ProducerRecord<>(
                topic,
                partition,
                new byte[] {(byte) partition},
                Integer.toString(number).getBytes(UTF_8));
        if (dueMillis != 0) {
            record.headers().add("due", Long.toString(dueMillis).getBytes(UTF_8));
        }
        return record;
    }

    private Pipeline reader(ConsumerSettings<byte[], byte[]> settings, Subscription subscription) {
        return KafkaSource.from(settings, subscription)
                .atLeastOnce()
                .to(Sink.forEach(record ->
                        handled.add(new Handled(System.currentTimeMillis(), record.partition(), number(record)))));
    }

    private List<Integer> numbers(int partition) {
        return handled.stream()
                .filter(each -> each.partition() == partition)
                .map(Handled::number)
                .toList();
    }

    private static Set<ConsumerDump.Paused> paused(RunningPipeline running, int partition) {
        return running.handles(ConsumerHandle.class).getFirst().dump().partitions().stream()
                .filter(each -> each.partition() == partition)
                .findFirst()
                .map(ConsumerDump.PartitionDump::paused)
                .orElse(Set.of());
    }

    /**
     * One partition waits for two records, the other for none. A record that is due early stays behind its predecessor.
     */
    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void records_areDeliveredWhenDue_inTheOrderOfTheirPartition(String protocol) throws Exception {
        String topic = "when-" + protocol;
        KAFKA.cluster().createTopic(topic, 2);
        long due = System.currentTimeMillis() + 2_000;
        FailureTopics.produce(
                KAFKA.cluster(),
                record(topic, 0, 0, due),
                record(topic, 0, 1, due + 500),
                record(topic, 0, 2, 0),
                record(topic, 1, 3, 0),
                record(topic, 1, 4, due - HOUR_MILLIS));
        try (RunningPipeline running = reader(
                        settings(topic).property("group.protocol", protocol).build(),
                        Subscription.topics(topic).dueAt(DueAtTest::due).untilEnd())
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(numbers(0)).containsExactly(0, 1, 2);
        assertThat(numbers(1)).containsExactly(3, 4);
        for (Handled each : handled) {
            if (each.partition() == 0) {
                assertThat(each.atMillis()).isGreaterThanOrEqualTo(each.number() == 0 ? due : due + 500);
            }
        }
        assertThat(KAFKA.cluster().committedOffsets(topic))
                .isEqualTo(KAFKA.cluster().endOffsets(topic));
    }

    /** 700 records wait, more than the window. A drain does not wait for them, and the next run handles them. */
    @Test
    void whatWaits_isNoStall_isLeftByADrain_andComesAgain() throws Exception {
        KAFKA.cluster().createTopic("later", 2);
        long due = System.currentTimeMillis() + HOUR_MILLIS;
        @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
        ProducerRecord<byte[], byte[]>[] records = new ProducerRecord[1_400];
        for (int i = 0; i < records.length; i++) {
            records[i] = record("later", i / 700, i, i == 0 || i >= 700 ? 0 : due);
        }
        FailureTopics.produce(KAFKA.cluster(), records);
        ConsumerSettings<byte[], byte[]> settings =
                settings("later").maxOutstandingRecords(300).build();
        Subscription later = Subscription.topics("later").dueAt(DueAtTest::due);

        RunningPipeline running = reader(settings, later).run();
        ConsumerLedger.await("all that is due", SOON, () -> handled.size() == 701);
        ConsumerLedger.await(
                "the words for the wait",
                SOON,
                () -> paused(running, 0).containsAll(Set.of(ConsumerDump.Paused.NOT_DUE, ConsumerDump.Paused.WINDOW)));
        ConsumerLedger.await(
                "commits", SOON, () -> KAFKA.cluster().committedOffsets("later").containsValue(700L));
        ConsumerHealth health = running.handles(ConsumerHandle.class).getFirst().health(Duration.ofMillis(1));
        assertThat(health.progressing()).as(health.reason()).isTrue();
        assertThat(running.drain(Duration.ofSeconds(60)).drained()).isTrue();
        assertThat(KAFKA.cluster().committedOffsets("later"))
                .containsEntry(new TopicPartition("later", 0), 1L)
                .containsEntry(new TopicPartition("later", 1), 700L);

        try (RunningPipeline next =
                reader(settings, Subscription.topics("later").untilEnd()).run()) {
            assertThat(next.await().drained()).isTrue();
        }
        assertThat(numbers(0)).isEqualTo(IntStream.range(0, 700).boxed().toList());
        assertThat(handled).hasSize(1_400);
    }

    @Test
    void functionThatBlocks_holdsUpDeliveryAlone() throws Exception {
        KAFKA.cluster().createTopic("asking", 1);
        FailureTopics.produce(KAFKA.cluster(), record("asking", 0, 0, 0));
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        Subscription blocking = Subscription.topics("asking").dueAt(record -> {
            asked.countDown();
            try {
                answer.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return null;
        });
        RunningPipeline running = reader(settings("asking").build(), blocking).run();
        try {
            assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
            ConsumerHandle handle = running.handles(ConsumerHandle.class).getFirst();
            handle.pause().toCompletableFuture().get(60, TimeUnit.SECONDS);
            handle.resume().toCompletableFuture().get(60, TimeUnit.SECONDS);
            assertThat(handled).isEmpty();
        } finally {
            answer.countDown();
        }
        ConsumerLedger.await("the record", SOON, () -> handled.size() == 1);
        assertThat(running.drain(Duration.ofSeconds(60)).drained()).isTrue();
    }

    @Test
    void streamPerPartition_leavesWhatWaitsToTheNextRun() throws Exception {
        KAFKA.cluster().createTopic("each", 2);
        FailureTopics.produce(
                KAFKA.cluster(),
                record("each", 0, 0, 0),
                record("each", 0, 1, System.currentTimeMillis() + HOUR_MILLIS),
                record("each", 0, 2, 0),
                record("each", 1, 3, 0),
                record("each", 1, 4, 0));
        RunningPipeline waiting = partitioned(
                        settings("each").build(), Subscription.topics("each").dueAt(DueAtTest::due))
                .run();
        ConsumerLedger.await("what is due", SOON, () -> handled.size() == 3);
        ConsumerLedger.await("the first waits", SOON, () -> paused(waiting, 0).contains(ConsumerDump.Paused.NOT_DUE));
        assertThat(waiting.drain(Duration.ofSeconds(60)).drained()).isTrue();
        assertThat(KAFKA.cluster().committedOffsets("each"))
                .containsEntry(new TopicPartition("each", 0), 1L)
                .containsEntry(new TopicPartition("each", 1), 2L);
        try (RunningPipeline next = partitioned(
                        settings("each").build(), Subscription.topics("each").untilEnd())
                .run()) {
            assertThat(next.await().drained()).isTrue();
        }
        assertThat(numbers(0)).containsExactly(0, 1, 2);
        assertThat(numbers(1)).containsExactly(3, 4);
    }

    private Pipeline partitioned(ConsumerSettings<byte[], byte[]> settings, Subscription subscription) {
        return KafkaSource.from(settings, subscription)
                .partitioned()
                .flatMapMerge(Integer.MAX_VALUE, PartitionSource::records)
                .to(Sink.forEach(record ->
                        handled.add(new Handled(System.currentTimeMillis(), record.partition(), number(record)))));
    }

    /** All records of the member that leaves are waiting. Its successor gets them immediately. */
    @Test
    void revocationWhileRecordsWait_losesNone_andDoublesNone() throws Exception {
        revocationWhileRecordsWait("moved", "consumer", this::reader);
    }

    /** In a classic group, a rebalance takes as long as a heartbeat interval. */
    @Test
    @Tag("long")
    void revocationInAClassicGroup_losesNone_andDoublesNone() throws Exception {
        revocationWhileRecordsWait("moved-classic", "classic", this::reader);
    }

    @Test
    void revocationOfAStreamOfItsOwn_losesNone_andDoublesNone() throws Exception {
        revocationWhileRecordsWait("moved-streams", "consumer", this::partitioned);
    }

    private void revocationWhileRecordsWait(
            String topic,
            String protocol,
            BiFunction<ConsumerSettings<byte[], byte[]>, Subscription, Pipeline> pipeline)
            throws Exception {
        KAFKA.cluster().createTopic(topic, 2);
        long due = System.currentTimeMillis() + HOUR_MILLIS;
        FailureTopics.produce(
                KAFKA.cluster(),
                record(topic, 0, 0, 0),
                record(topic, 0, 1, due),
                record(topic, 1, 2, 0),
                record(topic, 1, 3, due));
        ConsumerSettings<byte[], byte[]> settings =
                settings(topic).property("group.protocol", protocol).build();
        RunningPipeline waiting = pipeline.apply(
                        settings, Subscription.topics(topic).dueAt(DueAtTest::due))
                .run();
        ConsumerLedger.await("what is due", SOON, () -> handled.size() == 2);
        ConsumerLedger.await(
                "both wait",
                SOON,
                () -> IntStream.range(0, 2).allMatch(id -> paused(waiting, id).contains(ConsumerDump.Paused.NOT_DUE)));
        try (RunningPipeline now = reader(settings, Subscription.topics(topic)).run()) {
            ConsumerLedger.await("one partition has moved", SOON, () -> handled.size() == 3);
            assertThat(waiting.drain(Duration.ofSeconds(60)).drained()).isTrue();
            ConsumerLedger.await("both have", SOON, () -> handled.size() == 4);
            assertThat(now.drain(Duration.ofSeconds(60)).drained()).isTrue();
        }
        assertThat(numbers(0)).containsExactly(0, 1);
        assertThat(numbers(1)).containsExactly(2, 3);
    }

    /** The waiting records fill three times the partition's part of the memory budget. */
    @Test
    void memoryFullOfWhatWaits_holdsUpNoOtherPartition_andGoesOutWhenDue() throws Exception {
        KAFKA.cluster().createTopic("large", 2);
        long due = System.currentTimeMillis() + HOUR_MILLIS;
        @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
        ProducerRecord<byte[], byte[]>[] records = new ProducerRecord[300];
        for (int i = 0; i < records.length; i++) {
            records[i] = record("large", i / 150, i, i < 150 ? due : 0);
            records[i].headers().add("pad", new byte[10_000]);
        }
        FailureTopics.produce(KAFKA.cluster(), records);
        ConsumerSettings<byte[], byte[]> settings =
                settings("large").bufferBytes(1 << 20).build();
        RunningPipeline waiting = reader(settings, Subscription.topics("large").dueAt(DueAtTest::due))
                .run();
        ConsumerLedger.await("all that is due", SOON, () -> handled.size() == 150);
        ConsumerLedger.await(
                "the words for the wait",
                SOON,
                () -> paused(waiting, 0).containsAll(Set.of(ConsumerDump.Paused.NOT_DUE, ConsumerDump.Paused.BUDGET)));
        assertThat(waiting.drain(Duration.ofSeconds(60)).drained()).isTrue();

        // The due time starts at the first record, so that a slow start does not make records due.
        AtomicReference<Instant> soon = new AtomicReference<>();
        try (RunningPipeline next = reader(
                        settings,
                        Subscription.topics("large")
                                .dueAt(record -> soon.updateAndGet(
                                        at -> at == null ? Instant.now().plusSeconds(2) : at))
                                .untilEnd())
                .run()) {
            assertThat(next.await().drained()).isTrue();
        }
        assertThat(numbers(0)).isEqualTo(IntStream.range(0, 150).boxed().toList());
        assertThat(numbers(1)).isEqualTo(IntStream.range(150, 300).boxed().toList());
        assertThat(handled)
                .filteredOn(each -> each.partition() == 0)
                .allSatisfy(each -> assertThat(each.atMillis())
                        .isGreaterThanOrEqualTo(soon.get().toEpochMilli()));
    }

    @Test
    void positionsKeptElsewhere_stayBeforeWhatWaits() throws Exception {
        KAFKA.cluster().createTopic("kept", 1);
        FailureTopics.produce(
                KAFKA.cluster(),
                record("kept", 0, 0, 0),
                record("kept", 0, 1, System.currentTimeMillis() + HOUR_MILLIS),
                record("kept", 0, 2, 0));
        TopicPartition id = new TopicPartition("kept", 0);
        AtomicLong position = new AtomicLong();
        RunningPipeline waiting = kept(id, position, Subscription.topics("kept").dueAt(DueAtTest::due))
                .run();
        ConsumerLedger.await("what is due", SOON, () -> handled.size() == 1);
        ConsumerLedger.await("the next waits", SOON, () -> paused(waiting, 0).contains(ConsumerDump.Paused.NOT_DUE));
        assertThat(waiting.drain(Duration.ofSeconds(60)).drained()).isTrue();
        assertThat(position).hasValue(1);
        try (RunningPipeline next =
                kept(id, position, Subscription.topics("kept").untilEnd()).run()) {
            assertThat(next.await().drained()).isTrue();
        }
        assertThat(numbers(0)).containsExactly(0, 1, 2);
        assertThat(position).hasValue(3);
    }

    private Pipeline kept(TopicPartition id, AtomicLong position, Subscription subscription) {
        var settings = ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .fetch(OnLeanPath.current())
                .build();
        return KafkaSource.from(settings, subscription)
                .plain(ids -> CompletableFuture.completedStage(Map.of(id, Position.offset(position.get()))))
                .to(Sink.forEach(record -> {
                    handled.add(new Handled(System.currentTimeMillis(), record.partition(), number(record)));
                    position.set(record.offset() + 1);
                }));
    }

    @Test
    void exactlyOnce_transactionsDoNotWaitForWhatIsNotDue() throws Exception {
        KAFKA.cluster().createTopic("once", 1);
        KAFKA.cluster().createTopic("once-out", 1);
        FailureTopics.produce(
                KAFKA.cluster(),
                record("once", 0, 0, 0),
                record("once", 0, 1, System.currentTimeMillis() + HOUR_MILLIS),
                record("once", 0, 2, 0));
        RunningPipeline waiting =
                copy(Subscription.topics("once").dueAt(DueAtTest::due)).run();
        ConsumerLedger.await(
                "what is due is committed",
                SOON,
                () -> FailureTopics.read(KAFKA.cluster(), "once-out").size() == 1);
        assertThat(waiting.drain(Duration.ofSeconds(60)).drained()).isTrue();
        assertThat(KAFKA.cluster().committedOffsets("once")).containsValue(1L);
        try (RunningPipeline next = copy(Subscription.topics("once").untilEnd()).run()) {
            assertThat(next.await().drained()).isTrue();
        }
        assertThat(FailureTopics.read(KAFKA.cluster(), "once-out"))
                .extracting(FailureTopics::value)
                .containsExactly("0", "1", "2");
    }

    private static Pipeline copy(Subscription subscription) {
        return KafkaSource.from(settings("once").build(), subscription)
                .exactlyOnce()
                .commitInterval(Duration.ofMillis(50))
                .produceTo(
                        ProducerSettings.builder()
                                .bootstrapServers(KAFKA.bootstrapServers())
                                .build(),
                        records ->
                                records.map(record -> new ProducerRecord<>("once-out", record.key(), record.value())));
    }
}
