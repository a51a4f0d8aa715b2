package dev.weir.bench.cluster;

import dev.weir.driver.RecordLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Checks which records of a {@code PRODUCE} pass are in the topic. Each value starts with the record's number, so
 * duplicates are recognised. Confined to one thread; used once.
 */
final class WrittenNumbers {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int MAX_NAMED = 5;

    private final int[][] offsets; // offset of a number's first occurrence, plus 1, by partition and number
    private final List<String> twice = new ArrayList<>();
    private long repeated;
    private long foreign;

    /** Creates a check that expects the numbers from 0 to {@code recordsPerPartition} - 1 in each partition. */
    WrittenNumbers(int partitions, long recordsPerPartition) {
        this.offsets = new int[partitions][Math.toIntExact(recordsPerPartition)];
    }

    /**
     * Reads the topic up to its current end offsets.
     *
     * @param connection properties that a client needs to reach the brokers
     */
    WrittenNumbers read(Map<String, String> connection, String topic) {
        List<TopicPartition> partitions = IntStream.range(0, offsets.length)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        try (Consumer<byte[], byte[]> consumer = WrittenTopic.consumer(connection, "read_committed")) {
            WrittenTopic.read(
                    consumer,
                    consumer.endOffsets(partitions),
                    PATIENCE_NANOS,
                    record -> add(record.partition(), record.offset(), record.value()));
        }
        return this;
    }

    void add(int partition, long offset, byte @Nullable [] value) {
        long number = value == null || value.length < RecordLayout.MIN_VALUE_BYTES ? -1 : RecordLayout.number(value);
        if (number < 0 || number >= offsets[partition].length) {
            foreign++;
            return;
        }
        int before = offsets[partition][(int) number];
        if (before == 0) {
            offsets[partition][(int) number] = Math.toIntExact(offset + 1);
            return;
        }
        repeated++;
        if (twice.size() < MAX_NAMED) {
            twice.add("number " + number + " of partition " + partition + " at offsets " + (before - 1) + " and "
                    + offset);
        }
    }

    /** Returns a sentence that counts missing, repeated and unexpected records, and names some of them. */
    String told() {
        List<String> absent = new ArrayList<>();
        long missing = 0;
        for (int partition = 0; partition < offsets.length; partition++) {
            for (int number = 0; number < offsets[partition].length; number++) {
                if (offsets[partition][number] == 0) {
                    missing++;
                    if (absent.size() < MAX_NAMED) {
                        absent.add("number " + number + " of partition " + partition);
                    }
                }
            }
        }
        long all = Arrays.stream(offsets).mapToLong(numbers -> numbers.length).sum();
        return "of " + all + " records, " + missing + " are not in the topic" + named(absent) + ", " + repeated
                + " were written again" + named(twice) + ", and " + foreign + " other records are in the topic";
    }

    private static String named(List<String> some) {
        return some.isEmpty() ? "" : " (" + String.join(", ", some) + (some.size() == MAX_NAMED ? ", ..." : "") + ")";
    }

    /**
     * Reads a topic and returns a sentence about missing, repeated and unexpected records. If the topic cannot be read,
     * returns the reason instead of throwing.
     */
    static String told(Map<String, String> connection, String topic, int partitions, long recordsPerPartition) {
        try {
            return new WrittenNumbers(partitions, recordsPerPartition)
                    .read(connection, topic)
                    .told();
        } catch (KafkaException e) {
            return "the records in the topic could not be read: " + e;
        }
    }
}
