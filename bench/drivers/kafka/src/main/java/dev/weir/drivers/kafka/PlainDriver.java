package dev.weir.drivers.kafka;

import dev.weir.driver.Driver;
import dev.weir.driver.Feature;
import dev.weir.driver.HandlerFailure;
import dev.weir.driver.HandlerWork;
import dev.weir.driver.PartitionTurns;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The baseline: the loop over {@code poll} that the manual shows. Confined to the main thread. */
final class PlainDriver implements Driver {
    private static final Duration POLL = Duration.ofMillis(100);

    private final Map<String, String> preset;

    PlainDriver(Map<String, String> preset) {
        this.preset = preset;
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(
                Scenario.CONSUME,
                Scenario.STEADY,
                Scenario.AT_LEAST_ONCE,
                Scenario.AT_MOST_ONCE,
                Scenario.WORK,
                Scenario.FLOW_CONTROL,
                Scenario.COPY,
                Scenario.PRODUCE);
    }

    @Override
    public Set<Feature> features() {
        return Set.of(Feature.TRANSACTIONS, Feature.RETRIES, Feature.EXACTLY_ONCE, Feature.TOPICS);
    }

    @Override
    public void run(Pass pass) throws InterruptedException {
        if (pass.configuration().scenario() == Scenario.PRODUCE) {
            PlainProducer.produce(pass, Map.of());
            return;
        }
        if (pass.configuration().scenario() == Scenario.COPY) {
            new PlainCopy(preset, 0).run(pass);
            return;
        }
        Map<String, Object> config = new HashMap<>(pass.clientConfig().consumer(preset));
        try (Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(pass.topics().names());
            switch (pass.configuration().scenario()) {
                case CONSUME, STEADY -> consume(consumer, pass);
                case AT_LEAST_ONCE, WORK -> commitFinished(consumer, pass);
                case AT_MOST_ONCE -> commitAhead(consumer, pass);
                case FLOW_CONTROL -> oneAtATime(consumer, pass);
                default ->
                    throw new IllegalArgumentException(
                            "not offered: " + pass.configuration().scenario());
            }
        }
    }

    private static void consume(Consumer<byte[], byte[]> consumer, Pass pass) {
        while (!pass.isDone()) {
            for (ConsumerRecord<byte[], byte[]> record : polled(consumer, pass)) {
                pass.delivered(number(record, pass), record.value());
            }
        }
    }

    /** Polls the consumer, and adds the number of records to the pass. */
    private static ConsumerRecords<byte[], byte[]> polled(Consumer<byte[], byte[]> consumer, Pass pass) {
        ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
        pass.polled(records.count());
        return records;
    }

    private static int number(ConsumerRecord<byte[], byte[]> record, Pass pass) {
        return pass.topics().number(record.topic(), record.partition());
    }

    private static void commitFinished(Consumer<byte[], byte[]> consumer, Pass pass) throws InterruptedException {
        HandlerWork work = pass.work();
        boolean works = pass.configuration().scenario() == Scenario.WORK;
        long everyNanos = TimeUnit.MILLISECONDS.toNanos(pass.options().commitIntervalMillis());
        long dueNanos = System.nanoTime() + everyNanos;
        while (!pass.isDone()) {
            for (ConsumerRecord<byte[], byte[]> record : polled(consumer, pass)) {
                if (works && pass.isDone()) {
                    return; // the remaining records of the poll could take minutes
                }
                if (!isHandled(record, work, pass)) {
                    return;
                }
                pass.delivered(number(record, pass), record.value());
            }
            long now = System.nanoTime();
            if (now - dueNanos >= 0) {
                consumer.commitAsync();
                dueNanos = now + everyNanos;
            }
        }
        consumer.commitSync();
    }

    /** Calls the handler until it succeeds; later records wait. Returns false if the pass ends first. */
    static boolean isHandled(ConsumerRecord<byte[], byte[]> record, HandlerWork work, Pass pass)
            throws InterruptedException {
        do {
            work.on(record.value());
            try {
                pass.attempted(number(record, pass), record.value());
                return true;
            } catch (HandlerFailure failed) {
                // The handler is called again after a delay.
            }
        } while (!pass.awaitDone(pass.options().retryMillis()));
        return false;
    }

    private static void oneAtATime(Consumer<byte[], byte[]> consumer, Pass pass) {
        PartitionTurns turns = new PartitionTurns(pass);
        while (!pass.isDone()) {
            int turn = turns.next();
            List<TopicPartition> paused = new ArrayList<>();
            List<TopicPartition> open = new ArrayList<>();
            for (TopicPartition partition : consumer.assignment()) {
                (partition.partition() == turn ? open : paused).add(partition);
            }
            consumer.pause(paused);
            consumer.resume(open);
            // The consumer is assigned all partitions once it has joined its group.
            if (paused.size() + open.size() == pass.configuration().partitions()) {
                turns.othersArePaused();
            }
            for (ConsumerRecord<byte[], byte[]> record : polled(consumer, pass)) {
                turns.delivered(record.partition());
                pass.delivered(record.partition(), record.value());
            }
        }
    }

    private static void commitAhead(Consumer<byte[], byte[]> consumer, Pass pass) {
        while (!pass.isDone()) {
            for (ConsumerRecord<byte[], byte[]> record : polled(consumer, pass)) {
                if (pass.isDone()) {
                    return;
                }
                consumer.commitSync(Map.of(
                        new TopicPartition(record.topic(), record.partition()),
                        new OffsetAndMetadata(record.offset() + 1)));
                pass.delivered(number(record, pass), record.value());
            }
        }
    }
}
