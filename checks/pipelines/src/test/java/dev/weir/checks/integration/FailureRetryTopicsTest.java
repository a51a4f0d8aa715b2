package dev.weir.checks.integration;

import static dev.weir.checks.integration.FailureTopics.record;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.RetryTopics;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests records that wait in retry topics, on a real broker. */
class FailureRetryTopicsTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static final Duration SOON = Duration.ofSeconds(40);

    private record Call(long millis, ConsumerRecord<String, String> record) {}

    private static ConsumerSettings<String, String> settings(String group) {
        return ConsumerSettings.builder(new StringDeserializer(), new StringDeserializer())
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(group)
                .commitInterval(Duration.ofMillis(50))
                .build();
    }

    private static void createTopics(String name, int orders) {
        KAFKA.cluster().createTopic(name, 2);
        KAFKA.cluster().createTopic(name + "-retry-1", 2);
        KAFKA.cluster().createTopic(name + "-retry-2", 1);
        KAFKA.cluster().createTopic(name + "-dead", 1);
        @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
        ProducerRecord<byte[], byte[]>[] records = new ProducerRecord[orders];
        for (int i = 0; i < orders; i++) {
            records[i] = record(name, "k" + i, Integer.toString(i));
        }
        FailureTopics.produce(KAFKA.cluster(), records);
    }

    private static boolean isCommitted(String topic, String group) {
        return KAFKA.cluster()
                .committedOffsets(group)
                .entrySet()
                .containsAll(KAFKA.cluster().endOffsets(topic).entrySet().stream()
                        .filter(end -> end.getValue() > 0)
                        .toList());
    }

    @Test
    void failedRecord_goesThroughTheTiersInTheirTime_thenBecomesALetter() throws Exception {
        createTopics("tiers", 20);
        Duration first = Duration.ofSeconds(1);
        Duration second = Duration.ofMillis(1500);
        Map<String, Queue<Call>> calls = new ConcurrentHashMap<>();
        try (RunningPipeline running = KafkaFlow.from(settings("tiers"), "tiers")
                .forEach(4, RecordOrdering.byKey(), order -> {
                    Queue<Call> ofOrder = calls.computeIfAbsent(order.value(), v -> new ConcurrentLinkedQueue<>());
                    ofOrder.add(new Call(System.currentTimeMillis(), order));
                    int number = Integer.parseInt(order.value());
                    // Of every five records, one always fails, one fails once, and three never fail.
                    if (number % 5 == 0 || (number % 5 == 1 && ofOrder.size() == 1)) {
                        throw new IllegalStateException("not yet " + order.value());
                    }
                })
                .retryTopics(RetryTopics.of("tiers-retry-1", first).then("tiers-retry-2", second))
                .deadLetter("tiers-dead")
                .run()) {
            ConsumerLedger.await(
                    "letters",
                    SOON,
                    () -> FailureTopics.read(KAFKA.cluster(), "tiers-dead").size() == 4);
            for (String topic : List.of("tiers", "tiers-retry-1", "tiers-retry-2")) {
                ConsumerLedger.await("commits of " + topic, SOON, () -> isCommitted(topic, "tiers"));
            }
            assertThat(running.completion()).isNotDone();
        }
        calls.forEach((value, times) -> {
            int kind = Integer.parseInt(value) % 5;
            List<Call> all = List.copyOf(times);
            assertThat(all).as("calls for %s", value).hasSize(kind == 0 ? 3 : kind == 1 ? 2 : 1);
            for (int i = 1; i < all.size(); i++) {
                assertThat(all.get(i).millis() - all.get(i - 1).millis())
                        .isGreaterThanOrEqualTo((i == 1 ? first : second).toMillis());
            }
            // The handler sees the record with its original topic.
            assertThat(all).allSatisfy(call -> {
                assertThat(call.record().topic()).isEqualTo("tiers");
                assertThat(call.record().offset())
                        .isEqualTo(all.getFirst().record().offset());
                assertThat(call.record().timestamp()).isEqualTo(FailureTopics.TIMESTAMP);
            });
        });
        assertThat(calls).hasSize(20);
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), "tiers-dead"))
                .hasSize(4)
                .allSatisfy(deadLetter -> {
                    assertThat(deadLetter.topic()).isEqualTo("tiers");
                    assertThat(deadLetter.timestamp()).isEqualTo(FailureTopics.TIMESTAMP);
                    assertThat(deadLetter.header(DeadLetterHeaders.ATTEMPTS)).isEqualTo("3");
                    assertThat(deadLetter.originalHeaders()).isEqualTo(FailureTopics.headers());
                });
    }

    // Regression: retry headers of another flow made a record skip retry tiers.
    @Test
    void recordWithRetryHeadersOfAnotherFlow_isHandledUnderItsOwnOriginInEachTier() throws Exception {
        createTopics("passed", 0);
        ProducerRecord<byte[], byte[]> record = record("passed", "k", "1");
        Map.of(RetryTopics.TOPIC, "elsewhere", RetryTopics.PARTITION, "7", RetryTopics.OFFSET, "99")
                .forEach((name, value) -> record.headers().add(name, value.getBytes(UTF_8)));
        record.headers()
                .add(RetryTopics.TIER, "2".getBytes(UTF_8))
                .add(RetryTopics.DUE, "9".repeat(15).getBytes(UTF_8));
        FailureTopics.produce(KAFKA.cluster(), record);
        Queue<ConsumerRecord<String, String>> calls = new ConcurrentLinkedQueue<>();
        Duration soon = Duration.ofMillis(1);
        try (RunningPipeline running = KafkaFlow.from(settings("passed"), "passed")
                .forEach(1, RecordOrdering.byKey(), order -> {
                    calls.add(order);
                    throw new IllegalStateException("never");
                })
                .retryTopics(RetryTopics.of("passed-retry-1", soon).then("passed-retry-2", soon))
                .deadLetter("passed-dead")
                .run()) {
            ConsumerLedger.await(
                    "a dead-letter record",
                    SOON,
                    () -> !FailureTopics.read(KAFKA.cluster(), "passed-dead").isEmpty());
            assertThat(running.completion()).isNotDone();
        }
        assertThat(calls).hasSize(3).allSatisfy(call -> assertThat(call.topic()).isEqualTo("passed"));
        DeadLetterRecord deadLetter =
                FailureTopics.deadLetters(KAFKA.cluster(), "passed-dead").getFirst();
        assertThat(deadLetter.topic() + "@" + deadLetter.offset()).isEqualTo("passed@0");
        assertThat(deadLetter.header(DeadLetterHeaders.ATTEMPTS)).isEqualTo("3");
        assertThat(deadLetter.originalHeaders()).isEqualTo(FailureTopics.headers());
    }

    // Waiting records delay no other records and no drain, and are neither committed nor lost.
    @Test
    void recordsThatWait_holdUpNothing_andAreNotPartOfADrain() throws Exception {
        createTopics("hour", 600);
        Queue<String> done = new ConcurrentLinkedQueue<>();
        RunningPipeline running = KafkaFlow.from(settings("hour"), "hour")
                .forEach(4, RecordOrdering.byKey(), order -> {
                    if (Integer.parseInt(order.value()) % 2 == 0) {
                        throw new IllegalStateException("later");
                    }
                    done.add(order.value());
                })
                .retryTopics(RetryTopics.of("hour-retry-1", Duration.ofHours(1)))
                .deadLetter("hour-dead")
                .run();
        ConsumerLedger.await("the others", SOON, () -> done.size() == 300);
        ConsumerLedger.await("commits", SOON, () -> isCommitted("hour", "hour"));
        ConsumerLedger.await(
                "300 fetched and waiting",
                SOON,
                () -> running.handles(ConsumerHandle.class).stream()
                                .mapToInt(handle -> handle.snapshot().bufferedRecords())
                                .sum()
                        == 300);
        FailureTopics.produce(KAFKA.cluster(), record("hour", "k", "601"));
        ConsumerLedger.await("one more", SOON, () -> done.size() == 301);

        assertThat(running.drain(Duration.ofSeconds(20)).drained()).isTrue();
        assertThat(running.completion().join().elapsed()).isLessThan(Duration.ofMinutes(1));
        assertThat(KAFKA.cluster().committedOffsets("hour").entrySet())
                .noneMatch(offset -> offset.getKey().topic().equals("hour-retry-1") && offset.getValue() > 0);
        assertThat(FailureTopics.read(KAFKA.cluster(), "hour-retry-1"))
                .hasSize(300)
                .allSatisfy(record -> {
                    assertThat(record.headers().lastHeader(RetryTopics.TIER).value())
                            .isEqualTo(new byte[] {'1'});
                    assertThat(record.headers().lastHeader(RetryTopics.CAUSE)).isNotNull();
                });
    }

    @Test
    void retryTopic_thatDoesNotExist_isRefusedAtTheStart_andSoIsOneWithoutAnEnd() {
        KAFKA.cluster().createTopic("missing", 1);
        KAFKA.cluster().createTopic("missing-dead", 1);
        var flow = KafkaFlow.from(settings("missing"), "missing")
                .forEach(1, Ordering.input(), order -> {})
                .retryTopics(RetryTopics.of("missing-retry", Duration.ofSeconds(1)));
        assertThatThrownBy(flow::pipeline)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("needs deadLetter");
        assertThatThrownBy(flow.deadLetter("missing-dead").pipeline()::run)
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("there is no topic missing-retry");
    }
}
