package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests flow control by its effects on brokers and memory. */
class ConsumerFlowTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    /** Returns the bytes that the broker in this process has sent to consumers of the topic. */
    private static long bytesOut(String topic) throws JMException {
        return (long) ManagementFactory.getPlatformMBeanServer()
                .getAttribute(
                        new ObjectName("kafka.server:type=BrokerTopicMetrics,name=BytesOutPerSec,topic=" + topic),
                        "Count");
    }

    @Test
    @Timeout(120)
    void pausedOverAndOver_nothingIsFetchedTwice() throws Exception {
        int records = 20_000;
        KafkaCluster cluster = KAFKA.cluster();
        cluster.createTopic("once", 4);
        Records.produce(cluster.bootstrapServers(), "once", 0, records);
        assertThat(pausesOf(ConsumerLedger.settings(cluster, "never"), records)).isZero();
        long once = bytesOut("once");
        var often = ConsumerLedger.settings(cluster, "often")
                .maxOutstandingRecords(200)
                .property("max.poll.records", "100");
        assertThat(pausesOf(often, records)).isPositive();
        assertThat(bytesOut("once")).isEqualTo(2 * once);
    }

    /** Reads all records. Returns how often the consumer had a paused partition. */
    private static int pausesOf(ConsumerSettings.Builder<byte[], byte[]> settings, int records)
            throws InterruptedException {
        ConsumerLedger ledger = new ConsumerLedger(records);
        AtomicInteger pauses = new AtomicInteger();
        try (RunningPipeline running = KafkaSource.from(
                        settings.build(), Subscription.topics("once").untilEnd())
                .atLeastOnce()
                .mapBlocking(4, RecordOrdering.byPartition(), record -> {
                    ConsumerLedger.work(Duration.ofNanos(100_000));
                    ledger.handled(record);
                    return record;
                })
                .to(Sink.ignore())
                .run()) {
            ConsumerLedger.await("read", PATIENCE, () -> {
                if (snapshot(running).pausedPartitions() > 0) {
                    pauses.incrementAndGet();
                }
                return running.completion().isDone();
            });
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(ledger.lost() + ledger.duplicates()).isZero();
        return pauses.get();
    }

    @Test
    @Timeout(150)
    void sixHundredPartitions_stayWithinTheBudget() throws Exception {
        stayWithinTheBudget(600, 20);
    }

    @Test
    @Tag("long")
    @Timeout(150)
    void threeThousandPartitions_stayWithinTheBudget() throws Exception {
        stayWithinTheBudget(3_000, 4);
    }

    private static void stayWithinTheBudget(int partitions, int perPartition) throws Exception {
        int valueBytes = 1_000;
        long budgetBytes = 2L * 1024 * 1024;
        try (KafkaCluster cluster = KafkaCluster.builder()
                .forked()
                .heapMegabytes(384)
                .brokerConfig("log.index.size.max.bytes", "4096")
                .brokerConfig("log.cleaner.enable", "false")
                .start()) {
            cluster.createTopic("many", partitions);
            fill(cluster, partitions, perPartition, valueBytes);
            assertThat(cluster.endOffsets("many").values()).hasSize(partitions).containsOnly((long) perPartition);
            CountDownLatch gate = new CountDownLatch(1);
            ConsumerLedger ledger = new ConsumerLedger(partitions * perPartition);
            var settings = ConsumerLedger.settings(cluster, "many")
                    .bufferBytes(budgetBytes)
                    .property("max.poll.records", "200")
                    .build();
            try (RunningPipeline running = KafkaSource.from(settings, "many")
                    .atLeastOnce()
                    .mapBlocking(4, RecordOrdering.byPartition(), record -> {
                        gate.await();
                        ledger.handled(record);
                        return record;
                    })
                    .to(Sink.ignore())
                    .run()) {
                ConsumerLedger.await(
                        "all paused", PATIENCE, () -> snapshot(running).pausedPartitions() == partitions);
                long outstanding = snapshot(running).partitions().stream()
                        .mapToLong(ConsumerSnapshot.PartitionSnapshot::outstanding)
                        .sum();
                assertThat(outstanding * valueBytes).isBetween(budgetBytes / 2, budgetBytes + 200L * valueBytes);
                gate.countDown();
                ledger.awaitSeen(partitions * perPartition, PATIENCE);
                assertThat(running.drain(Duration.ofSeconds(20)).drained()).isTrue();
            } finally {
                gate.countDown();
            }
            assertThat(ledger.duplicates()).isZero();
        }
    }

    /** Regression: no partition was paused, and 352 MB were in memory with a budget of 4 MB. */
    @Test
    @Timeout(120)
    void headers_countInTheBudget() throws Exception {
        int records = 300;
        int headerBytes = 100_000;
        long budgetBytes = 4L * 1024 * 1024;
        KafkaCluster cluster = KAFKA.cluster();
        cluster.createTopic("headed", 2);
        fillWithHeaders(cluster, records, headerBytes);
        CountDownLatch gate = new CountDownLatch(1);
        ConsumerLedger ledger = new ConsumerLedger(records);
        var settings = ConsumerLedger.settings(cluster, "headed")
                .bufferBytes(budgetBytes)
                .build();
        try (RunningPipeline running = KafkaSource.from(settings, "headed")
                .atLeastOnce()
                .mapBlocking(4, RecordOrdering.byPartition(), record -> {
                    gate.await();
                    ledger.handled(record);
                    return record;
                })
                .to(Sink.ignore())
                .run()) {
            ConsumerLedger.await(
                    "both paused, or all read",
                    PATIENCE,
                    () -> snapshot(running).pausedPartitions() == 2 || outstanding(running) == records);
            // Each of the two partitions may exceed the budget by half of it, and one poll by a quarter.
            assertThat(outstanding(running) * headerBytes).isLessThan(budgetBytes * 7 / 4 + headerBytes);
            gate.countDown();
            ledger.awaitSeen(records, PATIENCE);
            assertThat(running.drain(Duration.ofSeconds(20)).drained()).isTrue();
        } finally {
            gate.countDown();
        }
        assertThat(ledger.duplicates()).isZero();
    }

    private static long outstanding(RunningPipeline running) {
        return snapshot(running).partitions().stream()
                .mapToLong(ConsumerSnapshot.PartitionSnapshot::outstanding)
                .sum();
    }

    private static void fillWithHeaders(KafkaCluster cluster, int records, int headerBytes) {
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", cluster.bootstrapServers(), "batch.size", 500_000),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int i = 0; i < records; i++) {
                var record = new ProducerRecord<byte[], byte[]>(
                        "headed", i % 2, null, Integer.toString(i).getBytes(StandardCharsets.US_ASCII));
                record.headers().add("trace", new byte[headerBytes]);
                var ignored = producer.send(record);
            }
        }
    }

    private static void fill(KafkaCluster cluster, int partitions, int perPartition, int valueBytes) {
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of(
                        "bootstrap.servers",
                        cluster.bootstrapServers(),
                        "linger.ms",
                        100,
                        "enable.idempotence",
                        false,
                        "batch.size",
                        perPartition * valueBytes * 2),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int partition = 0; partition < partitions; partition++) {
                for (int i = 0; i < perPartition; i++) {
                    // The number is padded to the requested size.
                    String number = String.format("%0" + valueBytes + "d", (long) partition * perPartition + i);
                    var ignored = producer.send(
                            new ProducerRecord<>("many", partition, null, number.getBytes(StandardCharsets.US_ASCII)));
                }
            }
        }
    }

    private static ConsumerSnapshot snapshot(RunningPipeline running) {
        return running.handles(ConsumerHandle.class).get(0).snapshot();
    }
}
