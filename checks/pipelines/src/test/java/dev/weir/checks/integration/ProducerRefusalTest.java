package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests sinks whose brokers refuse one record: the order and state of all other records, and the dead-letter record.
 */
@Timeout(120)
class ProducerRefusalTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static final int COUNT = 3_000;

    private static ConsumerSettings<byte[], byte[]> consumer(String group) {
        return ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(group)
                .commitInterval(Duration.ofMillis(50))
                .build();
    }

    /** Returns settings with small batches: several are in flight, and others wait. */
    private static ProducerSettings<byte[], byte[]> producer() {
        return ProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .produce(OnLeanProducing.current())
                .property("batch.size", "2000")
                .build();
    }

    private static void createTopics(String name) {
        KAFKA.cluster().createTopic(name, 1);
        KAFKA.cluster().createTopic(name + "-out", 2, Map.of("cleanup.policy", "compact"));
        KAFKA.cluster().createTopic(name + "-dead", 1);
        Records.produce(KAFKA.bootstrapServers(), name, 0, COUNT, 7);
    }

    /** Returns the output record. A poisoned record has no key, which the broker refuses. */
    private static ProducerRecord<byte[], byte[]> made(
            String name, ConsumerRecord<byte[], byte[]> record, LongPredicate poison) {
        byte @Nullable [] key = poison.test(record.offset()) ? null : record.key();
        int partition = (int) (Records.numbers(List.of(record)).getFirst() % 7 % 2);
        return new ProducerRecord<>(name + "-out", partition, key, record.value());
    }

    private static Pipeline plain(String name, LongPredicate poison) {
        return KafkaSource.from(consumer(name), Subscription.topics(name).untilEnd())
                .atLeastOnce()
                .map(record -> made(name, record, poison))
                .to(KafkaSink.with(producer()).records());
    }

    private static List<Long> written(String name, int partition) {
        return Records.numbers(
                Records.readAll(KAFKA.bootstrapServers(), name + "-out", IsolationLevel.READ_UNCOMMITTED).stream()
                        .filter(record -> record.partition() == partition)
                        .toList());
    }

    private static void assertEachInOrder(String name, Set<Long> without) {
        for (int partition = 0; partition < 2; partition++) {
            long ofIt = partition;
            List<Long> written = written(name, partition);
            Set<Long> seen = new HashSet<>();
            assertThat(written.stream().filter(seen::add).toList())
                    .as("first of each in partition %s", partition)
                    .isEqualTo(LongStream.range(0, COUNT)
                            .filter(n -> n % 7 % 2 == ofIt && !without.contains(n))
                            .boxed()
                            .toList());
            assertThat(written.getLast())
                    .isEqualTo(written.stream().max(Long::compare).orElseThrow());
        }
    }

    // Regression: batch N was refused, and batch N+1 was accepted and committed. The next run wrote N after N+1.
    @Test
    void refusedRecord_withOthersBehindIt_failsTheRunNamingItsInput_andARestartKeepsTheOrder() throws Exception {
        createTopics("restart");
        for (int run = 0; run < 2; run++) {
            try (RunningPipeline running = plain("restart", n -> n == 663).run()) {
                assertThatThrownBy(running::await)
                        .isInstanceOf(ProduceException.class)
                        .hasMessageContaining("restart-out")
                        .hasMessageContaining("restart-0@663");
            }
            int poisoned = 663 % 7 % 2;
            assertThat(written("restart", poisoned))
                    .allSatisfy(n -> assertThat(n).isLessThan(663));
        }
        try (RunningPipeline running = plain("restart", n -> false).run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertEachInOrder("restart", Set.of());
    }

    @Test
    void recordTooLargeForTheBroker_failsTheRunAndSaysWhatToDo_andARestartKeepsTheOrder() throws Exception {
        createTopics("large");
        TopicLimits.setMaxMessageBytes(KAFKA.cluster(), "large-out", "3000");
        Pipeline pipeline = KafkaSource.from(
                        consumer("large"), Subscription.topics("large").untilEnd())
                .atLeastOnce()
                .map(record -> {
                    ProducerRecord<byte[], byte[]> made = made("large", record, n -> false);
                    if (record.offset() == 800) {
                        made.headers().add("large", new byte[5000]);
                    }
                    return made;
                })
                .to(KafkaSink.with(producer()).records());
        try (RunningPipeline running = pipeline.run()) {
            assertSaysWhatIsTooLarge(assertThatThrownBy(running::await));
        }
        TopicLimits.setMaxMessageBytes(KAFKA.cluster(), "large-out", "1000000");
        try (RunningPipeline running = pipeline.run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertEachInOrder("large", Set.of());
    }

    /** Checks that the message names the sizes, because the client does not know the record at fault. */
    void assertSaysWhatIsTooLarge(AbstractThrowableAssert<?, ?> failure) {
        failure.isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("max.message.bytes")
                .hasMessageContaining("batch.size")
                .hasMessageContaining("without an answer are large-0@");
    }

    // Regression: the pipe stalled, because the client endlessly split the batch that was too large.
    @Test
    void recordTooLargeForTheBrokerWithinABatch_becomesTheLetter_andItsNeighboursAreWrittenInOrder() throws Exception {
        createTopics("batch");
        TopicLimits.setMaxMessageBytes(KAFKA.cluster(), "batch-out", "3000");
        try (RunningPipeline running = KafkaFlow.from(
                        consumer("batch"), Subscription.topics("batch").untilEnd())
                .handle(1, Ordering.input(), record -> record)
                .deadLetter("batch-dead")
                .produceTo(producer(), record -> {
                    ProducerRecord<byte[], byte[]> made = made("batch", record, n -> false);
                    if (record.offset() == 800) {
                        made.headers().add("large", new byte[5000]);
                    }
                    return made;
                })
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), "batch-dead"))
                .singleElement()
                .satisfies(deadLetter -> {
                    assertThat(deadLetter.offset()).isEqualTo(800);
                    assertThat(deadLetter.header(DeadLetterHeaders.CAUSE)).contains("RecordTooLargeException");
                });
        assertEachInOrder("batch", Set.of(800L));
    }

    @Test
    void recordTooLargeForTheBrokerAlone_failsTheRunNamingItsInput() throws Exception {
        KAFKA.cluster().createTopic("alone", 1);
        KAFKA.cluster().createTopic("alone-out", 1, Map.of("max.message.bytes", "3000"));
        FailureTopics.produce(KAFKA.cluster(), new ProducerRecord<>("alone", 0, null, new byte[5000]));
        try (RunningPipeline running = KafkaSource.from(
                        consumer("alone"), Subscription.topics("alone").untilEnd())
                .atLeastOnce()
                .map(record -> new ProducerRecord<>("alone-out", record.key(), record.value()))
                .to(KafkaSink.with(producer()).records())
                .run()) {
            assertThatThrownBy(running::await)
                    .isInstanceOf(ProduceException.class)
                    .hasMessageContaining("alone-0@0");
        }
    }

    // Regression: one record failed its whole batch, and no dead-letter record was written.
    @Test
    void poisonInTheMiddleOfABatch_becomesTheLetter_andItsNeighboursAreWrittenInOrder() throws Exception {
        createTopics("poison");
        Set<Long> poison = Set.of(500L, 501L, 502L, 777L, 1200L, 2999L);
        try (RunningPipeline running = KafkaFlow.from(
                        consumer("poison"), Subscription.topics("poison").untilEnd())
                .handle(1, Ordering.input(), record -> record)
                .deadLetter("poison-dead")
                .produceTo(producer(), record -> made("poison", record, poison::contains))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), "poison-dead"))
                .allSatisfy(deadLetter -> {
                    assertThat(deadLetter.header(DeadLetterHeaders.REASON)).isEqualTo("WRITE");
                    assertThat(deadLetter.header(DeadLetterHeaders.CAUSE)).contains("InvalidRecordException");
                })
                .extracting(DeadLetterRecord::offset)
                .containsExactlyInAnyOrderElementsOf(poison);
        assertEachInOrder("poison", poison);
        assertThat(KAFKA.cluster().committedOffsets("poison"))
                .isEqualTo(KAFKA.cluster().endOffsets("poison"));
    }

    @Test
    void recordThatCannotBeSerialised_failsTheRunNamingItsInput() throws Exception {
        KAFKA.cluster().createTopic("place", 1);
        KAFKA.cluster().createTopic("place-out", 1);
        FailureTopics.produce(
                KAFKA.cluster(),
                new ProducerRecord<>("place", 0, null, "a".getBytes(UTF_8)),
                new ProducerRecord<>("place", 0, null, "b".getBytes(UTF_8)));
        try (RunningPipeline running = KafkaFlow.from(
                        consumer("place"), Subscription.topics("place").untilEnd())
                .handle(1, Ordering.input(), record -> record)
                .produceTo(
                        producer(),
                        record -> new ProducerRecord<>(
                                "place-out", record.offset() == 1 ? new byte[2_000_000] : record.value()))
                .run()) {
            assertThatThrownBy(running::await)
                    .isInstanceOf(ProduceException.class)
                    .hasMessageContaining("cannot write to topic place-out")
                    .hasMessageContaining("place-0@1");
        }
    }
}
