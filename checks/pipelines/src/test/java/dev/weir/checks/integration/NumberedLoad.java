package dev.weir.checks.integration;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * A thread that writes the numbers from 0 upward to a topic at a steady rate. A record's key is its number modulo
 * {@link ExactlyOnceLedger#KEYS}. Confined to the test's thread, which closes it.
 */
final class NumberedLoad implements AutoCloseable {

    private static final int BATCH = 50;

    private final String topic;
    private final long pauseNanos;
    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicReference<@Nullable Throwable> refused = new AtomicReference<>();
    private final Thread thread;

    private volatile boolean stopped;
    private long written;

    private NumberedLoad(String bootstrapServers, String topic, int perSecond) {
        this.topic = topic;
        this.pauseNanos = TimeUnit.SECONDS.toNanos(BATCH) / perSecond;
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers, "max.in.flight.requests.per.connection", 1),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        this.thread = Thread.ofPlatform().name("load-" + topic).start(() -> {
            try {
                write();
            } catch (Throwable failure) {
                refused.compareAndSet(null, failure);
            }
        });
    }

    static NumberedLoad start(String bootstrapServers, String topic, int perSecond) {
        return new NumberedLoad(bootstrapServers, topic, perSecond);
    }

    private void write() {
        long due = System.nanoTime();
        while (!stopped && refused.get() == null) {
            for (int i = 0; i < BATCH; i++) {
                var unused = producer.send(
                        new ProducerRecord<>(topic, text(written % ExactlyOnceLedger.KEYS), text(written)),
                        (metadata, failure) -> refused.compareAndSet(null, failure));
                written++;
            }
            due += pauseNanos;
            LockSupport.parkNanos(due - System.nanoTime());
        }
    }

    private static byte[] text(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    /** Stops the load, waits until all records are acknowledged, and returns their number. */
    long stop() throws InterruptedException {
        stopped = true;
        thread.join();
        producer.flush();
        Throwable failure = refused.get();
        if (failure != null) {
            throw new AssertionError("the load on " + topic + " ended at " + written, failure);
        }
        return written;
    }

    @Override
    public void close() {
        stopped = true;
        producer.close();
    }
}
