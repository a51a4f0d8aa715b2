package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.weir.lean.LeanConsumer;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.RecordHandler;
import dev.weir.lean.StartAt;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that the whole consumer, including requests and sockets, allocates nothing per record and hardly anything per
 * fetch.
 */
class LeanAllocationTest {

    private static final int RECORDS = 200_000;
    private static final int PARTITIONS = 3;
    private static final int VALUE_BYTES = 100;
    private static final Duration TURN = Duration.ofMillis(50);
    private static final int WARM_PASSES = 4;

    /** The limit for {@value #RECORDS} records in about 25 fetches. */
    private static final long ALLOWED_BYTES = 20_000;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    /** The number of waits for records. Most waits send a fetch or receive an empty response. */
    private static final int WAITS = 1_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private long sum;
    private long copies;

    @ParameterizedTest
    @ValueSource(strings = {"none", "zstd"})
    void consumer_afterWarmUp_allocatesNothingPerRecord(String codec) {
        assertThat(allocated(codec, codec, record -> sum += record.value().length()))
                .as("bytes for " + RECORDS + " records")
                .isLessThan(ALLOWED_BYTES);
        assertThat(sum).isEqualTo((WARM_PASSES + 1L) * RECORDS * VALUE_BYTES);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"gzip", "snappy", "lz4"})
    void consumer_ofOtherCodecs_allocatesNothingPerRecord(String codec) {
        consumer_afterWarmUp_allocatesNothingPerRecord(codec);
    }

    @Test
    void handlerThatCopiesOneRecordInFiveHundred_isSeen() {
        assertThat(allocated("copied", "none", record -> {
                    sum += record.value().length();
                    if (record.offset() % 500 == 0) {
                        copies += record.value().toBytes().length;
                    }
                }))
                .isGreaterThan(ALLOWED_BYTES);
        assertThat(copies).isPositive();
    }

    @Test
    void consumer_thatWaitsForRecords_allocatesNothingPerFetch() {
        String topic = topic("waiting");
        LeanSettings.Builder settings = settings().maxFetchWait(Duration.ofMillis(2));
        try (LeanConsumer consumer = open(settings, topic)) {
            poll(consumer, WAITS);
            long fetches = consumer.metrics().emptyFetches();
            long before = threads.getCurrentThreadAllocatedBytes();
            poll(consumer, WAITS);
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(consumer.metrics().emptyFetches() - fetches).isGreaterThan(WAITS / 10);
            assertThat(allocated).as("bytes for " + WAITS + " polls").isLessThan(ALLOWED_BYTES);
        }
    }

    private void poll(LeanConsumer consumer, int times) {
        RecordHandler handler = record -> sum++;
        for (int i = 0; i < times; i++) {
            poll(consumer, handler);
        }
    }

    private static String topic(String name) {
        String topic = "allocation-" + name;
        KAFKA.cluster().createTopic(topic, PARTITIONS);
        return topic;
    }

    private static LeanSettings.Builder settings() {
        return LeanSettings.builder().bootstrapServers(KAFKA.bootstrapServers()).readCommitted(true);
    }

    private static LeanConsumer open(LeanSettings.Builder settings, String topic) {
        LeanConsumer consumer = LeanConsumer.open(settings.build());
        for (int partition = 0; partition < PARTITIONS; partition++) {
            consumer.assign(topic, partition, StartAt.beginning());
        }
        return consumer;
    }

    private static void poll(LeanConsumer consumer, RecordHandler handler) {
        if (consumer.poll(handler) == 0) {
            consumer.await(TURN);
        }
    }

    /** Returns the bytes allocated by the last of several reads of a new topic. */
    private long allocated(String name, String codec, RecordHandler handler) {
        String topic = topic(name);
        fill(topic, codec);
        try (LeanConsumer consumer = open(settings(), topic)) {
            long allocated = 0;
            for (int pass = 0; pass <= WARM_PASSES; pass++) {
                for (int index = 0; index < PARTITIONS; index++) {
                    consumer.seek(index, StartAt.offset(0));
                }
                long goal = consumer.metrics().records() + RECORDS;
                long before = threads.getCurrentThreadAllocatedBytes();
                read(consumer, handler);
                allocated = threads.getCurrentThreadAllocatedBytes() - before;
                assertThat(consumer.metrics().records()).isEqualTo(goal);
            }
            return allocated;
        }
    }

    private void read(LeanConsumer consumer, RecordHandler handler) {
        long start = sum;
        while (sum - start < (long) RECORDS * VALUE_BYTES) {
            poll(consumer, handler);
        }
    }

    private static void fill(String topic, String codec) {
        try (var producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        KAFKA.bootstrapServers(),
                        "compression.type",
                        codec,
                        "linger.ms",
                        20,
                        "batch.size",
                        100_000,
                        // A new leader may refuse the first batch. An idempotent producer then fails all later batches.
                        "enable.idempotence",
                        false),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int i = 0; i < RECORDS; i++) {
                var ignored = producer.send(new ProducerRecord<>(topic, i % PARTITIONS, null, new byte[VALUE_BYTES]));
            }
        }
    }
}
