package dev.weir.drivers.lean;

import dev.weir.driver.Driver;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.lean.LeanConsumer;
import dev.weir.lean.LeanProducer;
import dev.weir.lean.LeanProducerSettings;
import dev.weir.lean.LeanRecord;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.RecordHandler;
import dev.weir.lean.StartAt;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A copy from {@code LeanConsumer} to {@code LeanProducer}, at least once. Each value goes directly from the
 * fetch-response buffer into a batch. Kafka's client reads and commits the group's offsets. Confined to the main
 * thread, except that acknowledgements arrive on the producer's thread.
 */
final class LeanCopyDriver implements Driver {
    private static final Duration LONGEST_WAIT = Duration.ofMillis(100);

    /** The flush timeout, longer than any pass. */
    private static final Duration FLUSH = Duration.ofHours(1);

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.COPY);
    }

    @Override
    public void run(Pass pass) throws InterruptedException {
        Map<String, String> reading = pass.clientConfig().consumer(Map.of());
        LeanSettings.Builder from = LeanSettings.builder();
        reading.forEach(from::property);
        LeanProducerSettings.Builder to = LeanProducerSettings.builder();
        pass.clientConfig().producer(Map.of()).forEach(to::property);
        CopiedOffsets copied = new CopiedOffsets(pass);
        try (Consumer<byte[], byte[]> offsets = new KafkaConsumer<>(
                        new HashMap<String, Object>(reading),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
                LeanProducer producer = LeanProducer.open(to.build(), copied);
                LeanConsumer consumer = LeanConsumer.open(from.build())) {
            assign(consumer, offsets, pass);
            copy(consumer, producer, pass, () -> copied.commit(offsets));
            var ignored = producer.flush(FLUSH);
            copied.commit(offsets);
        }
    }

    private static void assign(LeanConsumer consumer, Consumer<?, ?> offsets, Pass pass) {
        String topic = pass.configuration().topic();
        List<TopicPartition> partitions = IntStream.range(
                        0, pass.configuration().partitions())
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        offsets.assign(partitions);
        Map<TopicPartition, OffsetAndMetadata> committed = offsets.committed(Set.copyOf(partitions));
        for (TopicPartition partition : partitions) {
            OffsetAndMetadata place = committed.get(partition);
            consumer.assign(
                    topic, partition.partition(), place == null ? StartAt.beginning() : StartAt.offset(place.offset()));
        }
    }

    private static void copy(LeanConsumer consumer, LeanProducer producer, Pass pass, Runnable commit) {
        LeanRecord copy = new LeanRecord(pass.outputTopic());
        RecordHandler send = record -> {
            pass.step(record.value().getLong(0));
            try {
                producer.send(
                        copy.partition(record.partition()).key(record.key()).value(record.value()), record.offset());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("the main thread was interrupted", e);
            }
        };
        long everyNanos = TimeUnit.MILLISECONDS.toNanos(pass.options().commitIntervalMillis());
        long dueNanos = System.nanoTime() + everyNanos;
        while (!pass.isDone()) {
            if (consumer.poll(send) == 0) {
                consumer.await(LONGEST_WAIT);
            }
            long now = System.nanoTime();
            if (now - dueNanos >= 0) {
                commit.run();
                dueNanos = now + everyNanos;
            }
        }
    }
}
