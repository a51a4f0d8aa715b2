package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Sender;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that the threads of a closed client are garbage-collected. Regression: a closed producer kept 15 MB of buffers
 * until another producer was opened.
 */
class ClosedClientsTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    @BeforeAll
    static void write() {
        KAFKA.cluster().createTopic("in", 1);
        KAFKA.cluster().createTopic("out", 1);
        Records.produce(KAFKA.bootstrapServers(), "in", 0, 100, 7);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sender", "lean sender", "sink", "lean sink", "transactions", "batches", "letters"})
    void closedClients_areNotReachableAnyMore(String kind) throws Exception {
        List<WeakReference<Thread>> threads = threadsOf(kind);

        assertThat(threads).isNotEmpty();
        Awaitility.await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> {
            System.gc();
            assertThat(threads.stream().map(WeakReference::get).filter(Objects::nonNull))
                    .isEmpty();
        });
    }

    /** Runs a client, closes it, and returns its threads. */
    private static List<WeakReference<Thread>> threadsOf(String kind) throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        List<WeakReference<Thread>> threads;
        if (kind.endsWith("sender")) {
            try (Sender<byte[], byte[]> sender = Sender.open(producer(kind))) {
                var ignored = sender.sendAndWait(new ProducerRecord<>("out", new byte[1]));
                threads = threadsSince(before);
            }
            return threads;
        }
        Map<TopicPartition, Long> ends = KAFKA.cluster().endOffsets("in");
        try (RunningPipeline running = pipeline(kind).run()) {
            ConsumerLedger.await(
                    "commits",
                    Duration.ofSeconds(30),
                    () -> KAFKA.cluster().committedOffsets(kind).equals(ends));
            threads = threadsSince(before);
            assertThat(running.completion()).isNotDone();
        }
        return threads;
    }

    private static List<WeakReference<Thread>> threadsSince(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread))
                .filter(thread -> thread.getName().startsWith("kafka-producer-network-thread")
                        || thread.getName().startsWith("weir-"))
                .map(WeakReference::new)
                .toList();
    }

    private static ProducerSettings<byte[], byte[]> producer(String kind) {
        return ProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .produce(kind.startsWith("lean") ? ProducePath.LEAN : ProducePath.CLIENT)
                .build();
    }

    private static Pipeline pipeline(String kind) {
        ConsumerSettings<byte[], byte[]> consumer = ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(kind)
                .build();
        Subscription in = Subscription.topics("in");
        return switch (kind) {
            case "transactions" ->
                KafkaSource.from(consumer, in)
                        .exactlyOnce()
                        .produceTo(producer(kind), records -> records.map(ClosedClientsTest::copy));
            case "batches" ->
                KafkaSource.from(consumer, in)
                        .atLeastOnce()
                        .map(ClosedClientsTest::copy)
                        .to(KafkaSink.with(producer(kind)).transactional(kind).records());
            case "letters" ->
                KafkaFlow.from(consumer, in)
                        .handle(1, Ordering.input(), record -> {
                            throw new IllegalArgumentException("not of this form");
                        })
                        .deadLetter(DeadLetterTopic.of("out", producer(kind)))
                        .pipeline();
            default ->
                KafkaSource.from(consumer, in)
                        .atLeastOnce()
                        .map(ClosedClientsTest::copy)
                        .to(KafkaSink.with(producer(kind)).records());
        };
    }

    private static ProducerRecord<byte[], byte[]> copy(ConsumerRecord<byte[], byte[]> record) {
        return new ProducerRecord<>("out", record.key(), record.value());
    }
}
