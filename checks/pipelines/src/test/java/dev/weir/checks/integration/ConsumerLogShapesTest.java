package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Subscription;
import dev.weir.stream.DrainReport;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests logs with gaps, logs without records, and bounded reads of both. */
class ConsumerLogShapesTest {

    private static final Duration SOON = Duration.ofMinutes(1);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("group.consumer.min.heartbeat.interval.ms", "300")
            .brokerConfig("group.consumer.heartbeat.interval.ms", "300")
            .brokerConfig("log.cleaner.backoff.ms", "200"));

    private final Queue<String> read = new ConcurrentLinkedQueue<>();

    private RunningPipeline run(ConsumerSettings<byte[], byte[]> settings, Subscription subscription) {
        return KafkaSource.from(settings, subscription)
                .atLeastOnce()
                .to(Sink.forEach(record -> read.add(new String(record.value(), StandardCharsets.US_ASCII))))
                .run();
    }

    private static ConsumerSettings<byte[], byte[]> settings(String group) {
        return ConsumerLedger.settings(KAFKA.cluster(), group).build();
    }

    private static void awaitNoLag(String topic, String group) {
        ConsumerLedger.await(
                "no lag of " + group,
                SOON,
                () -> KAFKA.cluster()
                        .committedOffsets(group)
                        .equals(KAFKA.cluster().endOffsets(topic)));
    }

    private static void transaction(String topic, boolean commit, String... values) {
        Map<String, Object> config =
                Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "transactional.id", topic, "acks", "all");
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            for (String value : values) {
                var ignored =
                        producer.send(new ProducerRecord<>(topic, 0, null, value.getBytes(StandardCharsets.US_ASCII)));
            }
            producer.flush();
            if (commit) {
                producer.commitTransaction();
            } else {
                producer.abortTransaction();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void transactionalTopic_readCommitted_skipsAbortedAndReachesNoLag(String protocol) throws Exception {
        String topic = "tx-" + protocol;
        KAFKA.cluster().createTopic(topic, 1);
        transaction(topic, true, "a", "b");
        transaction(topic, false, "x", "y");
        var settings = ConsumerLedger.settings(KAFKA.cluster(), topic)
                .property("isolation.level", "read_committed")
                .property("group.protocol", protocol)
                .build();
        try (RunningPipeline running = run(settings, Subscription.topics(topic))) {
            awaitNoLag(topic, topic);
            transaction(topic, true, "c");
            awaitNoLag(topic, topic);
            assertThat(running.completion()).isNotDone();
        }
        // The aborted transaction contains no readable record, but the position must pass it.
        transaction(topic, false, "z");
        try (RunningPipeline running = run(settings, Subscription.topics(topic))) {
            awaitNoLag(topic, topic);
            assertThat(running.completion()).isNotDone();
        }
        assertThat(read).containsExactly("a", "b", "c");
    }

    @Test
    void compactedTopic_withHoles_isReadOnceAndReachesNoLag() throws Exception {
        String topic = "compacted";
        KAFKA.cluster()
                .createTopic(
                        topic,
                        1,
                        Map.of(
                                "cleanup.policy", "compact",
                                "segment.bytes", "1048576",
                                "min.cleanable.dirty.ratio", "0.01",
                                "segment.ms", "500"));
        Records.produce(KAFKA.bootstrapServers(), topic, 0, 30_000, 10);
        // A new record in a new segment allows the cleaner to compact the old one.
        ConsumerLedger.await("compaction", Duration.ofSeconds(25), () -> {
            Records.produce(KAFKA.bootstrapServers(), topic, 0, 10, 10);
            return Records.readAll(KAFKA.bootstrapServers(), topic, IsolationLevel.READ_UNCOMMITTED)
                            .size()
                    < 20_000;
        });
        try (RunningPipeline running =
                run(settings("compacted"), Subscription.topics(topic).untilEnd())) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(read.size()).isBetween(10, 20_000);
        assertThat(KAFKA.cluster().committedOffsets("compacted"))
                .isEqualTo(KAFKA.cluster().endOffsets(topic));
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void untilEnd_emptyThenCommittedThenGrown_readsEachRecordOnce(String protocol) throws Exception {
        String topic = "bounded-" + protocol;
        KAFKA.cluster().createTopic(topic, 3);
        var settings = ConsumerLedger.settings(KAFKA.cluster(), topic)
                .property("group.protocol", protocol)
                .build();
        Subscription toEnd = Subscription.topics(topic).untilEnd();
        runToEnd(settings, toEnd);
        assertThat(read).isEmpty();
        Records.produce(KAFKA.bootstrapServers(), topic, 0, 1_000);
        runToEnd(settings, toEnd);
        runToEnd(settings, toEnd);
        Records.produce(KAFKA.bootstrapServers(), topic, 1_000, 1_000);
        runToEnd(settings, toEnd);
        assertThat(read).hasSize(2_000).doesNotHaveDuplicates();
        assertThat(KAFKA.cluster().committedOffsets(topic))
                .isEqualTo(KAFKA.cluster().endOffsets(topic));
    }

    private void runToEnd(ConsumerSettings<byte[], byte[]> settings, Subscription toEnd) throws InterruptedException {
        try (RunningPipeline running = run(settings, toEnd)) {
            DrainReport report = running.await();
            assertThat(report.leftUndone()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void untilEnd_threeMembersOfWhichOneGetsNothing_allEndAndReadEachRecordOnce(String protocol) throws Exception {
        String topic = "shared-" + protocol;
        KAFKA.cluster().createTopic(topic, 2);
        Records.produce(KAFKA.bootstrapServers(), topic, 0, 20_000);
        var settings = ConsumerLedger.settings(KAFKA.cluster(), topic)
                .property("group.protocol", protocol)
                .build();
        Subscription toEnd = Subscription.topics(topic).untilEnd();
        List<RunningPipeline> members = List.of(run(settings, toEnd), run(settings, toEnd), run(settings, toEnd));
        for (RunningPipeline member : members) {
            assertThat(member.await().drained()).isTrue();
        }
        assertThat(read).hasSize(20_000).doesNotHaveDuplicates();
        assertThat(KAFKA.cluster().committedOffsets(topic))
                .isEqualTo(KAFKA.cluster().endOffsets(topic));
    }
}
