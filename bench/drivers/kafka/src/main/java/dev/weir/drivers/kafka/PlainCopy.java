package dev.weir.drivers.kafka;

import dev.weir.driver.Driver;
import dev.weir.driver.Feature;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import java.time.Duration;
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
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The copy loop found in manuals. It polls and sends, and periodically flushes and commits, or commits a transaction
 * that includes the offsets. Confined to the main thread, except for its own workers and the client's callbacks.
 */
final class PlainCopy implements Driver {
    private static final Duration POLL = Duration.ofMillis(100);

    private final Map<String, String> preset;
    private final int workers;

    /**
     * Creates a driver.
     *
     * @param workers the number of threads that perform the steps and send the results, each for its own partitions; 0
     *     to do this on the main thread
     */
    PlainCopy(Map<String, String> preset, int workers) {
        this.preset = preset;
        this.workers = workers;
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.COPY);
    }

    @Override
    public Set<Feature> features() {
        return Set.of(Feature.EXACTLY_ONCE);
    }

    @Override
    public void run(Pass pass) throws InterruptedException {
        Map<String, Object> reading = new HashMap<>(pass.clientConfig().consumer(preset));
        Map<String, Object> writing = new HashMap<>(pass.clientConfig().producer(Map.of()));
        if (pass.options().isExactlyOnce()) {
            reading.put("isolation.level", "read_committed");
            writing.put("transactional.id", pass.member());
        }
        try (Consumer<byte[], byte[]> consumer =
                        new KafkaConsumer<>(reading, new ByteArrayDeserializer(), new ByteArrayDeserializer());
                Producer<byte[], byte[]> producer =
                        new KafkaProducer<>(writing, new ByteArraySerializer(), new ByteArraySerializer());
                CopyWorkers threads = new CopyWorkers(workers)) {
            consumer.subscribe(List.of(pass.configuration().topic()));
            if (pass.options().isExactlyOnce()) {
                producer.initTransactions();
                producer.beginTransaction();
            }
            copy(consumer, producer, threads, pass);
        }
    }

    private static void copy(
            Consumer<byte[], byte[]> consumer, Producer<byte[], byte[]> producer, CopyWorkers threads, Pass pass)
            throws InterruptedException {
        long everyNanos = TimeUnit.MILLISECONDS.toNanos(pass.options().commitIntervalMillis());
        long dueNanos = System.nanoTime() + everyNanos;
        Map<TopicPartition, OffsetAndMetadata> finished = new HashMap<>();
        while (!pass.isDone()) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
            pass.polled(records.count());
            threads.run(records, partition -> send(partition, producer, pass));
            finished.putAll(records.nextOffsets());
            long now = System.nanoTime();
            if (now - dueNanos >= 0) {
                commit(consumer, producer, threads, finished, pass);
                if (pass.options().isExactlyOnce()) {
                    producer.beginTransaction();
                }
                dueNanos = now + everyNanos;
            }
        }
        commit(consumer, producer, threads, finished, pass);
    }

    private static void send(
            List<ConsumerRecord<byte[], byte[]>> records, Producer<byte[], byte[]> producer, Pass pass) {
        String output = pass.outputTopic();
        Callback written = (where, failure) -> pass.fail(failure);
        for (ConsumerRecord<byte[], byte[]> record : records) {
            var unused = producer.send(
                    new ProducerRecord<>(output, record.partition(), record.key(), pass.step(record.value())), written);
        }
    }

    /**
     * Commits the offsets of finished records. Throws if a record was not written. With transactions, the commit itself
     * throws.
     */
    private static void commit(
            Consumer<byte[], byte[]> consumer,
            Producer<byte[], byte[]> producer,
            CopyWorkers threads,
            Map<TopicPartition, OffsetAndMetadata> finished,
            Pass pass)
            throws InterruptedException {
        threads.await();
        if (pass.options().isExactlyOnce()) {
            producer.sendOffsetsToTransaction(finished, consumer.groupMetadata());
            producer.commitTransaction();
        } else {
            producer.flush();
            pass.requireNoFailure();
            consumer.commitSync(finished);
        }
        finished.clear();
    }
}
