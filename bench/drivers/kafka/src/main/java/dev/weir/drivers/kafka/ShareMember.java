package dev.weir.drivers.kafka;

import dev.weir.driver.Pass;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * One share consumer. As in the manual, it polls, has its workers handle the records, and polls again when all records
 * are finished. A single worker is the consumer's own thread; several workers are a pool. Confined to its thread.
 */
final class ShareMember implements Runnable {
    private static final Duration POLL = Duration.ofMillis(100);

    private final Pass pass;
    private final Map<String, Object> config;
    private final int workers;
    private final boolean explicit;

    ShareMember(Pass pass, Map<String, Object> config, int workers) {
        this.pass = pass;
        this.config = config;
        this.workers = workers;
        this.explicit = "explicit".equals(config.get(ShareDriver.ACKNOWLEDGEMENT_MODE));
    }

    @Override
    public void run() {
        try (ExecutorService pool = Executors.newFixedThreadPool(
                        // The pool starts no thread until something is submitted.
                        workers, Thread.ofPlatform().daemon().factory());
                ShareConsumer<byte[], byte[]> consumer =
                        new KafkaShareConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(pass.topics().names());
            boolean whole = true;
            while (!pass.isDone()) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                pass.polled(records.count());
                whole = workers == 1 ? handled(consumer, records) : handled(consumer, records, pool);
            }
            // Without explicit acknowledgements, the commit accepts all records of the last poll. Skip it if a record
            // was not handled.
            if (whole || explicit) {
                // commitSync returns the errors of single partitions, and throws all other errors.
                consumer.commitSync().values().forEach(refused -> pass.fail(refused.orElse(null)));
            }
        } catch (Throwable e) {
            // No other thread waits for this thread, so an error must end the pass.
            pass.fail(e);
        }
    }

    /** Handles the records one after the other. Returns false if the pass ended first. */
    private boolean handled(ShareConsumer<byte[], byte[]> consumer, ConsumerRecords<byte[], byte[]> records) {
        boolean whole = true;
        for (ConsumerRecord<byte[], byte[]> record : records) {
            boolean done = handle(record);
            acknowledge(consumer, record, done);
            whole &= done;
        }
        return whole;
    }

    /** Handles one record per worker at a time, and waits for all records. */
    private boolean handled(
            ShareConsumer<byte[], byte[]> consumer, ConsumerRecords<byte[], byte[]> records, ExecutorService pool)
            throws InterruptedException, ExecutionException {
        List<Future<Boolean>> underWay = new ArrayList<>(records.count());
        records.forEach(record -> underWay.add(pool.submit(() -> handle(record))));
        boolean whole = true;
        int next = 0;
        for (ConsumerRecord<byte[], byte[]> record : records) {
            boolean done = underWay.get(next++).get();
            acknowledge(consumer, record, done);
            whole &= done;
        }
        return whole;
    }

    /** Handles a record. Returns false without handling it if the pass is over. */
    private boolean handle(ConsumerRecord<byte[], byte[]> record) {
        if (pass.isDone()) {
            return false;
        }
        pass.work().on(record.value());
        pass.deliveredConcurrently(
                pass.topics().number(record.topic(), record.partition()), record.key(), record.value());
        return true;
    }

    private void acknowledge(
            ShareConsumer<byte[], byte[]> consumer, ConsumerRecord<byte[], byte[]> record, boolean done) {
        if (explicit) {
            consumer.acknowledge(record, done ? AcknowledgeType.ACCEPT : AcknowledgeType.RELEASE);
        }
    }
}
