package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.ShareGroupConfig;
import dev.weir.kafka.ShareHandle;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.ShareSettings.Start;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the end of a bounded read by a share group that reads committed records only. */
@Timeout(60)
class ShareUntilEndTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private final Queue<String> read = new ConcurrentLinkedQueue<>();

    private static KafkaProducer<byte[], byte[]> producer(String transactionalId) {
        Map<String, Object> config =
                new HashMap<>(Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "acks", "all"));
        if (!transactionalId.isEmpty()) {
            config.put("transactional.id", transactionalId);
        }
        var producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
        if (!transactionalId.isEmpty()) {
            producer.initTransactions();
        }
        return producer;
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, String topic, String what, int count) {
        for (int i = 0; i < count; i++) {
            byte[] value = (what + i).getBytes(StandardCharsets.US_ASCII);
            var ignored = producer.send(new ProducerRecord<>(topic, 0, null, value));
        }
        producer.flush();
    }

    private static ShareSettings<byte[], byte[]> settings(String group, FetchPath fetch) {
        var settings = ShareSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(group)
                .startAt(Start.EARLIEST)
                .fetch(fetch)
                .untilEnd()
                .build();
        ShareGroupConfig.set(settings, Map.of("share.isolation.level", "read_committed"));
        return settings;
    }

    private void assertReads(ShareSettings<byte[], byte[]> settings, String topic, int records) throws Exception {
        try (RunningPipeline running = KafkaFlow.shared(settings, topic)
                .forEach(4, Ordering.unordered(), record -> read.add(FailureTopics.value(record)))
                .run()) {
            assertThat(running.await().drained()).isTrue();
            assertThat(running.handles(ShareHandle.class).getFirst().snapshot().accepted())
                    .isEqualTo(records);
        }
        assertThat(read).hasSize(records).doesNotHaveDuplicates();
    }

    // Regression: the read did not end until the open transaction had ended.
    @ParameterizedTest
    @EnumSource
    void openTransaction_isWhereTheReadEnds(FetchPath fetch) throws Exception {
        String name = "open-" + fetch;
        KAFKA.cluster().createTopic(name, 2);
        try (var plain = producer("");
                var stranger = producer("stranger-" + name)) {
            send(plain, name, "before", 50);
            stranger.beginTransaction();
            send(stranger, name, "open", 10);
            send(plain, name, "behind", 20);
            assertReads(settings(name, fetch), name, 50);
            stranger.commitTransaction();
            read.clear();
            assertReads(settings(name, fetch), name, 30);
        }
    }

    @ParameterizedTest
    @EnumSource
    void openTransaction_behindWhichAllIs_leavesNothingToRead(FetchPath fetch) throws Exception {
        String name = "first-" + fetch;
        KAFKA.cluster().createTopic(name, 1);
        try (var stranger = producer("stranger-" + name)) {
            stranger.beginTransaction();
            send(stranger, name, "open", 10);
            assertReads(settings(name, fetch), name, 0);
            stranger.abortTransaction();
        }
    }

    @ParameterizedTest
    @EnumSource
    void abortedRecords_andMarkers_beforeAnOpenTransaction_holdUpNothing(FetchPath fetch) throws Exception {
        String name = "aborted-" + fetch;
        KAFKA.cluster().createTopic(name, 1);
        try (var one = producer("one-" + name);
                var other = producer("other-" + name)) {
            one.beginTransaction();
            send(one, name, "done", 5);
            one.commitTransaction();
            one.beginTransaction();
            send(one, name, "aborted", 7);
            one.abortTransaction();
            other.beginTransaction();
            send(other, name, "open", 3);
            assertReads(settings(name, fetch), name, 5);
        }
    }

    @ParameterizedTest
    @EnumSource
    void abortedRecords_atTheEnd_holdUpNothing(FetchPath fetch) throws Exception {
        String name = "end-" + fetch;
        KAFKA.cluster().createTopic(name, 1);
        try (var one = producer("one-" + name)) {
            one.beginTransaction();
            send(one, name, "aborted", 3);
            one.abortTransaction();
            assertReads(settings(name + "-0", fetch), name, 0);
            one.beginTransaction();
            send(one, name, "done", 5);
            one.commitTransaction();
            one.beginTransaction();
            send(one, name, "aborted", 7);
            one.abortTransaction();
        }
        assertReads(settings(name, fetch), name, 5);
    }
}
