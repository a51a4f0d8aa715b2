package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.BatchTooLargeException;
import dev.weir.lean.LeanConsumer;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.OffsetLostException;
import dev.weir.lean.OffsetLostPolicy;
import dev.weir.lean.StartAt;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests a lean consumer against a real broker. */
class LeanConsumerTest {

    private static final int COUNT = 5_000;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokerConfig("message.max.bytes", "12000000"));

    private final List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>();

    private static LeanSettings.Builder settings() {
        return LeanSettings.builder().bootstrapServers(KAFKA.bootstrapServers()).maxPartitionBytes(16 * 1024);
    }

    private static void topic(String name) {
        KAFKA.cluster().createTopic(name, 1);
        Records.produce(KAFKA.bootstrapServers(), name, 0, COUNT);
    }

    private void readUntil(LeanConsumer consumer, int count) {
        LeanReading.pollUntil(consumer, read, () -> read.size() >= count);
    }

    private void assertAllOnceInOrder() {
        assertThat(read.stream().map(ConsumerRecord::offset).toList())
                .isEqualTo(LongStream.range(0, COUNT).boxed().toList());
    }

    @Test
    void pauseInTheHandler_stopsAfterThatRecord_andDropsNothing() {
        // A response holds one or two of these batches, so both buffers stay in use.
        for (String topic : List.of("pause", "beside")) {
            KAFKA.cluster().createTopic(topic, 1);
            for (int from = 0; from < COUNT; from += COUNT / 10) {
                Records.produce(KAFKA.bootstrapServers(), topic, from, COUNT / 10);
            }
        }
        try (LeanConsumer consumer = LeanConsumer.open(settings().build())) {
            int paused = consumer.assign("pause", 0, StartAt.beginning());
            int beside = consumer.assign("beside", 0, StartAt.beginning());
            List<Long> others = new ArrayList<>();
            long deadline = System.nanoTime() + Duration.ofSeconds(40).toNanos();
            int pauses = 0;
            while (read.size() < COUNT || others.size() < COUNT) {
                int before = read.size();
                consumer.poll(record -> {
                    if (record.index() == beside) {
                        others.add(record.offset());
                        return;
                    }
                    read.add(record.toConsumerRecord());
                    if (record.offset() % 1_000 == 500) {
                        consumer.pause(paused);
                    }
                });
                if (consumer.isPaused(paused)) {
                    pauses++;
                    assertThat(read.getLast().offset() % 1_000).isEqualTo(500);
                    assertThat(consumer.position(paused))
                            .isEqualTo(read.getLast().offset() + 1);
                    // The other topic is delivered although both buffers were full of the paused topic's records.
                    int goal = Math.min(COUNT, others.size() + 700);
                    LeanReading.pollUntil(
                            consumer,
                            new ArrayList<>() {
                                @Override
                                public boolean add(ConsumerRecord<byte[], byte[]> record) {
                                    return others.add(record.offset());
                                }
                            },
                            () -> others.size() >= goal);
                    consumer.resume(paused);
                } else if (before == read.size()) {
                    consumer.await(Duration.ofMillis(10));
                }
                assertThat(System.nanoTime()).isLessThan(deadline);
            }
            assertThat(pauses).isEqualTo(5);
            assertThat(others).isEqualTo(LongStream.range(0, COUNT).boxed().toList());
            // Nothing was fetched twice.
            assertThat(consumer.metrics().records()).isEqualTo(2L * COUNT);
            assertThat(consumer.metrics().copiedBytes())
                    .as("to make room for the other one")
                    .isPositive();
        }
        assertAllOnceInOrder();
    }

    @Test
    void seek_forgetsWhatWasFetched_andGoesThere() {
        topic("seek");
        try (LeanConsumer consumer = LeanConsumer.open(settings().build())) {
            int index = consumer.assign("seek", 0, StartAt.offset(4_000));
            readUntil(consumer, 100);
            assertThat(read.getFirst().offset()).isEqualTo(4_000);
            consumer.seek(index, StartAt.offset(17));
            read.clear();
            readUntil(consumer, COUNT - 17);
            assertThat(read.getFirst().offset()).isEqualTo(17);
            consumer.seek(index, StartAt.end());
            LeanReading.pollUntil(consumer, read, () -> consumer.position(index) == COUNT);
            assertThat(read).hasSize(COUNT - 17);
            assertThat(consumer.endOffset(index)).isEqualTo(COUNT);
            Records.produce(KAFKA.bootstrapServers(), "seek", COUNT, 1);
            readUntil(consumer, COUNT - 16);
            assertThat(read.getLast().offset()).isEqualTo(COUNT);
        }
    }

    @Test
    void seekInTheHandler_isTheNextRecord() {
        topic("back");
        try (LeanConsumer consumer = LeanConsumer.open(settings().build())) {
            int index = consumer.assign("back", 0, StartAt.beginning());
            List<Long> offsets = new ArrayList<>();
            while (offsets.size() < 20) {
                consumer.poll(record -> {
                    offsets.add(record.offset());
                    if (record.offset() == 9) {
                        consumer.seek(index, StartAt.offset(0));
                    }
                });
                consumer.await(Duration.ofMillis(5));
            }
            assertThat(offsets.subList(0, 20))
                    .isEqualTo(LongStream.concat(LongStream.range(0, 10), LongStream.range(0, 10))
                            .boxed()
                            .toList());
        }
    }

    @Test
    void handlerThatThrows_getsTheRecordAgain() {
        topic("throws");
        try (LeanConsumer consumer = LeanConsumer.open(settings().build())) {
            consumer.assign("throws", 0, StartAt.beginning());
            boolean[] thrown = {false};
            while (read.size() < COUNT) {
                try {
                    consumer.poll(record -> {
                        if (record.offset() == 777 && !thrown[0]) {
                            thrown[0] = true;
                            throw new IllegalStateException("once");
                        }
                        read.add(record.toConsumerRecord());
                    });
                } catch (IllegalStateException e) {
                    assertThat(e).hasMessage("once");
                }
                consumer.await(Duration.ofMillis(1));
            }
            assertThat(thrown[0]).isTrue();
        }
        assertAllOnceInOrder();
    }

    @Test
    void batches_holdTheSameRecords() {
        topic("batches");
        try (LeanConsumer consumer = LeanConsumer.open(settings().build())) {
            int index = consumer.assign("batches", 0, StartAt.beginning());
            while (consumer.position(index) < COUNT) {
                consumer.pollBatches(batch -> {
                    assertThat(batch.recordCount()).isPositive();
                    while (batch.next()) {
                        read.add(batch.record().toConsumerRecord());
                    }
                    assertThat(batch.nextOffset()).isEqualTo(read.getLast().offset() + 1);
                });
                consumer.await(Duration.ofMillis(1));
            }
        }
        assertAllOnceInOrder();
    }

    @Test
    void startAtATime_isTheFirstRecordOfThatTime_orTheEnd() {
        KAFKA.cluster().createTopic("times", 2);
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int i = 0; i < 100; i++) {
                var ignored = producer.send(new ProducerRecord<>("times", 0, 1_000_000L + i * 10L, null, new byte[1]));
            }
        }
        try (LeanConsumer consumer = LeanConsumer.open(settings().build())) {
            int first = consumer.assign("times", 0, StartAt.time(Instant.ofEpochMilli(1_000_555)));
            int second = consumer.assign("times", 1, StartAt.time(Instant.ofEpochMilli(5)));
            readUntil(consumer, 44);
            assertThat(read.getFirst().offset()).isEqualTo(56);
            LeanReading.pollUntil(consumer, read, () -> consumer.position(second) == 0);
            assertThat(consumer.position(first)).isEqualTo(100);
        }
    }

    @Test
    void offsetThatIsGone_isAFaultOnce_orReset() throws Exception {
        topic("gone");
        KAFKA.cluster()
                .admin()
                .deleteRecords(Map.of(new TopicPartition("gone", 0), RecordsToDelete.beforeOffset(50)))
                .all()
                .get();
        try (LeanConsumer consumer = LeanConsumer.open(settings().build())) {
            int index = consumer.assign("gone", 0, StartAt.offset(3));
            assertThatExceptionOfType(OffsetLostException.class)
                    .isThrownBy(() -> readUntil(consumer, 1))
                    .withMessageContaining("gone-0@3")
                    .withMessageContaining("onOffsetLost");
            consumer.seek(index, StartAt.beginning());
            readUntil(consumer, 1);
            assertThat(read.getFirst().offset()).isEqualTo(50);
        }
        read.clear();
        try (LeanConsumer consumer = LeanConsumer.open(
                settings().onOffsetLost(OffsetLostPolicy.BEGINNING).build())) {
            consumer.assign("gone", 0, StartAt.offset(3));
            readUntil(consumer, 1);
            assertThat(read.getFirst().offset()).isEqualTo(50);
            assertThat(consumer.metrics().resets()).isEqualTo(1);
        }
    }

    @Test
    void batchLargerThanAllResponses_isNamed_andCanBeSkipped() {
        KAFKA.cluster().createTopic("large", 1);
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "max.request.size", 12_000_000),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int size : new int[] {10, 3_000_000, 20}) {
                var ignored = producer.send(new ProducerRecord<>("large", 0, null, new byte[size]));
                producer.flush();
            }
        }
        LeanSettings small =
                settings().maxFetchBytes(64 * 1024).maxResponseBytes(1_000_000).build();
        try (LeanConsumer consumer = LeanConsumer.open(small)) {
            int index = consumer.assign("large", 0, StartAt.beginning());
            assertThatExceptionOfType(BatchTooLargeException.class)
                    .isThrownBy(() -> readUntil(consumer, 3))
                    .withMessageContaining("large-0@1")
                    .withMessageContaining("maxResponseBytes=1000000")
                    .satisfies(fault -> assertThat(fault.sizeBytes()).isBetween(3_000_000L, 3_000_200L));
            assertThat(read).hasSize(1);
            consumer.skipBatch(index);
            readUntil(consumer, 2);
            assertThat(read.getLast().offset()).isEqualTo(2);
        }
        // A batch may be larger than the fetch size, but not larger than a response (KIP-74).
        read.clear();
        try (LeanConsumer consumer =
                LeanConsumer.open(settings().maxFetchBytes(64 * 1024).build())) {
            consumer.assign("large", 0, StartAt.beginning());
            readUntil(consumer, 3);
        }
    }

    @Test
    void topicThatDoesNotExistYet_isWaitedFor() {
        try (LeanConsumer consumer = LeanConsumer.open(settings().build())) {
            int index = consumer.assign("later", 0, StartAt.beginning());
            LeanReading.pollUntil(consumer, read, () -> consumer.metrics().metadataRefreshes() > 2);
            assertThat(consumer.position(index)).isEqualTo(-1);
            topic("later");
            readUntil(consumer, COUNT);
        }
        assertAllOnceInOrder();
    }

    @Test
    void brokerThatIsNotThere_isAskedAgainAndAgain_withoutAnError() {
        try (LeanConsumer consumer = LeanConsumer.open(
                LeanSettings.builder().bootstrapServers("127.0.0.1:1").build())) {
            consumer.assign("x", 0, StartAt.beginning());
            long end = System.nanoTime() + Duration.ofMillis(500).toNanos();
            while (System.nanoTime() < end) {
                consumer.poll(record -> read.add(record.toConsumerRecord()));
                consumer.await(Duration.ofMillis(10));
            }
        }
        assertThat(read).isEmpty();
    }

    private static void produceTo(String topic, int partition, long count) {
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", KAFKA.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int i = 0; i < count; i++) {
                var ignored = producer.send(new ProducerRecord<>(topic, partition, null, new byte[] {1}));
            }
        }
    }

    private static void partitions(String topic, int count) throws Exception {
        KAFKA.cluster()
                .admin()
                .createPartitions(Map.of(topic, NewPartitions.increaseTo(count)))
                .all()
                .get();
    }

    private List<Long> offsetsOf(int partition) {
        return read.stream()
                .filter(record -> record.partition() == partition)
                .map(ConsumerRecord::offset)
                .toList();
    }

    private static List<Long> upTo(long count) {
        return LongStream.range(0, count).boxed().toList();
    }

    @Test
    void allPartitionsOfATopic_areReadOnceInOrder_alsoOnesAddedLater() throws Exception {
        KAFKA.cluster().createTopic("whole", 3);
        for (int partition = 0; partition < 3; partition++) {
            produceTo("whole", partition, 100);
        }
        try (LeanConsumer consumer = LeanConsumer.open(
                settings().metadataMaxAge(Duration.ofMillis(200)).build())) {
            consumer.assign("whole", StartAt.beginning());
            readUntil(consumer, 300);
            partitions("whole", 5);
            for (int partition = 1; partition < 5; partition++) {
                produceTo("whole", partition, 10);
            }
            readUntil(consumer, 340);
            assertThat(consumer.index("whole", 4)).isNotNegative();
        }
        assertThat(offsetsOf(0)).isEqualTo(upTo(100));
        assertThat(offsetsOf(1)).isEqualTo(upTo(110));
        assertThat(offsetsOf(2)).isEqualTo(upTo(110));
        assertThat(offsetsOf(3)).isEqualTo(upTo(10));
        assertThat(offsetsOf(4)).isEqualTo(upTo(10));
        assertThat(read).hasSize(340);
    }

    @Test
    void topicFromItsEnd_readsAPartitionThatIsAddedLaterFromItsBeginning() throws Exception {
        KAFKA.cluster().createTopic("tail", 1);
        produceTo("tail", 0, 50);
        try (LeanConsumer consumer = LeanConsumer.open(
                settings().metadataMaxAge(Duration.ofMillis(200)).build())) {
            consumer.assign("tail", StartAt.end());
            LeanReading.pollUntil(
                    consumer,
                    read,
                    () -> consumer.index("tail", 0) >= 0 && consumer.position(consumer.index("tail", 0)) == 50);
            // The next steps usually precede the consumer's next check.
            partitions("tail", 2);
            produceTo("tail", 1, 5);
            produceTo("tail", 0, 1);
            readUntil(consumer, 6);
        }
        assertThat(offsetsOf(0)).containsExactly(50L);
        assertThat(offsetsOf(1)).isEqualTo(upTo(5));
    }
}
