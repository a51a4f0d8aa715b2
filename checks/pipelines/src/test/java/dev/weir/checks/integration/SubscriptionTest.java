package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.OffsetOutOfRangeException;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.spi.Lookup.Described;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests subscriptions: which partitions to read, where to start, and where to end. */
class SubscriptionTest {

    private static final Duration SOON = Duration.ofMinutes(1);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("group.consumer.min.heartbeat.interval.ms", "300")
            .brokerConfig("group.consumer.heartbeat.interval.ms", "300"));

    private final Queue<Integer> read = new ConcurrentLinkedQueue<>();

    private RunningPipeline run(ConsumerSettings<byte[], byte[]> settings, Subscription subscription) {
        return KafkaSource.from(settings, subscription)
                .atLeastOnce()
                .to(Sink.forEach(
                        record -> read.add(Integer.valueOf(new String(record.value(), StandardCharsets.US_ASCII)))))
                .run();
    }

    private void readAll(ConsumerSettings<byte[], byte[]> settings, Subscription bounded) throws InterruptedException {
        try (RunningPipeline running = run(settings, bounded)) {
            assertThat(running.await().drained()).isTrue();
        }
    }

    private static ConsumerSettings.Builder<byte[], byte[]> settings(String group, String protocol) {
        return ConsumerLedger.settings(KAFKA.cluster(), group).property("group.protocol", protocol);
    }

    private static TopicPartition topic(String name, long records) {
        KAFKA.cluster().createTopic(name, 1);
        Records.produce(KAFKA.bootstrapServers(), name, 0, records);
        return new TopicPartition(name, 0);
    }

    private static Integer[] numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toArray(Integer[]::new);
    }

    private static void deleteUpTo(TopicPartition id, long offset) throws Exception {
        KAFKA.cluster()
                .admin()
                .deleteRecords(Map.of(id, RecordsToDelete.beforeOffset(offset)))
                .all()
                .get();
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void pattern_topicCreatedLater_isPickedUp(String protocol) throws Exception {
        String topic = "shop-" + protocol;
        topic(topic + "-a", 10);
        topic("other-" + topic + "-x", 10);
        var settings =
                settings(topic, protocol).property("metadata.max.age.ms", "500").build();
        try (RunningPipeline running = run(settings, Subscription.pattern(topic + "-.*"))) {
            ConsumerLedger.await("first topic", SOON, () -> read.size() == 10);
            KAFKA.cluster().createTopic(topic + "-b", 2);
            Records.produce(KAFKA.bootstrapServers(), topic + "-b", 10, 10);
            ConsumerLedger.await("second topic", SOON, () -> read.size() == 20);
            assertThat(read).containsExactlyInAnyOrder(numbers(0, 20));
            assertThat(running.completion()).isNotDone();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void start_ofAGroupThatHasCommittedNothing_appliesOnceOnly(String protocol) throws Exception {
        String topic = "start-" + protocol;
        topic(topic, 100);
        var settings = settings(topic, protocol).build();
        Subscription from40 =
                Subscription.topics(topic).startingAt(Position.offset(40)).untilEnd();
        readAll(settings, from40);
        assertThat(read).containsExactly(numbers(40, 100));
        Records.produce(KAFKA.bootstrapServers(), topic, 100, 5);
        readAll(settings, from40);
        assertThat(read).containsExactly(numbers(40, 105));
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void start_atTheEndByReset_readsWhatComesOnly(String protocol) {
        String topic = "latest-" + protocol;
        topic(topic, 100);
        var settings = settings(topic, protocol)
                .property("auto.offset.reset", "latest")
                .build();
        try (RunningPipeline running = run(settings, Subscription.topics(topic))) {
            ConsumerLedger.await(
                    "commit of the start",
                    SOON,
                    () -> KAFKA.cluster().committedOffsets(topic).containsValue(100L));
            Records.produce(KAFKA.bootstrapServers(), topic, 100, 5);
            ConsumerLedger.await("new records", SOON, () -> read.size() == 5);
            assertThat(read).containsExactly(numbers(100, 105));
            assertThat(running.completion()).isNotDone();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void start_withoutCommitAndResetNone_failsWithThePartition(String protocol) {
        String topic = "none-" + protocol;
        topic(topic, 1);
        var settings =
                settings(topic, protocol).property("auto.offset.reset", "none").build();
        try (RunningPipeline running = run(settings, Subscription.topics(topic))) {
            assertThatThrownBy(running::await)
                    .isInstanceOf(KafkaPipelineException.class)
                    .hasMessageContaining("nothing of " + topic + "-0")
                    .hasMessageContaining("auto.offset.reset");
        }
    }

    @Test
    void partitions_betweenOffsets_areReadWhateverIsCommitted() throws Exception {
        TopicPartition id = topic("given", 100);
        var settings = settings("given", "classic").build();
        Subscription some =
                Subscription.partitions(id).startingAt(id, Position.offset(20)).until(id, Position.offset(30));
        readAll(settings, some);
        readAll(settings, some);
        assertThat(read).hasSize(20).containsOnly(numbers(20, 30));
        assertThat(KAFKA.cluster().committedOffsets("given")).containsEntry(id, 30L);
        readAll(settings, Subscription.partitions(id).untilEnd());
        assertThat(List.copyOf(read).subList(20, 90)).containsExactly(numbers(30, 100));
    }

    @Test
    void partitions_betweenTimes_areReadFromFirstToLastRecordBetween() throws Exception {
        KAFKA.cluster().createTopic("times", 1);
        TopicPartition id = new TopicPartition("times", 0);
        long hour = Duration.ofHours(1).toMillis();
        long first = System.currentTimeMillis() - 10 * hour;
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int n = 0; n < 10; n++) {
                byte[] value = Integer.toString(n).getBytes(StandardCharsets.US_ASCII);
                var ignored = producer.send(new ProducerRecord<>("times", 0, first + n * hour, null, value));
            }
        }
        var settings = settings("times", "classic").build();
        readAll(
                settings,
                Subscription.partitions(id)
                        .startingAt(Position.time(Instant.ofEpochMilli(first + 2 * hour - 1)))
                        .until(Position.time(Instant.ofEpochMilli(first + 5 * hour))));
        assertThat(read).containsExactly(2, 3, 4);
        readAll(
                settings,
                Subscription.partitions(id)
                        .startingAt(Position.time(Instant.ofEpochMilli(first + 8 * hour)))
                        .until(Position.time(Instant.now())));
        assertThat(read).containsExactly(2, 3, 4, 8, 9);
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void outOfRange_byDefault_failsWithThePlaceAndTheChoices(String protocol) throws Exception {
        String topic = "gone-" + protocol;
        TopicPartition id = topic(topic, 100);
        commit(topic, id, 10);
        deleteUpTo(id, 60);
        try (RunningPipeline running = run(settings(topic, protocol).build(), Subscription.topics(topic))) {
            assertThatThrownBy(running::await)
                    .isInstanceOf(OffsetOutOfRangeException.class)
                    .hasMessageContaining(id + "@10")
                    .hasMessageContaining("60 to 100")
                    .hasMessageContaining("NEAREST");
        }
        assertThat(KAFKA.cluster().committedOffsets(topic)).containsEntry(id, 10L);
        assertThat(read).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void outOfRange_nearest_goesOnWhereRecordsAre(String protocol) throws Exception {
        String topic = "nearest-" + protocol;
        TopicPartition id = topic(topic, 100);
        commit(topic, id, 10);
        deleteUpTo(id, 60);
        var settings =
                settings(topic, protocol).outOfRange(OutOfRangePolicy.NEAREST).build();
        readAll(settings, Subscription.topics(topic).untilEnd());
        assertThat(read).containsExactly(numbers(60, 100));
        assertThat(KAFKA.cluster().committedOffsets(topic)).containsEntry(id, 100L);
        commit(topic, id, 1_000);
        try (RunningPipeline running = run(settings, Subscription.topics(topic))) {
            ConsumerLedger.await(
                    "the end is committed",
                    SOON,
                    () -> KAFKA.cluster().committedOffsets(topic).containsValue(100L));
            assertThat(running.completion()).isNotDone();
        }
    }

    private static void commit(String group, TopicPartition id, long offset) throws Exception {
        KAFKA.cluster()
                .admin()
                .alterConsumerGroupOffsets(group, Map.of(id, new OffsetAndMetadata(offset)))
                .all()
                .get();
    }

    @Test
    void settingOfAPartitionThatTheTopicLacks_isRefusedAtTheStart() {
        KAFKA.cluster().createTopic("three", 3);
        TopicPartition fourth = new TopicPartition("three", 3);
        Map<String, Subscription> wrong = Map.of(
                "startingAt", Subscription.topics("three").startingAt(fourth, Position.offset(7)),
                "until", Subscription.pattern("thre.").until(fourth, Position.offset(7)),
                "priority", Subscription.topics("three").priority(fourth, 1));
        wrong.forEach((setting, subscription) -> assertThatThrownBy(() ->
                        run(settings("three", "consumer").build(), subscription).close())
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining(setting + " names partition three-3, but topic three has only 0 to 2"));
    }

    /** Regression: one lagging broker failed the start. */
    @Test
    void settingOfAPartitionThatABrokerDoesNotKnowYet_isAccepted() throws Exception {
        KAFKA.cluster().createTopic("grown", 4);
        AtomicInteger answers = new AtomicInteger();
        Described before = new Described(
                IntStream.range(0, 3)
                        .mapToObj(partition -> new TopicPartition("grown", partition))
                        .collect(Collectors.toSet()),
                Map.of());
        Subscription grown =
                Subscription.topics("grown").startingAt(new TopicPartition("grown", 3), Position.offset(0));
        FastKafka around = FastKafka.at(
                KAFKA.bootstrapServers(),
                lookup -> FastKafka.answering(
                        lookup,
                        (method, args) -> method.equals("partitions") && answers.getAndIncrement() == 0
                                ? CompletableFuture.completedStage(before)
                                : null));
        try (around;
                RunningPipeline running = run(settings("grown", "consumer").build(), grown)) {
            assertThat(running.drain(Duration.ofSeconds(30)).drained()).isTrue();
        }
        assertThat(answers).hasValueGreaterThan(1);
    }

    /** The topic may be created later. */
    @Test
    void settingOfAPartitionOfAMissingTopic_isAccepted() throws Exception {
        Subscription later =
                Subscription.topics("missing").startingAt(new TopicPartition("missing", 3), Position.offset(7));
        try (RunningPipeline running = run(settings("missing", "consumer").build(), later)) {
            assertThat(running.drain(Duration.ofSeconds(30)).drained()).isTrue();
        }
    }

    @Test
    void committable_withoutGroup_isRefused() {
        var settings = ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .build();
        assertThatThrownBy(() -> run(settings, Subscription.topics("any"))).hasMessageContaining("group.id");
    }
}
