package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a group that starts at the end: where it begins to read existing partitions and added ones. */
class AddedPartitionsTest {

    private static final Duration SOON = Duration.ofSeconds(40);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("auto.create.topics.enable", "true")
            .brokerConfig("group.initial.rebalance.delay.ms", "0")
            .brokerConfig("group.consumer.min.heartbeat.interval.ms", "300")
            .brokerConfig("group.consumer.heartbeat.interval.ms", "300"));

    private final Set<String> read = ConcurrentHashMap.newKeySet();

    private static ConsumerSettings.Builder<byte[], byte[]> atEnd(String group, String protocol) {
        return ConsumerLedger.settings(KAFKA.cluster(), group)
                .property("group.protocol", protocol)
                .property("auto.offset.reset", "latest")
                .property("metadata.max.age.ms", "1000");
    }

    private void saw(ConsumerRecord<byte[], byte[]> record) {
        read.add(new String(record.value(), StandardCharsets.US_ASCII));
    }

    private RunningPipeline run(ConsumerSettings<byte[], byte[]> settings, Subscription subscription) {
        return KafkaSource.from(settings, subscription)
                .atLeastOnce()
                .to(Sink.forEach(this::saw))
                .run();
    }

    /** Writes ten records to each partition. Returns the values, which name their partitions. */
    private static Set<String> produce(String topic, int from, int to, String run) {
        Set<String> values = ConcurrentHashMap.newKeySet();
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int partition = from; partition < to; partition++) {
                for (int n = 0; n < 10; n++) {
                    String value = run + "-" + partition + "-" + n;
                    values.add(value);
                    var ignored = producer.send(
                            new ProducerRecord<>(topic, partition, null, value.getBytes(StandardCharsets.US_ASCII)));
                }
            }
        }
        return values;
    }

    private static void grow(String topic, int partitions) throws Exception {
        KAFKA.cluster()
                .admin()
                .createPartitions(Map.of(topic, NewPartitions.increaseTo(partitions)))
                .all()
                .get(20, TimeUnit.SECONDS);
        KAFKA.cluster().awaitInSync(topic);
    }

    private static void awaitCommits(String group, int partitions) {
        ConsumerLedger.await(
                "positions of " + partitions,
                SOON,
                () -> KAFKA.cluster().committedOffsets(group).size() == partitions);
    }

    private void awaitRead(Set<String> values) {
        ConsumerLedger.await(() -> read.size() + " read of " + values.size(), SOON, () -> read.containsAll(values));
    }

    @ParameterizedTest
    @ValueSource(strings = "classic")
    @Timeout(120)
    void partitionsAdded_underAGroupThatBeganAtTheEnd_areReadFromTheirBeginning(String protocol) throws Exception {
        String topic = "added-" + protocol;
        KAFKA.cluster().createTopic(topic, 2);
        produce(topic, 0, 2, "old");
        var settings = atEnd(topic, protocol).build();
        try (RunningPipeline running = run(settings, Subscription.topics(topic))) {
            awaitCommits(topic, 2);
            grow(topic, 6);
            Set<String> young = produce(topic, 0, 6, "young");
            awaitRead(young);
            assertThat(read).isEqualTo(young);
            assertThat(running.drain(SOON).drained()).isTrue();
        }
        read.clear();
        grow(topic, 8);
        Set<String> unattended = produce(topic, 4, 8, "unattended");
        try (RunningPipeline running = run(settings, Subscription.topics(topic))) {
            awaitRead(unattended);
            assertThat(read).isEqualTo(unattended);
            assertThat(running.completion()).isNotDone();
        }
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = "consumer")
    @Timeout(120)
    void partitionsAdded_onTheConsumerProtocol_areReadFromTheirBeginning(String protocol) throws Exception {
        partitionsAdded_underAGroupThatBeganAtTheEnd_areReadFromTheirBeginning(protocol);
    }

    @ParameterizedTest
    @ValueSource(strings = "consumer")
    @Timeout(120)
    void newGroup_ofMembersThatBeginTogetherAtTheEnd_readsNothingOld(String protocol) {
        String topic = "together-" + protocol;
        KAFKA.cluster().createTopic(topic, 12);
        produce(topic, 0, 12, "old");
        var settings = atEnd(topic, protocol).build();
        List<RunningPipeline> members = IntStream.range(0, 3)
                .parallel()
                .mapToObj(n -> run(settings, Subscription.topics(topic)))
                .toList();
        try {
            awaitCommits(topic, 12);
            Set<String> young = produce(topic, 0, 12, "young");
            awaitRead(young);
            assertThat(read).isEqualTo(young);
        } finally {
            members.forEach(RunningPipeline::close);
        }
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = "classic")
    @Timeout(120)
    void newGroup_onTheClassicProtocol_readsNothingOld(String protocol) {
        newGroup_ofMembersThatBeginTogetherAtTheEnd_readsNothingOld(protocol);
    }

    @ParameterizedTest
    @ValueSource(strings = "classic")
    @Timeout(60)
    void start_atTheEnd_isCommittedBeforeTheFirstRecordGoesOut(String protocol) {
        String topic = "remembered-" + protocol;
        KAFKA.cluster().createTopic(topic, 1);
        produce(topic, 0, 1, "old");
        TopicPartition id = new TopicPartition(topic, 0);
        var settings =
                atEnd(topic, protocol).commitInterval(Duration.ofMinutes(10)).build();
        CompletableFuture<Map<TopicPartition, Long>> committed = new CompletableFuture<>();
        try (RunningPipeline running = KafkaSource.from(settings, Subscription.topics(topic))
                .atLeastOnce()
                .to(Sink.forEach(record -> committed.complete(KAFKA.cluster().committedOffsets(topic))))
                .run()) {
            ConsumerLedger.await(
                    "a position",
                    SOON,
                    // Readiness is not enough, because the first assignment may be empty.
                    () -> running.handles(ConsumerHandle.class).get(0).dump().partitions().stream()
                            .anyMatch(partition -> partition.position() >= 0));
            produce(topic, 0, 1, "young");
            ConsumerLedger.await("a record", SOON, committed::isDone);
            assertThat(committed.join()).containsEntry(id, 10L);
        }
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = "consumer")
    @Timeout(60)
    void start_onTheConsumerProtocol_isCommittedBeforeTheFirstRecordGoesOut(String protocol) {
        start_atTheEnd_isCommittedBeforeTheFirstRecordGoesOut(protocol);
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    @Timeout(60)
    void topicMadeLater_thatAPatternMatches_isReadFromItsBeginning(String protocol) {
        String topic = "kind-" + protocol;
        KAFKA.cluster().createTopic(topic + "-a", 1);
        produce(topic + "-a", 0, 1, "old");
        try (RunningPipeline running = run(atEnd(topic, protocol).build(), Subscription.pattern(topic + "-.*"))) {
            awaitCommits(topic, 1);
            KAFKA.cluster().createTopic(topic + "-b", 2);
            Set<String> young = produce(topic + "-b", 0, 2, "young");
            awaitRead(young);
            assertThat(read).isEqualTo(young);
            assertThat(running.completion()).isNotDone();
        }
    }

    @Test
    @Timeout(60)
    void partitionsAdded_underASourceWithoutAGroup_areReadFromTheirBeginning() throws Exception {
        KAFKA.cluster().createTopic("groupless", 2);
        produce("groupless", 0, 2, "old");
        var settings = ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .fetch(OnLeanPath.current())
                .fetchThreads(OnLeanPath.threads())
                .property("auto.offset.reset", "latest")
                .property("metadata.max.age.ms", "1000")
                .build();
        try (RunningPipeline running = KafkaSource.from(settings, Subscription.topics("groupless"))
                .plain()
                .to(Sink.forEach(this::saw))
                .run()) {
            ConsumerLedger.await(
                    "positions",
                    SOON,
                    () -> running.handles(ConsumerHandle.class)
                            .get(0)
                            .health(SOON)
                            .ready());
            grow("groupless", 4);
            Set<String> young = produce("groupless", 0, 4, "young");
            awaitRead(young);
            assertThat(read).isEqualTo(young);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "consumer")
    @Timeout(90)
    void topicDeleted_underARun_holdsUpNoRevocationAndIsNotBroughtBack(String protocol) throws Exception {
        String gone = "gone-" + protocol;
        String stays = "stays-" + protocol;
        KAFKA.cluster().createTopic(gone, 2);
        KAFKA.cluster().createTopic(stays, 2);
        produce(gone, 0, 2, "first");
        produce(stays, 0, 2, "first");
        var settings = atEnd(gone, protocol)
                .property("auto.offset.reset", "earliest")
                .commitInterval(Duration.ofMinutes(10))
                .build();
        try (RunningPipeline running = run(settings, Subscription.topics(gone, stays))) {
            ConsumerHandle consumer = running.handles(ConsumerHandle.class).get(0);
            ConsumerLedger.await("first records", SOON, () -> read.size() == 20);
            KAFKA.cluster().deleteTopic(gone);
            AtomicInteger longest = new AtomicInteger();
            ConsumerLedger.await("the revocation", SOON, () -> {
                longest.accumulateAndGet((int) consumer.dump().sinceLastPoll().toMillis(), Math::max);
                return consumer.snapshot().partitions().size() == 2;
            });
            // Kafka's client gives up the commit of a deleted partition only after 10 s.
            assertThat(longest).hasValueLessThan(8_000);
            Set<String> second = produce(stays, 0, 2, "second");
            awaitRead(second);
            // Waits for several metadata refreshes. They must not recreate the topic.
            ConsumerLedger.work(Duration.ofSeconds(4));
            assertThat(KAFKA.cluster().admin().listTopics().names().get(20, TimeUnit.SECONDS))
                    .contains(stays)
                    .doesNotContain(gone);
        }
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = "classic")
    @Timeout(90)
    void topicDeleted_onTheClassicProtocol_holdsUpNoRevocationAndIsNotBroughtBack(String protocol) throws Exception {
        topicDeleted_underARun_holdsUpNoRevocationAndIsNotBroughtBack(protocol);
    }

    @Test
    @Tag("long")
    @Timeout(90)
    void externalOffsets_thatDoNotAnswer_areNamedAndAskedAgain() {
        KAFKA.cluster().createTopic("external", 1);
        Records.produce(KAFKA.bootstrapServers(), "external", 0, 10);
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch interrupted = new CountDownLatch(1);
        ExternalOffsets slow = new ExternalOffsets() {
            @Override
            public CompletionStage<Map<TopicPartition, Position>> load(Set<TopicPartition> partitions) {
                if (calls.incrementAndGet() > 1) {
                    return CompletableFuture.completedStage(
                            Map.of(new TopicPartition("external", 0), Position.offset(4)));
                }
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException late) {
                    interrupted.countDown();
                }
                return new CompletableFuture<>();
            }
        };
        var settings = atEnd("external", "classic").build();
        try (RunningPipeline running = KafkaSource.from(settings, Subscription.topics("external"))
                .plain(slow)
                .to(Sink.forEach(this::saw))
                .run()) {
            ConsumerHandle consumer = running.handles(ConsumerHandle.class).get(0);
            ConsumerLedger.await(
                    () -> "the reason, not " + consumer.health(SOON).reason(),
                    SOON,
                    () -> consumer.health(SOON).reason().contains("external-0: ExternalOffsets.load has not answered"));
            ConsumerLedger.await("the second answer", SOON, () -> read.size() == 6);
            ConsumerLedger.await("the interrupt", SOON, () -> interrupted.getCount() == 0);
        }
    }
}
