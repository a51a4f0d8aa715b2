package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Position;
import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.Subscription;
import dev.weir.lean.RecordView;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests differences between the lean path and the client path: decoding in place, failing and closing. */
class LeanSourceTest {

    private static final Duration SOON = Duration.ofMinutes(1);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static ConsumerSettings<byte[], byte[]> settings(String group) {
        return ConsumerLedger.settings(KAFKA.cluster(), group)
                .fetch(FetchPath.LEAN)
                .property("max.poll.records", "100")
                .build();
    }

    @Test
    void decoder_seesEachRecordOnce_andAllIsCommitted() throws Exception {
        KAFKA.cluster().createTopic("views", 3);
        Records.produce(KAFKA.bootstrapServers(), "views", 0, 20_000);
        Queue<Integer> numbers = new ConcurrentLinkedQueue<>();
        try (RunningPipeline running = KafkaSource.from(
                        settings("views"), Subscription.topics("views").untilEnd())
                .decodedBy(record -> Integer.valueOf(record.value().toUtf8()))
                .atLeastOnce()
                .to(Sink.forEach(numbers::add))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(numbers)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 20_000).boxed().toList());
        assertThat(KAFKA.cluster().committedOffsets("views"))
                .isEqualTo(KAFKA.cluster().endOffsets("views"));
    }

    @Test
    void decoder_ofTheOtherSources_seesEachRecordOnce() throws Exception {
        KAFKA.cluster().createTopic("other-views", 3);
        Records.produce(KAFKA.bootstrapServers(), "other-views", 0, 2_000);
        Subscription topic = Subscription.topics("other-views").untilEnd();
        Function<RecordView, Integer> decoder =
                record -> Integer.valueOf(record.value().toUtf8());
        ConsumerSettings<byte[], byte[]> alone = ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .fetch(FetchPath.LEAN)
                .build();
        List<Integer> all = IntStream.range(0, 2_000).boxed().toList();
        assertThat(KafkaSource.from(alone, topic).decodedBy(decoder).plain().runTo(Sink.toList()))
                .containsExactlyInAnyOrderElementsOf(all);
        assertThat(KafkaSource.from(settings("other-views"), topic)
                        .decodedBy(decoder)
                        .atMostOnce(100)
                        .runTo(Sink.toList()))
                .containsExactlyInAnyOrderElementsOf(all);
        assertThat(KAFKA.cluster().committedOffsets("other-views"))
                .isEqualTo(KAFKA.cluster().endOffsets("other-views"));
    }

    @Test
    void decoderThatThrows_failsTheRunWithTheRecordsPlace() {
        KAFKA.cluster().createTopic("refused", 1);
        Records.produce(KAFKA.bootstrapServers(), "refused", 0, 50);
        Function<RecordView, String> decoder = record -> {
            if (record.offset() == 30) {
                throw new IllegalStateException("not this one");
            }
            return "read";
        };
        try (RunningPipeline running = KafkaSource.from(settings("refused"), "refused")
                .decodedBy(decoder)
                .atLeastOnce()
                .to(Sink.ignore())
                .run()) {
            assertThatThrownBy(running::await)
                    .rootCause()
                    .hasMessage("not this one")
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(running::await).satisfies(failure -> {
                Throwable cause = failure;
                while (!(cause instanceof RecordDecodeException) && cause.getCause() != null) {
                    cause = cause.getCause();
                }
                assertThat(cause)
                        .isInstanceOf(RecordDecodeException.class)
                        .hasMessageContainingAll("refused-0@30", "let the decoder return something else");
            });
        }
    }

    @Test
    void decoder_withoutTheLeanPath_isRefused() {
        ConsumerSettings<byte[], byte[]> byClient =
                ConsumerLedger.settings(KAFKA.cluster(), "g").build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KafkaSource.from(byClient, Subscription.topics("t"))
                        .decodedBy(record -> "x")
                        .atLeastOnce())
                .withMessageContainingAll("fetch=CLIENT", "FetchPath.LEAN");
    }

    @Test
    void batchTooLargeToUnpack_failsTheRunWithItsPlaceAndTheWayOn() throws Exception {
        KAFKA.cluster().createTopic("huge", 1);
        Records.produce(KAFKA.bootstrapServers(), "huge", 0, 10);
        AtomicInteger seen = new AtomicInteger();
        try (RunningPipeline running = KafkaSource.from(settings("huge"), "huge")
                .atLeastOnce()
                .to(Sink.forEach(record -> seen.incrementAndGet()))
                .run()) {
            ConsumerLedger.await("those before it", SOON, () -> seen.get() == 10);
            produceZeros("huge", 70 * 1024 * 1024);
            assertThatThrownBy(running::await)
                    .isInstanceOf(KafkaPipelineException.class)
                    .hasMessageContainingAll("huge-0@10", "maxBatchBytes", "unreadableBatches");
        }
        assertThat(seen).hasValue(10);
        assertThat(KAFKA.cluster().committedOffsets("huge")).containsValue(10L);
    }

    /** Writes zeros, which compress to a few bytes on the brokers. */
    private static void produceZeros(String topic, int bytes) throws Exception {
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                KAFKA.bootstrapServers(),
                "compression.type",
                "zstd",
                "max.request.size",
                2 * bytes,
                "buffer.memory",
                2L * bytes);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            var ignored =
                    producer.send(new ProducerRecord<>(topic, new byte[bytes])).get();
        }
    }

    @Test
    void close_leavesNoConnection() throws Exception {
        KAFKA.cluster().createTopic("closed", 2);
        Records.produce(KAFKA.bootstrapServers(), "closed", 0, 1_000);
        KAFKA.cluster().endOffsets("closed");
        int before = connections();
        AtomicInteger seen = new AtomicInteger();
        try (RunningPipeline running = KafkaSource.from(settings("closed"), "closed")
                .atLeastOnce()
                .to(Sink.forEach(record -> seen.incrementAndGet()))
                .run()) {
            ConsumerLedger.await("all", SOON, () -> seen.get() == 1_000);
            assertThat(connections()).isGreaterThan(before);
            assertThat(running.completion()).isNotDone();
        }
        ConsumerLedger.await("all closed", SOON, () -> connections() <= before);
    }

    @Test
    void seek_whileTheRestOfABatchWaits_dropsIt() throws Exception {
        KAFKA.cluster().createTopic("rest", 1);
        Records.produce(KAFKA.bootstrapServers(), "rest", 0, 2_000);
        CountDownLatch gate = new CountDownLatch(1);
        Queue<Long> seen = new ConcurrentLinkedQueue<>();
        var small = settings("rest").toBuilder().maxOutstandingRecords(200).build();
        try (RunningPipeline running = KafkaSource.from(small, "rest")
                .atLeastOnce()
                .to(Sink.forEachBlocking(1, record -> {
                    gate.await();
                    seen.add(record.offset());
                }))
                .run()) {
            ConsumerHandle consumer = running.handles(ConsumerHandle.class).get(0);
            ConsumerLedger.await("paused", SOON, () -> consumer.snapshot().pausedPartitions() == 1);
            consumer.seek(Map.of(new TopicPartition("rest", 0), Position.offset(1_500)))
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS);
            gate.countDown();
            ConsumerLedger.await("the end", SOON, () -> seen.contains(1_999L));
        } finally {
            gate.countDown();
        }
        assertThat(seen.stream().filter(offset -> offset >= 300))
                .containsExactlyElementsOf(
                        LongStream.range(1_500, 2_000).boxed().toList());
    }

    @Test
    void revokedPartition_readBehindAMarker_isCommittedBehindIt() throws Exception {
        KAFKA.cluster().createTopic("marked", 2);
        Map<String, Object> config =
                Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "transactional.id", "marked");
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            for (int partition = 0; partition < 2; partition++) {
                var ignored = producer.send(new ProducerRecord<>("marked", partition, null, new byte[1]));
            }
            producer.flush(); // needed for the reason given in OpenTransactionTest
            producer.commitTransaction();
        }
        // Commits only at a revocation and at the end.
        var settings = settings("marked").toBuilder()
                .commitInterval(Duration.ofMinutes(10))
                .property("isolation.level", "read_committed")
                .build();
        Pipeline pipeline = KafkaSource.from(settings, "marked").atLeastOnce().to(Sink.ignore());
        try (RunningPipeline first = pipeline.run()) {
            ConsumerHandle consumer = first.handles(ConsumerHandle.class).get(0);
            ConsumerLedger.await(
                    "no lag",
                    SOON,
                    () -> consumer.snapshot().partitions().stream()
                                    .filter(partition -> partition.lag() == 0)
                                    .count()
                            == 2);
            try (RunningPipeline second = pipeline.run()) {
                ConsumerLedger.await(
                        "committed",
                        SOON,
                        () -> !KAFKA.cluster().committedOffsets("marked").isEmpty());
                assertThat(KAFKA.cluster().committedOffsets("marked"))
                        .containsValue(2L)
                        .hasSize(1);
                assertThat(second.completion()).isNotDone();
            }
        }
    }

    /** Returns the number of connections, as counted by the broker in this process. */
    private static int connections() {
        var beans = ManagementFactory.getPlatformMBeanServer();
        int open = 0;
        try {
            for (ObjectName each : beans.queryNames(
                    new ObjectName("kafka.server:type=socket-server-metrics,listener=*,networkProcessor=*"), null)) {
                open += ((Number) beans.getAttribute(each, "connection-count")).intValue();
            }
        } catch (JMException e) {
            throw new AssertionError(e);
        }
        return open;
    }
}
