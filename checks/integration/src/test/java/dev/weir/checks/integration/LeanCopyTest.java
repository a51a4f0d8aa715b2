package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerHandle;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.header.Header;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Copies from topic to topic with a lean consumer and a lean producer. */
@Timeout(300)
class LeanCopyTest {

    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int PARTITIONS = 3;
    private static final int CHUNK = 2_000;

    private static RunningPipeline copy(KafkaCluster cluster, Subscription from, String group, String to) {
        ProducerSettings<byte[], byte[]> settings = ProducerSettings.builder()
                .bootstrapServers(cluster.bootstrapServers())
                .produce(ProducePath.LEAN)
                .property("compression.type", "lz4")
                .property("batch.size", "4096")
                .property("request.timeout.ms", "5000")
                .build();
        return KafkaSource.from(
                        ConsumerLedger.settings(cluster, group)
                                .fetch(FetchPath.LEAN)
                                .build(),
                        from)
                .atLeastOnce()
                .map(record -> new ProducerRecord<>(
                        to, record.partition(), record.timestamp(), record.key(), record.value(), record.headers()))
                .to(KafkaSink.with(settings).records())
                .run();
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(KafkaCluster cluster, String topic, int partition) {
        return Records.readAll(cluster.bootstrapServers(), topic, IsolationLevel.READ_UNCOMMITTED).stream()
                .filter(record -> record.partition() == partition)
                .toList();
    }

    private static List<String> parts(ConsumerRecord<byte[], byte[]> record) {
        List<String> parts = new ArrayList<>();
        parts.add(String.valueOf(record.timestamp()));
        parts.add(text(record.key()));
        parts.add(text(record.value()));
        for (Header header : record.headers()) {
            parts.add(header.key() + "=" + text(header.value()));
        }
        return parts;
    }

    private static String text(byte @Nullable [] bytes) {
        return bytes == null ? "null" : new String(bytes, StandardCharsets.ISO_8859_1);
    }

    @Test
    void everyKindOfRecord_isCopiedAsItIs() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().start()) {
            cluster.createTopic("kinds", PARTITIONS);
            cluster.createTopic("kinds-out", PARTITIONS);
            byte[] some = "some".getBytes(StandardCharsets.ISO_8859_1);
            ProducerRecord<byte[], byte[]> withHeaders = new ProducerRecord<>("kinds", 1, 12_345L, some, some);
            withHeaders.headers().add("name", some).add("name", null).add("", new byte[0]);
            FailureTopics.produce(
                    cluster,
                    withHeaders,
                    new ProducerRecord<>("kinds", 1, null, null, some),
                    new ProducerRecord<byte[], byte[]>("kinds", 1, 7L, some, null),
                    new ProducerRecord<>("kinds", 2, 0L, new byte[0], new byte[500_000]));
            try (RunningPipeline running =
                    copy(cluster, Subscription.topics("kinds").untilEnd(), "kinds", "kinds-out")) {
                assertThat(running.await().drained()).isTrue();
            }
            for (int partition = 0; partition < PARTITIONS; partition++) {
                assertThat(read(cluster, "kinds-out", partition).stream().map(LeanCopyTest::parts))
                        .isEqualTo(read(cluster, "kinds", partition).stream()
                                .map(LeanCopyTest::parts)
                                .toList());
            }
            assertThat(cluster.committedOffsets("kinds")).isEqualTo(cluster.endOffsets("kinds"));
        }
    }

    @Test
    void brokerKilledUnderLoad_losesNothing_andKeepsTheOrder() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().brokers(3).forked().start()) {
            Map<String, String> durable = Map.of("min.insync.replicas", "2");
            cluster.createTopic("load", PARTITIONS, 3, durable);
            cluster.createTopic("load-out", PARTITIONS, 3, durable);
            AtomicBoolean enough = new AtomicBoolean();
            CompletableFuture<Integer> load = produceUntil(cluster, enough);
            int count;
            try (RunningPipeline running = copy(cluster, Subscription.topics("load"), "load", "load-out")) {
                await(() -> written(cluster) > CHUNK);
                long before = written(cluster);
                cluster.broker(2).kill();
                await(() -> written(cluster) > before + 4 * CHUNK);
                enough.set(true);
                count = load.get(LONG.toSeconds(), TimeUnit.SECONDS);
                await(() -> cluster.committedOffsets("load").equals(cluster.endOffsets("load")));
                ProducerHandle.Snapshot producer =
                        running.handles(ProducerHandle.class).getFirst().snapshot();
                assertThat(producer.bufferFreeBytes()).isPositive().isLessThanOrEqualTo(producer.bufferBytes());
                assertThat(producer.requestMillis()).isPositive();
                assertThat(running.drain(LONG).drained()).isTrue();
            } finally {
                enough.set(true);
            }
            Set<Long> all = new HashSet<>();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                List<Long> copied = Records.numbers(read(cluster, "load-out", partition));
                assertThat(copied.stream().distinct().toList())
                        .as("partition %s", partition)
                        .isEqualTo(Records.numbers(read(cluster, "load", partition)));
                all.addAll(copied);
            }
            assertThat(all).hasSize(count);
        }
    }

    /** Produces on its own thread until {@code enough} is true. Returns a future with the number of records. */
    private static CompletableFuture<Integer> produceUntil(KafkaCluster cluster, AtomicBoolean enough) {
        return CompletableFuture.supplyAsync(
                () -> {
                    int count = 0;
                    while (!enough.get()) {
                        Records.produce(cluster.bootstrapServers(), "load", count, CHUNK, 100);
                        count += CHUNK;
                    }
                    return count;
                },
                task -> Thread.ofPlatform().daemon().name("load").start(task));
    }

    /** Waits for a condition. Ignores exceptions, because a query may reach the killed broker. */
    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(LONG).ignoreExceptions().until(condition);
    }

    private static long written(KafkaCluster cluster) {
        return cluster.endOffsets("load-out").values().stream()
                .mapToLong(offset -> offset)
                .sum();
    }
}
