package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.weir.lean.LeanConsumer;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.StartAt;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole consumer, requests and sockets included, makes no garbage per record, and hardly any per fetch. */
class LeanAllocationTest {

    private static final int RECORDS = 200_000;
    private static final int PARTITIONS = 3;
    private static final int WARM_PASSES = 4;

    /** For {@value #RECORDS} records in some 25 fetches: what the JDK's selector makes now and then. */
    private static final long ALLOWED_BYTES = 20_000;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private long sum;

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void consumer_afterWarmUp_allocatesNothingPerRecord(String codec) {
        String topic = "allocation-" + codec;
        KAFKA.cluster().createTopic(topic, PARTITIONS);
        try (var producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        KAFKA.bootstrapServers(),
                        "compression.type",
                        codec,
                        "linger.ms",
                        20,
                        "batch.size",
                        100_000),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int i = 0; i < RECORDS; i++) {
                var ignored = producer.send(new ProducerRecord<>(topic, i % PARTITIONS, null, new byte[100]));
            }
        }
        LeanSettings settings = LeanSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .readCommitted(true)
                .build();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (LeanConsumer consumer = LeanConsumer.open(settings)) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                consumer.assign(topic, partition, StartAt.beginning());
            }
            long allocated = 0;
            for (int pass = 0; pass <= WARM_PASSES; pass++) {
                for (int index = 0; index < PARTITIONS; index++) {
                    consumer.seek(index, StartAt.offset(0));
                }
                long goal = consumer.metrics().records() + RECORDS;
                long before = threads.getCurrentThreadAllocatedBytes();
                read(consumer, goal);
                allocated = threads.getCurrentThreadAllocatedBytes() - before;
            }
            assertThat(sum).isEqualTo((WARM_PASSES + 1L) * RECORDS * 100);
            assertThat(allocated).as("bytes for " + RECORDS + " records").isLessThan(ALLOWED_BYTES);
        }
    }

    private void read(LeanConsumer consumer, long goal) {
        Duration turn = Duration.ofMillis(50);
        long start = sum;
        while (sum - start < RECORDS * 100L) {
            if (consumer.poll(record -> sum += record.value().length()) == 0) {
                consumer.await(turn);
            }
        }
        assertThat(consumer.metrics().records()).isEqualTo(goal);
    }
}
