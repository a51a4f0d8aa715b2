package dev.weir.checks.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Writes numbered records at a steady rate, with a hundred keys in turn, until it is stopped. Has its own producer and
 * thread. Confined to the test's thread.
 */
final class Load implements AutoCloseable {

    static final int KEYS = 100;

    private static final int AT_ONCE = 10;
    private static final int EVERY_MILLIS = 20;

    private final KafkaProducer<byte[], byte[]> producer;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicReference<Exception> failure = new AtomicReference<>();

    /**
     * Starts the load.
     *
     * @param compression a {@code compression.type}
     */
    Load(String bootstrapServers, String topic, String compression) {
        producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                        ProducerConfig.COMPRESSION_TYPE_CONFIG, compression),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        var unused = thread.scheduleAtFixedRate(() -> send(topic), 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void send(String topic) {
        try {
            for (int i = 0; i < AT_ONCE; i++) {
                long number = sent.getAndIncrement();
                var unused =
                        producer.send(new ProducerRecord<>(topic, text(number % KEYS), text(number)), (metadata, e) -> {
                            if (e != null) {
                                failure.compareAndSet(null, e);
                            }
                        });
            }
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }

    private static byte[] text(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    long sent() {
        return sent.get();
    }

    /** Stops the load, and returns the number of written records. */
    long stop() throws InterruptedException {
        thread.shutdown();
        assertThat(thread.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        producer.flush();
        assertThat(failure.get()).isNull();
        return sent.get();
    }

    @Override
    public void close() {
        thread.shutdownNow();
        producer.close();
    }
}
