package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.MetadataClient;
import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.Broker;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests partitions without a leader, next to partitions that have one. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConsumerLeaderlessTest {

    private static final Duration SOON = Duration.ofSeconds(40);

    /** Longest time from the first assignment to a healthy partition's first record, on a busy machine. */
    private static final Duration AT_ONCE = Duration.ofSeconds(30);

    private static final int TOPICS = 50;
    private static final int VICTIM = 3;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokers(3));

    private final Set<TopicPartition> read = ConcurrentHashMap.newKeySet();

    private static ConsumerSettings.Builder<byte[], byte[]> settings(String group, String protocol) {
        return ConsumerLedger.settings(KAFKA.cluster(), group).property("group.protocol", protocol);
    }

    private RunningPipeline run(ConsumerSettings<byte[], byte[]> settings, Subscription subscription) {
        return KafkaSource.from(settings, subscription)
                .atLeastOnce()
                .to(Sink.forEach(this::saw))
                .run();
    }

    private void saw(ConsumerRecord<byte[], byte[]> record) {
        read.add(new TopicPartition(record.topic(), record.partition()));
    }

    private static ConsumerHandle consumer(RunningPipeline running) {
        return running.handles(ConsumerHandle.class).get(0);
    }

    private static void spread(String... topics) throws Exception {
        Map<Integer, List<Integer>> alone = Map.of(0, List.of(1), 1, List.of(2), 2, List.of(VICTIM));
        KAFKA.cluster()
                .admin()
                .createTopics(List.of(topics).stream()
                        .map(topic -> new NewTopic(topic, alone))
                        .toList())
                .all()
                .get(30, TimeUnit.SECONDS);
        for (String topic : topics) {
            KAFKA.cluster().awaitInSync(topic);
            Records.produce(KAFKA.bootstrapServers(), topic, 0, 30);
        }
    }

    private static String[] topics() {
        return IntStream.range(0, TOPICS).mapToObj(n -> "many-" + n).toArray(String[]::new);
    }

    @BeforeAll
    static void spreadTopicsAndStopABroker() throws Exception {
        spread(topics());
        spread("lone-classic", "lone-consumer", "sought", "asked");
        stopVictim();
    }

    @Test
    @Order(1)
    @Timeout(240)
    void brokerDead_underANewGroupOfManyTopics_theOthersPartitionsBeginAtOnce() throws Exception {
        assertHealthyPartitionsBegin("many", AT_ONCE);
    }

    // The test above allows more time, because other tests run in parallel.
    @Test
    @Tag("long")
    @Order(1)
    @Timeout(240)
    void brokerDead_underANewGroupOfManyTopics_theOthersPartitionsBeginWithinFiveSeconds() throws Exception {
        assertHealthyPartitionsBegin("alone", Duration.ofSeconds(5));
    }

    private void assertHealthyPartitionsBegin(String groups, Duration within) throws Exception {
        for (String protocol : List.of("classic", "consumer")) {
            read.clear();
            try (RunningPipeline running =
                    run(settings(groups + "-" + protocol, protocol).build(), Subscription.topics(topics()))) {
                ConsumerLedger.await(
                        "an assignment",
                        Duration.ofMinutes(1),
                        () -> consumer(running).dump().partitions().size() == 3 * TOPICS);
                ConsumerLedger.await(
                        () -> "a record of each healthy partition, got " + read.size(),
                        within,
                        () -> read.size() == 2 * TOPICS);
                assertThat(read).noneMatch(id -> id.partition() == 2);
                assertThat(running.completion()).isNotDone();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "consumer")
    @Order(2)
    @Timeout(120)
    void leaderlessPartition_inANewGroup_waitsAloneAndIsNamed_andBeginsWhenItHasALeader(String protocol)
            throws Exception {
        String topic = "lone-" + protocol;
        stopVictim();
        try (RunningPipeline running = run(settings(topic, protocol).build(), Subscription.topics(topic))) {
            ConsumerLedger.await("the healthy partitions", SOON, () -> read.size() == 2);
            ConsumerLedger.await(
                    () -> "the reason, not " + consumer(running).health(SOON).reason(),
                    SOON,
                    () -> consumer(running).health(SOON).reason().contains("no position yet of " + topic + "-2: ")
                            && consumer(running).health(SOON).reason().contains("leader"));
            assertThat(consumer(running).health(SOON).ready()).isFalse();
            assertThat(consumer(running).dump().why())
                    .filteredOn(line -> line.startsWith(topic + "-2"))
                    .singleElement()
                    .asString()
                    .contains("leader");
            KAFKA.cluster().broker(VICTIM).start();
            ConsumerLedger.await("the partition with its leader back", SOON, () -> read.size() == 3);
            ConsumerLedger.await(
                    "health", SOON, () -> consumer(running).health(SOON).ready());
        }
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = "classic")
    @Order(2)
    @Timeout(120)
    void leaderlessPartition_onTheClassicProtocol_waitsAloneAndIsNamed_andBeginsWhenItHasALeader(String protocol)
            throws Exception {
        leaderlessPartition_inANewGroup_waitsAloneAndIsNamed_andBeginsWhenItHasALeader(protocol);
    }

    private static void stopVictim() {
        Broker victim = KAFKA.cluster().broker(VICTIM);
        if (victim.isRunning()) {
            victim.stop();
        }
    }

    @Test
    @Order(3)
    @Timeout(60)
    void seek_withALeaderlessPartition_movesTheOthers() throws Exception {
        stopVictim();
        TopicPartition healthy = new TopicPartition("sought", 0);
        TopicPartition leaderless = new TopicPartition("sought", 2);
        try (RunningPipeline running = run(
                settings("sought", "classic").build(),
                Subscription.partitions(healthy, leaderless).startingAt(Position.offset(0)))) {
            ConsumerLedger.await("the healthy partition", SOON, () -> read.contains(healthy));
            read.clear();
            CompletableFuture<Void> sought = consumer(running)
                    .seek(Map.of(healthy, Position.beginning(), leaderless, Position.end()))
                    .toCompletableFuture();
            ConsumerLedger.await("the healthy partition again", SOON, () -> read.contains(healthy));
            assertThat(sought).isNotDone();
        }
    }

    @Test
    @Order(6)
    @Timeout(120)
    void boundedRead_withALeaderlessPartition_readsTheOthersAndEndsWhenItIsBack() throws Exception {
        stopVictim();
        TopicPartition leaderless = new TopicPartition("sought", 2);
        try (RunningPipeline running = run(
                settings("bounded", "classic").build(),
                Subscription.topics("sought").untilEnd())) {
            ConsumerLedger.await("the healthy partitions", SOON, () -> read.size() == 2);
            ConsumerLedger.await(
                    () -> "the reason, not " + consumer(running).health(SOON).reason(),
                    SOON,
                    () -> consumer(running).health(SOON).reason().contains(leaderless + ": "));
            assertThat(running.completion()).isNotDone();
            KAFKA.cluster().broker(VICTIM).start();
            assertThat(running.await().drained()).isTrue();
            assertThat(read).hasSize(3);
        }
    }

    @Test
    @Order(7)
    @Timeout(120)
    void boundedRead_ofATopicWithoutAnyLeader_waitsForTheElection() throws Exception {
        KAFKA.cluster()
                .admin()
                .createTopics(List.of(new NewTopic("single", Map.of(0, List.of(VICTIM)))))
                .all()
                .get(30, TimeUnit.SECONDS);
        KAFKA.cluster().awaitInSync("single");
        Records.produce(KAFKA.bootstrapServers(), "single", 0, 1);
        stopVictim();
        CompletableFuture<RunningPipeline> starts = new CompletableFuture<>();
        Thread starting = Thread.ofPlatform().start(() -> {
            try {
                starts.complete(run(
                        settings("single", "classic").build(),
                        Subscription.topics("single").untilEnd()));
            } catch (RuntimeException | Error failure) {
                starts.completeExceptionally(failure);
            }
        });
        ConsumerLedger.await(
                "the first query", SOON, () -> starts.isDone() || starting.getState() == Thread.State.TIMED_WAITING);
        KAFKA.cluster().broker(VICTIM).start();
        try (RunningPipeline running = starts.get(60, TimeUnit.SECONDS)) {
            assertThat(running.await().drained()).isTrue();
            assertThat(read).hasSize(1);
        }
    }

    @Test
    @Order(4)
    @Timeout(60)
    void missingTopic_amongGivenPartitions_waitsAloneAndIsNamed() throws Exception {
        TopicPartition healthy = new TopicPartition("sought", 0);
        TopicPartition missing = new TopicPartition("nowhere", 0);
        try (RunningPipeline running = run(
                settings("missing", "classic").build(),
                Subscription.partitions(healthy, missing).startingAt(Position.beginning()))) {
            ConsumerLedger.await("the healthy partition", SOON, () -> read.contains(healthy));
            ConsumerLedger.await(
                    () -> "the reason, not " + consumer(running).health(SOON).reason(),
                    SOON,
                    () -> consumer(running).health(SOON).reason().contains("nowhere-0: topic nowhere does not exist"));
        }
    }

    @Test
    @Order(5)
    @Timeout(60)
    void metadataClient_withALeaderlessPartition_answersForTheOthers() throws Exception {
        stopVictim();
        try (MetadataClient metadata = MetadataClient.of(settings("asked", "classic")
                .property("default.api.timeout.ms", "6000")
                .property("request.timeout.ms", "5000")
                .build())) {
            Map<TopicPartition, Position> ends = new HashMap<>();
            for (int n = 0; n < 3; n++) {
                ends.put(new TopicPartition("asked", n), Position.end());
            }
            var offsets = metadata.offsetsOfEach(ends);
            for (int n = 0; n < 2; n++) {
                assertThat(offsets.get(new TopicPartition("asked", n))
                                .toCompletableFuture()
                                .get(5, TimeUnit.SECONDS))
                        .isPositive();
            }
            var leaderless = offsets.get(new TopicPartition("asked", 2)).toCompletableFuture();
            assertThatThrownBy(() -> leaderless.get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(RetriableException.class)
                    .hasMessageContaining("leader");
        }
    }
}
