package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExactlyOnceFlow;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerHandle;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.TransactionHandle;
import dev.weir.stream.DrainReport;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Source;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the messages about operators, sources and topics that an exactly-once flow refuses. */
@Timeout(300)
class ExactlyOnceLimitsTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            // Deleted topics are not recreated automatically.
            new KafkaClusterExtension(KafkaCluster.builder().brokerConfig("auto.create.topics.enable", "false"));

    private static void createTopics(String name, int records) {
        KAFKA.cluster().createTopic(name + "-in", 2);
        KAFKA.cluster().createTopic(name + "-out", 2);
        Records.produce(KAFKA.bootstrapServers(), name + "-in", 0, records, ExactlyOnceLedger.KEYS);
    }

    private static ConsumerSettings.Builder<byte[], byte[]> consumer(String name) {
        return ConsumerLedger.settings(KAFKA.cluster(), name);
    }

    private static ProducerSettings.Builder<byte[], byte[]> producer() {
        return ProducerSettings.builder().bootstrapServers(KAFKA.bootstrapServers());
    }

    private static ExactlyOnceFlow<byte[], byte[]> untilEnd(ConsumerSettings<byte[], byte[]> settings, String topic) {
        return KafkaSource.from(settings, Subscription.topics(topic).untilEnd())
                .exactlyOnce()
                .commitInterval(Duration.ofMillis(20));
    }

    private static ProducerRecord<byte[], byte[]> to(String topic, ConsumerRecord<byte[], byte[]> record) {
        return new ProducerRecord<>(topic, null, record.timestamp(), record.key(), record.value());
    }

    private static long number(ConsumerRecord<byte[], byte[]> record) {
        return Records.numbers(List.of(record)).getFirst();
    }

    private static DrainReport toEnd(Pipeline pipeline) throws Exception {
        try (RunningPipeline run = pipeline.run()) {
            return run.completion().toCompletableFuture().get(240, TimeUnit.SECONDS);
        }
    }

    // Regression: another source's consumer committed records whose results were aborted.
    @Test
    void elementsOfAnotherSource_areRefused_andNotAcknowledged() throws Exception {
        createTopics("mine", 100);
        createTopics("other", 100);
        Source<ConsumerRecord<byte[], byte[]>> other =
                KafkaSource.from(consumer("other").build(), "other-in").atLeastOnce();
        Pipeline merged = untilEnd(consumer("mine").build(), "mine-in")
                .commitInterval(Duration.ofSeconds(20))
                .produceTo(producer().build(), records -> records.merge(other).map(record -> to("mine-out", record)));
        assertThatThrownBy(() -> toEnd(merged))
                .cause()
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("another source, other-in-");
        assertThat(KAFKA.cluster().committedOffsets("other").values())
                .as("offsets past the beginning")
                .isSubsetOf(0L);
        assertThat(ExactlyOnceLedger.committed(KAFKA.cluster(), "mine-out")).isEmpty();
    }

    // Consecutive windows share an element, so no transaction can end between them.
    @Test
    void windowsThatOverlap_failTheRunWellBeforeTheTimeout_andNameTheInputs() {
        createTopics("sliding", 1_000);
        Pipeline windows = KafkaSource.from(consumer("sliding").build(), "sliding-in")
                .exactlyOnce()
                .produceTo(
                        producer().property("transaction.timeout.ms", "6000").build(),
                        records -> records.sliding(2, 1).map(window -> to("sliding-out", window.getFirst())));
        assertThatThrownBy(() -> toEnd(windows))
                .cause()
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("a transaction cannot be ended")
                .hasMessageContaining("sliding-in-")
                .hasMessageContaining("zipLatest")
                .hasMessageContaining("transaction.timeout.ms=6000");
        assertThat(ExactlyOnceLedger.committed(KAFKA.cluster(), "sliding-out")).isEmpty();
    }

    // An operator holds elements until the end, so the finished offsets do not fit into a commit.
    @Test
    void groupThatWaitsForTheEnd_amongRecordsThatAreFinished_getsThatEnd() throws Exception {
        int count = 20_000;
        createTopics("scattered", count);
        DrainReport report =
                toEnd(untilEnd(consumer("scattered").commitMetadataChars(512).build(), "scattered-in")
                        .produceTo(
                                producer().build(),
                                records -> records.filter(record -> number(record) % 3 == 0)
                                        .grouped(count)
                                        .mapConcat(group -> group)
                                        .map(record -> to("scattered-out", record))));
        assertThat(report.leftUndone()).isEmpty();
        assertThat(ExactlyOnceLedger.committed(KAFKA.cluster(), "scattered-out").stream()
                        .sorted())
                .isEqualTo(LongStream.range(0, count)
                        .filter(number -> number % 3 == 0)
                        .boxed()
                        .toList());
        assertThat(KAFKA.cluster().committedOffsets("scattered"))
                .isEqualTo(KAFKA.cluster().endOffsets("scattered-in"));
    }

    // Regression: one unfinished record between finished ones made the transaction time out, in every attempt.
    @Test
    void recordsThatStayUnfinishedBetweenOthers_failTheRunWellBeforeTheTimeout_andNameThePlaces() {
        createTopics("gaps", 12_000);
        CountDownLatch never = new CountDownLatch(1);
        Pipeline pipeline = KafkaSource.from(
                        consumer("gaps").commitMetadataChars(512).build(), "gaps-in")
                .exactlyOnce()
                .commitInterval(Duration.ofMillis(20))
                .produceTo(
                        producer().property("transaction.timeout.ms", "8000").build(),
                        records -> records.mapBlocking(12_000, Ordering.unordered(), record -> {
                                    if (record.offset() % 2 == 0) {
                                        never.await();
                                    }
                                    return record;
                                })
                                .map(record -> to("gaps-out", record)));
        assertThatThrownBy(() -> toEnd(pipeline))
                .cause()
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("a transaction cannot be ended")
                .hasMessageContaining("gaps-in-")
                .hasMessageContaining("commitMetadataChars")
                .hasMessageContaining("transaction.timeout.ms=8000");
    }

    /** A run that cannot read the committed metadata repeats results. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void commitThatIsRewritten_repeatsTheResultsPastItsOffset_andNoOtherDoes(boolean rewritten) throws Exception {
        String name = "rewritten-" + rewritten;
        int count = 10;
        var id = new TopicPartition(name + "-in", 0);
        KAFKA.cluster().createTopic(name + "-in", 1);
        KAFKA.cluster().createTopic(name + "-out", 1);
        Records.produce(KAFKA.bootstrapServers(), name + "-in", 0, count);
        CountDownLatch enough = new CountDownLatch(1);
        Pipeline held = KafkaSource.from(consumer(name).build(), name + "-in")
                .exactlyOnce()
                .commitInterval(Duration.ofMillis(20))
                .produceTo(
                        producer().build(),
                        records -> records.mapBlocking(count, Ordering.unordered(), record -> {
                                    if (record.offset() == 0) {
                                        enough.await();
                                        throw new IllegalStateException("never done");
                                    }
                                    return record;
                                })
                                .map(record -> to(name + "-out", record)));
        try (RunningPipeline run = held.run()) {
            ConsumerLedger.await(
                    "all but the first are committed",
                    Duration.ofSeconds(60),
                    () -> ExactlyOnceLedger.committed(KAFKA.cluster(), name + "-out")
                                    .size()
                            == count - 1);
            enough.countDown();
            assertThatThrownBy(() -> run.completion().toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .hasStackTraceContaining("never done");
        }
        assertThat(KAFKA.cluster().committedOffsets(name)).containsEntry(id, 0L);
        if (rewritten) {
            var admin = KAFKA.cluster().admin();
            admin.alterConsumerGroupOffsets(name, Map.of(id, new OffsetAndMetadata(0, "weir9:of a later version:")))
                    .all()
                    .get(60, TimeUnit.SECONDS);
        }
        toEnd(untilEnd(consumer(name).build(), name + "-in")
                .produceTo(producer().build(), records -> records.map(record -> to(name + "-out", record))));
        assertThat(ExactlyOnceLedger.committed(KAFKA.cluster(), name + "-out"))
                .hasSize(rewritten ? 2 * count - 1 : count)
                .containsAll(LongStream.range(0, count).boxed().toList());
    }

    @Test
    void endWithinTheOutputsOfAnInput_abortsTheLastTransaction_andNamesTheInput() throws Exception {
        createTopics("partial", 100);
        DrainReport report = toEnd(untilEnd(consumer("partial").build(), "partial-in")
                .commitInterval(Duration.ofSeconds(10))
                .produceTo(
                        producer().build(),
                        records -> records.mapConcat(record -> List.of(record, record, record))
                                .take(10)
                                .map(record -> to("partial-out", record))));
        assertThat(report.leftUndone())
                .anySatisfy(left -> assertThat(left).contains("only a part of the results of partial-in-"));
        assertThat(ExactlyOnceLedger.committed(KAFKA.cluster(), "partial-out")).isEmpty();
    }

    // Regression: after one input topic was deleted, the run never committed the other topics.
    @Test
    void topicThatIsDeleted_doesNotKeepTheOthersFromBeingCommitted() throws Exception {
        int count = 2_000;
        createTopics("stays", count);
        KAFKA.cluster().createTopic("goes-in", 1);
        Records.produce(KAFKA.bootstrapServers(), "goes-in", count, 1, ExactlyOnceLedger.KEYS);
        CountDownLatch seen = new CountDownLatch(1);
        CountDownLatch deleted = new CountDownLatch(1);
        Function<ConsumerRecord<byte[], byte[]>, ConsumerRecord<byte[], byte[]>> hold = record -> {
            if (record.topic().equals("goes-in")) {
                seen.countDown();
                await(deleted);
            }
            return record;
        };
        try (RunningPipeline run = KafkaSource.from(consumer("stays").build(), "stays-in", "goes-in")
                .exactlyOnce()
                .commitInterval(Duration.ofMillis(20))
                .produceTo(
                        producer().build(),
                        records -> records.mapBlocking(4, Ordering.unordered(), hold::apply)
                                .map(record -> to("stays-out", record)))
                .run()) {
            await(seen);
            KAFKA.cluster().deleteTopic("goes-in");
            deleted.countDown();
            ConsumerLedger.await(
                    "all that is left is committed",
                    Duration.ofMinutes(1),
                    () -> KAFKA.cluster().endOffsets("stays-in").entrySet().stream()
                            .allMatch(end -> end.getValue()
                                    .equals(KAFKA.cluster()
                                            .committedOffsets("stays")
                                            .get(end.getKey()))));
            assertThat(run.drain(Duration.ofSeconds(30)).leftUndone()).isEmpty();
        }
        assertThat(ExactlyOnceLedger.committed(KAFKA.cluster(), "stays-out").stream()
                        .filter(number -> number < count)
                        .sorted())
                .isEqualTo(LongStream.range(0, count).boxed().toList());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    @Test
    void latency_isCountedFromTheTimestampToTheCommit() throws Exception {
        createTopics("late", 1_000);
        long before = System.currentTimeMillis();
        try (RunningPipeline run = untilEnd(consumer("late").build(), "late-in")
                .produceTo(
                        producer().build(),
                        records -> records.map(record ->
                                new ProducerRecord<>("late-out", null, before - 5_000, record.key(), record.value())))
                .run()) {
            run.completion().toCompletableFuture().get(240, TimeUnit.SECONDS);
            ProducerHandle producer = run.handles(ProducerHandle.class).getFirst();
            assertThat(producer.latency().count()).isEqualTo(1_000);
            assertThat(producer.latency().p50()).isGreaterThanOrEqualTo(5_000);
            assertThat(producer.snapshot().unanswered()).isZero();
            assertThat(run.handles(TransactionHandle.class)
                            .getFirst()
                            .snapshot()
                            .committed())
                    .isPositive();
        }
    }
}
