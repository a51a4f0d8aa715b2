package dev.weir.bench.fill;

import dev.weir.bench.BenchException;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.KeySpread;
import dev.weir.driver.Scenario;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the records of a topic. Each record contains its number in its partition. Confined to one thread; used once.
 */
public final class TopicFill {
    private static final int BLOCK_RECORDS = 1000;

    private final String topic;
    private final int first; // number of this topic's first partition, counted across all topics
    private final WorkloadPoint point;
    private final FillPlan plan;
    private final BooleanSupplier isStopped;
    private final Values values;
    private final List<Header> headers;
    private final KeySpread keys;
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    /**
     * Prepares to fill one topic.
     *
     * @param index the topic's index among the topics that are read together, from 0
     */
    public TopicFill(
            String topic,
            int index,
            WorkloadPoint point,
            FillPlan plan,
            Values values,
            List<Header> headers,
            BooleanSupplier isStopped) {
        this.topic = topic;
        this.first = index * point.partitionsOfTopic();
        this.point = point;
        this.plan = plan;
        this.isStopped = isStopped;
        this.values = values;
        this.headers = headers;
        this.keys = new KeySpread(point.keys() / point.partitions(), point.keySkew());
    }

    /**
     * Writes all records.
     *
     * @param connection properties that a client needs to reach the brokers
     * @param transactionalId a unique ID
     */
    public void run(Map<String, String> connection, String transactionalId) {
        Map<String, Object> config = new HashMap<>(connection);
        config.put("batch.size", point.batchBytes());
        config.put("linger.ms", 5);
        config.put("buffer.memory", 64L << 20);
        config.put("compression.type", point.compression());
        if (plan.isTransactional()) {
            config.put("transactional.id", transactionalId);
        }
        try (Producer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            if (plan.isTransactional()) {
                transactions(producer);
            } else {
                for (long from = 0; from < plan.records(); from += BLOCK_RECORDS) {
                    block(producer, from, Math.min(from + BLOCK_RECORDS, plan.records()), false);
                }
            }
        } catch (KafkaException e) {
            failure.compareAndSet(null, e);
        }
        requireNoFailure();
    }

    private void requireNoFailure() {
        Exception cause = failure.get();
        if (cause != null) {
            throw new BenchException("topic " + topic + " could not be filled: " + cause, cause);
        }
    }

    private void transactions(Producer<byte[], byte[]> producer) {
        producer.initTransactions();
        int size = plan.perTransaction();
        long committed = 0;
        for (long from = 0; from < plan.records(); from += size, committed++) {
            for (int aborted = plan.abortedBefore(committed); aborted > 0; aborted--) {
                producer.beginTransaction();
                block(producer, from, from + size, true);
                producer.flush(); // abortTransaction drops unsent records
                producer.abortTransaction();
            }
            producer.beginTransaction();
            block(producer, from, Math.min(from + size, plan.records()), false);
            producer.commitTransaction();
        }
    }

    /** Sends a block of records to each partition. */
    private void block(Producer<byte[], byte[]> producer, long from, long to, boolean isAborted) {
        if (isStopped.getAsBoolean()) {
            throw new BenchException("stopped while topic " + topic + " was being filled");
        }
        for (int partition = 0; partition < point.partitionsOfTopic(); partition++) {
            for (long number = from; number < to; number++) {
                requireNoFailure(); // stop at the first failure: later sends may take as long
                byte[] value = values.next(isAborted ? FillPlan.ABORTED : number);
                if (point.scenario() == Scenario.COPY) {
                    ByteBuffer.wrap(value).putInt(point.partitionAt(), partition); // the partition of the copy
                }
                var unused = producer.send(
                        new ProducerRecord<>(topic, partition, keys.next(first + partition), value, headers),
                        (written, e) -> {
                            if (e != null) {
                                failure.compareAndSet(null, e);
                            }
                        });
            }
        }
    }
}
