package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Position;
import dev.weir.kafka.RebalanceListener;
import dev.weir.kafka.RestrictedConsumer;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the control of a running consumer, and notifications of its rebalances. */
class ConsumerControlTest {

    private static final Duration SOON = Duration.ofMinutes(1);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("group.initial.rebalance.delay.ms", "0")
            .brokerConfig("group.consumer.min.heartbeat.interval.ms", "300")
            .brokerConfig("group.consumer.heartbeat.interval.ms", "300"));

    private final Queue<ConsumerRecord<byte[], byte[]>> seen = new ConcurrentLinkedQueue<>();

    private static ConsumerSettings.Builder<byte[], byte[]> settings(String group, String protocol) {
        return ConsumerLedger.settings(KAFKA.cluster(), group).property("group.protocol", protocol);
    }

    private static void fill(String topic, int partitions, int records) {
        KAFKA.cluster().createTopic(topic, partitions);
        Records.produce(KAFKA.bootstrapServers(), topic, 0, records);
    }

    private static ConsumerHandle handle(RunningPipeline running) {
        return running.handles(ConsumerHandle.class).get(0);
    }

    private long seenOf(TopicPartition id) {
        return seen.stream()
                .filter(record -> record.topic().equals(id.topic()) && record.partition() == id.partition())
                .count();
    }

    private static void get(java.util.concurrent.CompletionStage<Void> stage) throws Exception {
        stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void pause_partitionTopicAndAll_holdBackUntilResumed(String protocol) throws Exception {
        String topic = "pause-" + protocol;
        fill(topic, 2, 100);
        TopicPartition first = new TopicPartition(topic, 0);
        TopicPartition second = new TopicPartition(topic, 1);
        try (RunningPipeline running = KafkaSource.from(
                        settings(topic, protocol).build(), topic)
                .atLeastOnce()
                .to(Sink.forEach(seen::add))
                .run()) {
            ConsumerLedger.await("all", SOON, () -> seen.size() == 100);
            long ofFirst = seenOf(first);
            get(handle(running).pause(List.of(first)));
            Records.produce(KAFKA.bootstrapServers(), topic, 100, 1_000);
            Map<TopicPartition, Long> ends = KAFKA.cluster().endOffsets(topic);
            ConsumerLedger.await("the other", SOON, () -> seenOf(second) == ends.getOrDefault(second, 0L));
            assertThat(seenOf(first)).isEqualTo(ofFirst);
            // Pauses the partition a second time, so the first resume does not resume it.
            get(handle(running).pause(topic));
            get(handle(running).resume(List.of(first)));
            Records.produce(KAFKA.bootstrapServers(), topic, 1_100, 10);
            assertThat(seenOf(first)).isEqualTo(ofFirst);
            get(handle(running).resume(topic));
            ConsumerLedger.await("all again", SOON, () -> seen.size() == 1_110);
            get(handle(running).pause());
            Records.produce(KAFKA.bootstrapServers(), topic, 1_110, 10);
            ConsumerLedger.await(
                    "fetched, not seen", SOON, () -> handle(running).snapshot().bufferedRecords() == 10);
            assertThat(seen).hasSize(1_110);
            get(handle(running).resume());
            ConsumerLedger.await("all at last", SOON, () -> seen.size() == 1_120);
        }
    }

    @Test
    void pause_beforeAnythingIsAssigned_holdsFromTheStart() throws Exception {
        fill("early", 2, 1_000);
        TopicPartition first = new TopicPartition("early", 0);
        TopicPartition second = new TopicPartition("early", 1);
        try (RunningPipeline running = KafkaSource.from(
                        settings("early", "classic").build(), "early")
                .atLeastOnce()
                .to(Sink.forEach(seen::add))
                .run()) {
            get(handle(running).pause(List.of(first)));
            ConsumerLedger.await(
                    "the other",
                    SOON,
                    () -> seenOf(second) == KAFKA.cluster().endOffsets("early").getOrDefault(second, 0L));
            assertThat(seenOf(first)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void seek_backAndForth_repeatsAndSkipsAndIsCommitted(String protocol) throws Exception {
        String topic = "seek-" + protocol;
        fill(topic, 1, 1_000);
        TopicPartition id = new TopicPartition(topic, 0);
        try (RunningPipeline running = KafkaSource.from(
                        settings(topic, protocol).build(), topic)
                .atLeastOnce()
                .to(Sink.forEach(seen::add))
                .run()) {
            ConsumerLedger.await(
                    "committed",
                    SOON,
                    () -> KAFKA.cluster().committedOffsets(topic).containsValue(1_000L));
            get(handle(running).pause());
            get(handle(running).seek(Map.of(id, Position.offset(900))));
            ConsumerLedger.await(
                    "committed back",
                    SOON,
                    () -> KAFKA.cluster().committedOffsets(topic).containsValue(900L));
            get(handle(running).resume());
            ConsumerLedger.await("repeated", SOON, () -> seen.size() == 1_100);
            get(handle(running).seek(Map.of(id, Position.end())));
            Records.produce(KAFKA.bootstrapServers(), topic, 1_000, 5);
            ConsumerLedger.await("new ones", SOON, () -> seen.size() == 1_105);
            get(handle(running).seek(Map.of(id, Position.beginning())));
            ConsumerLedger.await("all once more", SOON, () -> seen.size() == 2_110);
            ConsumerLedger.await(
                    "committed at the end",
                    SOON,
                    () -> KAFKA.cluster().committedOffsets(topic).containsValue(1_005L));
        }
    }

    @Test
    void seek_pastARecordInWork_itsAcknowledgementDoesNotCount() throws Exception {
        fill("stuck", 1, 100);
        TopicPartition id = new TopicPartition("stuck", 0);
        CountDownLatch stuck = new CountDownLatch(1);
        try (RunningPipeline running = KafkaSource.from(
                        settings("stuck", "classic").build(), "stuck")
                .atLeastOnce()
                .mapBlocking(200, Ordering.unordered(), record -> {
                    if (record.offset() == 10) {
                        stuck.await();
                    }
                    seen.add(record);
                    return record;
                })
                .to(Sink.ignore())
                .run()) {
            ConsumerLedger.await("all but one", SOON, () -> seen.size() == 99);
            get(handle(running).seek(Map.of(id, Position.offset(60))));
            ConsumerLedger.await(
                    "committed past it",
                    SOON,
                    () -> KAFKA.cluster().committedOffsets("stuck").containsValue(100L));
            get(handle(running).seek(Map.of(id, Position.offset(5))));
            // The handler also blocks when record 10 is delivered for the second time.
            ConsumerLedger.await("again", SOON, () -> seen.size() == 99 + 40 + 94);
            ConsumerLedger.await(
                    "committed up to it",
                    SOON,
                    () -> KAFKA.cluster().committedOffsets("stuck").containsValue(10L));
            stuck.countDown();
            ConsumerLedger.await(
                    "all", SOON, () -> KAFKA.cluster().committedOffsets("stuck").containsValue(100L));
        }
    }

    @Test
    void seek_ofWhatIsNotThere_fails() throws Exception {
        fill("foreign", 1, 10);
        RunningPipeline running = KafkaSource.from(
                        settings("foreign", "classic").build(), "foreign")
                .atLeastOnce()
                .to(Sink.forEach(seen::add))
                .run();
        try (running) {
            ConsumerLedger.await("all", SOON, () -> seen.size() == 10);
            assertThatThrownBy(() ->
                            get(handle(running).seek(Map.of(new TopicPartition("foreign", 7), Position.beginning()))))
                    .hasMessageContaining("foreign-7");
        }
        assertThatThrownBy(() ->
                        get(handle(running).seek(Map.of(new TopicPartition("foreign", 0), Position.beginning()))))
                .hasMessageContaining("ended");
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void listener_isToldAndMaySeek(String protocol) throws Exception {
        String topic = "told-" + protocol;
        fill(topic, 2, 100);
        Queue<String> told = new ConcurrentLinkedQueue<>();
        RebalanceListener listener = new RebalanceListener() {
            @Override
            public void onAssigned(Set<TopicPartition> partitions, RestrictedConsumer consumer) {
                told.add("assigned " + partitions.size() + " of "
                        + consumer.assignment().size() + ", committed " + consumer.committed(partitions));
                for (TopicPartition id : partitions) {
                    consumer.seek(id, 20);
                }
            }

            @Override
            public void onRevoked(Set<TopicPartition> partitions, RestrictedConsumer consumer) {
                told.add("revoked " + partitions.size() + ", committed "
                        + consumer.committed(partitions).size());
            }
        };
        var settings = settings(topic, protocol).rebalanceListener(listener).build();
        try (RunningPipeline running = KafkaSource.from(settings, topic)
                .atLeastOnce()
                .to(Sink.forEach(seen::add))
                .run()) {
            ConsumerLedger.await("all from 20", SOON, () -> seen.size() == 60);
            assertThat(running.completion()).isNotDone();
        }
        assertThat(seen).allMatch(record -> record.offset() >= 20);
        assertThat(told).containsExactly("assigned 2 of 2, committed {}", "revoked 2, committed 2");
    }

    @Test
    void listener_thatThrows_failsTheRun() {
        fill("throwing", 1, 1);
        var settings = settings("throwing", "classic")
                .rebalanceListener(new RebalanceListener() {
                    @Override
                    public void onAssigned(Set<TopicPartition> partitions, RestrictedConsumer consumer) {
                        throw new IllegalStateException("not ready");
                    }
                })
                .build();
        try (RunningPipeline running = KafkaSource.from(settings, "throwing")
                .atLeastOnce()
                .to(Sink.ignore())
                .run()) {
            assertThatThrownBy(running::await)
                    .hasMessageContaining("onAssigned")
                    .hasMessageContaining("not ready");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "consumer")
    void staticMember_restartedWithinItsSession_movesNoPartition(String protocol) throws Exception {
        String topic = "static-" + protocol;
        fill(topic, 4, 1_000);
        Pipeline[] members = new Pipeline[2];
        for (int i = 0; i < 2; i++) {
            var settings = settings(topic, protocol)
                    .property("group.instance.id", "member-" + i)
                    .build();
            members[i] = KafkaSource.from(settings, Subscription.topics(topic))
                    .atLeastOnce()
                    .to(Sink.forEach(seen::add));
        }
        try (RunningPipeline stays = members[0].run()) {
            RunningPipeline restarts = members[1].run();
            ConsumerLedger.await("two each", SOON, () -> partitions(stays) == 2 && partitions(restarts) == 2);
            int rebalances = handle(stays).snapshot().rebalances();
            restarts.close();
            try (RunningPipeline again = members[1].run()) {
                ConsumerLedger.await("two again", SOON, () -> partitions(again) == 2);
                Records.produce(KAFKA.bootstrapServers(), topic, 1_000, 1_000);
                ConsumerLedger.await("all", SOON, () -> seen.size() >= 2_000);
            }
            assertThat(handle(stays).snapshot().rebalances()).isEqualTo(rebalances);
            assertThat(seen).hasSize(2_000);
        }
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = "classic")
    void staticMember_onTheClassicProtocol_movesNoPartition(String protocol) throws Exception {
        staticMember_restartedWithinItsSession_movesNoPartition(protocol);
    }

    private static int partitions(RunningPipeline running) {
        return handle(running).snapshot().partitions().size();
    }
}
