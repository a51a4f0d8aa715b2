package dev.weir.checks.integration;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A thread that writes the values {@code load:N} to each partition of a topic, 50 times a second, until it is stopped.
 * Skips records that cannot be written, for example while the topic is deleted.
 */
final class SteadyLoad {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final String topic;
    private final int partitions;
    private final KafkaProducer<byte[], byte[]> producer;
    private final Thread thread;

    private volatile boolean stopped;

    SteadyLoad(String bootstrapServers, String topic, int partitions) {
        this.topic = topic;
        this.partitions = partitions;
        this.producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", bootstrapServers,
                        "enable.idempotence", "false",
                        "max.block.ms", "200",
                        "request.timeout.ms", "1000",
                        "delivery.timeout.ms", "2000",
                        "metadata.max.age.ms", "1000"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        thread = Thread.ofPlatform().name("load-" + topic).start(this::write);
    }

    private void write() {
        for (int n = 0; !stopped; n++) {
            byte[] value = ("load:" + n).getBytes(StandardCharsets.US_ASCII);
            for (int partition = 0; partition < partitions; partition++) {
                var unused = producer.send(new ProducerRecord<>(topic, partition, null, value));
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Stops the load. Returns when the brokers have acknowledged or refused all records. */
    void stop() throws InterruptedException {
        stopped = true;
        thread.join();
        producer.close();
    }
}
