package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * A thread that reads the committed numbers of a {@link NumberedLoad}. Fails if a number of a key is missing,
 * duplicated or late. Confined to the test's thread, which closes it.
 */
final class SoakLedger implements AutoCloseable {

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Thread thread;
    private final AtomicReference<@Nullable String> fault = new AtomicReference<>();

    /** The last number of each key. Only this thread accesses it. */
    private final long[] last = new long[ExactlyOnceLedger.KEYS];

    private volatile long seen;
    private volatile boolean stopped;

    private SoakLedger(String bootstrapServers, String topic) {
        consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrapServers, "isolation.level", "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.assign(consumer.partitionsFor(topic).stream()
                .map(each -> new TopicPartition(each.topic(), each.partition()))
                .toList());
        consumer.seekToBeginning(consumer.assignment());
        Arrays.setAll(last, key -> key - ExactlyOnceLedger.KEYS);
        thread = Thread.ofPlatform().name("ledger-" + topic).start(this::read);
    }

    static SoakLedger start(String bootstrapServers, String topic) {
        return new SoakLedger(bootstrapServers, topic);
    }

    private void read() {
        long read = 0;
        try {
            while (!stopped) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    note(Long.parseLong(new String(record.value(), StandardCharsets.US_ASCII)));
                    read++;
                }
                seen = read;
            }
        } catch (RuntimeException failure) {
            fault.compareAndSet(null, failure.toString());
        } finally {
            consumer.close();
        }
    }

    private void note(long number) {
        int key = (int) (number % last.length);
        if (number != last[key] + last.length) {
            fault.compareAndSet(null, number + " came behind " + last[key] + " of its key");
        }
        last[key] = number;
    }

    /** Returns the number of records read so far. */
    long seen() {
        return seen;
    }

    boolean isClean() {
        return fault.get() == null;
    }

    void assertClean() {
        assertThat(fault.get()).isNull();
    }

    void assertClean(long count) {
        assertClean();
        assertThat(seen).isEqualTo(count);
    }

    @Override
    public void close() {
        stopped = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }
}
