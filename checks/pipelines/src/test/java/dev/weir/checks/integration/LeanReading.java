package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.LeanConsumer;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.StartAt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads topics with the lean consumer and with Kafka's own. Stateless. */
final class LeanReading {

    private static final Duration LONGEST = Duration.ofSeconds(40);
    private static final Duration TURN = Duration.ofMillis(50);

    private LeanReading() {}

    static void pollUntil(LeanConsumer consumer, List<ConsumerRecord<byte[], byte[]>> into, BooleanSupplier done) {
        long deadline = System.nanoTime() + LONGEST.toNanos();
        while (!done.getAsBoolean()) {
            if (consumer.poll(record -> into.add(record.toConsumerRecord())) == 0) {
                consumer.await(TURN);
            }
            assertThat(System.nanoTime())
                    .as("still waiting after " + into.size() + " records; " + consumer.metrics())
                    .isLessThan(deadline);
        }
    }

    /** Returns all records of all partitions up to the given ends, read with the lean consumer. */
    static Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> lean(
            LeanSettings settings, Map<TopicPartition, Long> ends) {
        List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
        try (LeanConsumer consumer = LeanConsumer.open(settings)) {
            Map<TopicPartition, Integer> indexes = new HashMap<>();
            ends.keySet()
                    .forEach(each ->
                            indexes.put(each, consumer.assign(each.topic(), each.partition(), StartAt.beginning())));
            pollUntil(
                    consumer,
                    all,
                    () -> ends.entrySet().stream()
                            .allMatch(end -> consumer.position(indexes.get(end.getKey())) >= end.getValue()));
        }
        return byPartition(ends, all);
    }

    /** Returns all records of all partitions up to the given ends, read with Kafka's own consumer. */
    static Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> official(
            Map<String, Object> config, Map<TopicPartition, Long> ends) {
        List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(ends.keySet());
            consumer.seekToBeginning(ends.keySet());
            long deadline = System.nanoTime() + LONGEST.toNanos();
            while (!ends.entrySet().stream().allMatch(end -> consumer.position(end.getKey()) >= end.getValue())) {
                consumer.poll(TURN).forEach(all::add);
                assertThat(System.nanoTime()).isLessThan(deadline);
            }
        }
        return byPartition(ends, all);
    }

    private static Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> byPartition(
            Map<TopicPartition, Long> ends, List<ConsumerRecord<byte[], byte[]>> all) {
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> sorted = new HashMap<>();
        ends.keySet().forEach(each -> sorted.put(each, new ArrayList<>()));
        for (ConsumerRecord<byte[], byte[]> record : all) {
            TopicPartition partition = new TopicPartition(record.topic(), record.partition());
            if (record.offset() < ends.get(partition)) {
                sorted.get(partition).add(record);
            }
        }
        return sorted;
    }

    static void assertSame(
            Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> actual,
            Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> expected) {
        assertThat(actual.keySet()).isEqualTo(expected.keySet());
        expected.forEach((partition, records) -> {
            List<ConsumerRecord<byte[], byte[]>> others = actual.get(partition);
            assertThat(others.stream().map(ConsumerRecord::offset).toList())
                    .as("offsets of " + partition)
                    .isEqualTo(records.stream().map(ConsumerRecord::offset).toList());
            for (int i = 0; i < records.size(); i++) {
                assertSame(others.get(i), records.get(i));
            }
        });
    }

    private static void assertSame(ConsumerRecord<byte[], byte[]> actual, ConsumerRecord<byte[], byte[]> expected) {
        String place = expected.topic() + "-" + expected.partition() + "@" + expected.offset();
        assertThat(actual.timestamp()).as(place).isEqualTo(expected.timestamp());
        assertThat(actual.timestampType()).as(place).isEqualTo(expected.timestampType());
        assertThat(actual.leaderEpoch()).as(place).isEqualTo(expected.leaderEpoch());
        assertThat(actual.serializedKeySize()).as(place).isEqualTo(expected.serializedKeySize());
        assertThat(actual.serializedValueSize()).as(place).isEqualTo(expected.serializedValueSize());
        assertThat(Arrays.equals(actual.key(), expected.key())).as(place).isTrue();
        assertThat(Arrays.equals(actual.value(), expected.value())).as(place).isTrue();
        assertThat(actual.headers()).as(place).isEqualTo(expected.headers());
    }
}
