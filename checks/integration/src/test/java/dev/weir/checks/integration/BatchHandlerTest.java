package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.batch.BatchHandler;
import dev.weir.kafka.batch.BatchOutcome;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.stream.Backoff;
import dev.weir.stream.Ordering;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests handlers that receive several records at once, on real brokers. */
@Timeout(180)
class BatchHandlerTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static final int COUNT = 2_000;
    private static final int KEYS = 7;

    private static ConsumerSettings<byte[], byte[]> consumer(String group) {
        return ConsumerLedger.settings(KAFKA.cluster(), group).build();
    }

    static ProducerSettings<byte[], byte[]> producer(String bootstrapServers) {
        return ProducerSettings.builder().bootstrapServers(bootstrapServers).build();
    }

    private static void createTopics(String name) {
        KAFKA.cluster().createTopic(name, 3);
        KAFKA.cluster().createTopic(name + "-out", 3);
        KAFKA.cluster().createTopic(name + "-dead", 1);
        Records.produce(KAFKA.bootstrapServers(), name, 0, COUNT, KEYS);
    }

    private static long number(ConsumerRecord<byte[], byte[]> record) {
        return Records.numbers(List.of(record)).getFirst();
    }

    private static KafkaFlow<byte[], byte[]> untilEnd(String name) {
        return KafkaFlow.from(consumer(name), Subscription.topics(name).untilEnd());
    }

    private static void assertCommitted(String name) {
        assertThat(KAFKA.cluster().committedOffsets(name))
                .isEqualTo(KAFKA.cluster().endOffsets(name));
    }

    @Test
    void outcomes_areThoseOfEachRecord_andKeysKeepTheirOrder() throws Exception {
        createTopics("outcomes");
        Map<Long, List<Long>> byKey = new ConcurrentHashMap<>();
        Set<Long> working = ConcurrentHashMap.newKeySet();
        Set<Long> retried = ConcurrentHashMap.newKeySet();
        BatchHandler<byte[], byte[]> handler = batch -> {
            Set<Long> keys = new HashSet<>();
            batch.forEach(record -> keys.add(number(record) % KEYS));
            for (long key : keys) {
                assertThat(working.add(key))
                        .as("key %s is worked on alone", key)
                        .isTrue();
            }
            List<BatchOutcome> outcomes = new ArrayList<>();
            for (ConsumerRecord<byte[], byte[]> record : batch) {
                long number = number(record);
                byKey.computeIfAbsent(number % KEYS, key -> new ArrayList<>()).add(number);
                outcomes.add(
                        switch ((int) (number % 100)) {
                            case 10 -> BatchOutcome.skip();
                            case 20 -> BatchOutcome.deadLetter(new IllegalStateException("not wanted"));
                            case 30 ->
                                retried.add(number)
                                        ? BatchOutcome.retry(new IllegalStateException("once more"))
                                        : BatchOutcome.done();
                            default -> BatchOutcome.done();
                        });
            }
            working.removeAll(keys);
            return outcomes;
        };
        try (RunningPipeline running = untilEnd("outcomes")
                .handleBatch(50, Duration.ofMillis(20), RecordOrdering.byKey(), handler)
                .retry(RetryPolicy.of(3, Backoff.between(Duration.ofMillis(1), Duration.ofMillis(10))))
                .deadLetter("outcomes-dead")
                .produceTo(
                        producer(KAFKA.bootstrapServers()),
                        record -> new ProducerRecord<>("outcomes-out", record.key(), record.value()))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(written("outcomes-out").stream().sorted())
                .isEqualTo(LongStream.range(0, COUNT)
                        .filter(number -> number % 100 != 10 && number % 100 != 20)
                        .boxed()
                        .toList());
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), "outcomes-dead"))
                .hasSize(COUNT / 100)
                .allSatisfy(deadLetter ->
                        assertThat(deadLetter.header(DeadLetterHeaders.CAUSE)).contains("IllegalStateException"));
        assertThat(retried).hasSize(COUNT / 100);
        byKey.values()
                .forEach(numbers -> assertThat(numbers.stream().distinct()).isSorted());
        assertCommitted("outcomes");
    }

    private static List<Long> written(String topic) {
        return Records.numbers(Records.readAll(KAFKA.bootstrapServers(), topic, IsolationLevel.READ_UNCOMMITTED));
    }

    @Test
    void callThatThrows_isDividedUntilThePoisonIsALetter_andTheOthersAreDoneOnce() throws Exception {
        createTopics("poison");
        Set<Long> poison = Set.of(3L, 500L, 501L, 1999L);
        Map<Long, Integer> done = new ConcurrentHashMap<>();
        try (RunningPipeline running = untilEnd("poison")
                .handleBatch(100, Duration.ofMillis(20), RecordOrdering.byPartition(), batch -> {
                    if (batch.stream().anyMatch(record -> poison.contains(number(record)))) {
                        throw new IllegalArgumentException("poison");
                    }
                    batch.forEach(record -> done.merge(number(record), 1, Integer::sum));
                    return BatchOutcome.allDone(batch);
                })
                .deadLetter("poison-dead")
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(done).hasSize(COUNT - poison.size()).doesNotContainKeys(poison.toArray(Long[]::new));
        assertThat(done.values()).containsOnly(1);
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), "poison-dead"))
                .extracting(deadLetter -> number(deadLetter.record()))
                .containsExactlyInAnyOrderElementsOf(poison);
        assertCommitted("poison");
    }

    @Test
    void drain_finishesTheBatchesThatHaveBegun_andCommitsThem() throws Exception {
        createTopics("drain");
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Set<Long> handled = ConcurrentHashMap.newKeySet();
        try (RunningPipeline running = KafkaFlow.from(consumer("drain"), "drain")
                .handleBatch(10, Duration.ofSeconds(10), Ordering.unordered(), batch -> {
                    begun.countDown();
                    assertThat(goOn.await(60, TimeUnit.SECONDS)).isTrue();
                    batch.forEach(record -> handled.add(number(record)));
                    return BatchOutcome.allDone(batch);
                })
                .run()) {
            assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
            running.stop();
            goOn.countDown();
            assertThat(running.drain(Duration.ofSeconds(60)).leftUndone()).isEmpty();
        }
        long committed = KAFKA.cluster().committedOffsets("drain").values().stream()
                .mapToLong(Long::longValue)
                .sum();
        assertThat(committed).isPositive().isLessThanOrEqualTo(handled.size());
    }

    @Test
    void processKilled_anotherHandlesTheRest_andNothingIsLost() throws Exception {
        createTopics("killed");
        try (PipeProcess process = PipeProcess.startMain(
                "dev.weir.checks.integration.BatchProcess", 128, KAFKA.bootstrapServers(), "killed", "500")) {
            assertThat(process.awaitOut()).isEqualTo("half");
            process.kill();
        }
        try (RunningPipeline running = untilEnd("killed")
                .handleBatch(50, Duration.ofMillis(20), RecordOrdering.byKey(), batch -> BatchOutcome.allDone(batch))
                .produceTo(
                        producer(KAFKA.bootstrapServers()),
                        record -> new ProducerRecord<>("killed-out", record.key(), record.value()))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(written("killed-out").stream().distinct().sorted())
                .isEqualTo(LongStream.range(0, COUNT).boxed().toList());
        assertCommitted("killed");
    }
}
