package dev.weir.drivers.kafka;

import dev.weir.driver.Driver;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.driver.Work;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The loop over {@code poll} that the manual shows: the baseline. Confined to the main thread. */
final class PlainDriver implements Driver {
    private static final Duration POLL = Duration.ofMillis(100);

    private final Map<String, String> preset;

    PlainDriver(Map<String, String> preset) {
        this.preset = preset;
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.CONSUME, Scenario.AT_LEAST_ONCE, Scenario.AT_MOST_ONCE, Scenario.WORK);
    }

    @Override
    public void run(Pass pass) {
        Map<String, Object> config = new HashMap<>(pass.consumerConfig(preset));
        try (Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(pass.configuration().topic()));
            switch (pass.configuration().scenario()) {
                case CONSUME -> consume(consumer, pass);
                case AT_LEAST_ONCE, WORK -> commitFinished(consumer, pass);
                case AT_MOST_ONCE -> commitAhead(consumer, pass);
                default ->
                    throw new IllegalArgumentException(
                            "not offered: " + pass.configuration().scenario());
            }
        }
    }

    private static void consume(Consumer<byte[], byte[]> consumer, Pass pass) {
        while (!pass.isDone()) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                pass.delivered(record.partition(), record.value());
            }
        }
    }

    private static void commitFinished(Consumer<byte[], byte[]> consumer, Pass pass) {
        Work work = Work.of(pass.options());
        boolean works = pass.configuration().scenario() == Scenario.WORK;
        long everyNanos = TimeUnit.MILLISECONDS.toNanos(pass.commitIntervalMillis());
        long dueNanos = System.nanoTime() + everyNanos;
        while (!pass.isDone()) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                if (works && pass.isDone()) {
                    return; // A poll can hold minutes of work.
                }
                work.on(record.value());
                pass.delivered(record.partition(), record.value());
            }
            long now = System.nanoTime();
            if (now - dueNanos >= 0) {
                consumer.commitAsync();
                dueNanos = now + everyNanos;
            }
        }
        consumer.commitSync();
    }

    private static void commitAhead(Consumer<byte[], byte[]> consumer, Pass pass) {
        while (!pass.isDone()) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                if (pass.isDone()) {
                    return;
                }
                consumer.commitSync(Map.of(
                        new TopicPartition(record.topic(), record.partition()),
                        new OffsetAndMetadata(record.offset() + 1)));
                pass.delivered(record.partition(), record.value());
            }
        }
    }
}
