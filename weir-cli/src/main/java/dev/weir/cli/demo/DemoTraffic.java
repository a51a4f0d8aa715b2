package dev.weir.cli.demo;

import dev.weir.examples.asimov.AsimovPipeline;
import dev.weir.examples.asimov.EventGenerator;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes events to the demo's input topic on its own thread. Thread-safe.
 *
 * <p>With a rate, each event carries its planned creation time. The actual time would hide latency, because the
 * generator waits for an overloaded system (coordinated omission). Without a rate, each event carries its actual
 * creation time. The generator then stays at most {@value #MAX_AHEAD} events ahead of the pipeline.
 */
final class DemoTraffic implements AutoCloseable {

    /** The result of {@link #createdMillis} for a record without the header. */
    static final long NO_TIME = -1;

    private static final int MAX_AHEAD = 20_000;

    /** Header with the creation time of an event in milliseconds since the epoch: 8 bytes, big endian. */
    private static final String CREATED_HEADER = "weir-created";

    private static final long LOOK_AGAIN_NANOS = 1_000_000;

    private final KafkaProducer<byte[], byte[]> producer;
    private final EventGenerator generator;
    private final DemoPlan plan;
    private final LongSupplier translated;
    private final Thread thread =
            Thread.ofPlatform().daemon().name("weir-demo-traffic").unstarted(this::generate);

    private volatile boolean stopped;
    private volatile @Nullable Exception failure;

    // Written by the traffic thread only.
    private volatile long generated;
    private long knownTranslated;

    /**
     * Prepares the traffic.
     *
     * @param translated returns the number of events that the pipeline has finished; called by the traffic thread
     */
    DemoTraffic(String bootstrapServers, EventGenerator generator, DemoPlan plan, LongSupplier translated) {
        this.producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        // One request in flight: a new leader may refuse the first batch and accept the second.
                        ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                        1,
                        ProducerConfig.BATCH_SIZE_CONFIG,
                        128 * 1024),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        this.generator = generator;
        this.plan = plan;
        this.translated = translated;
    }

    void start() {
        thread.start();
    }

    /** Ends the traffic early. */
    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    /** Number of events sent. Once {@link #isDone} is true, all of them are in the topic. */
    long generated() {
        return generated;
    }

    boolean isDone() {
        return thread.getState() == Thread.State.TERMINATED;
    }

    /** Exception that stopped the traffic; null if there was none. */
    @Nullable
    Exception failure() {
        return failure;
    }

    private void generate() {
        long startNanos = System.nanoTime();
        long startMillis = System.currentTimeMillis();
        try {
            for (long index = 0; index < plan.records() && failure == null; index++) {
                long dueNanos = plan.isPaced() ? plan.plannedNanos(index) : System.nanoTime() - startNanos;
                if (dueNanos >= plan.limitNanos() || !awaitTurn(index, startNanos + dueNanos)) {
                    break;
                }
                long created = plan.isPaced() ? startMillis + dueNanos / 1_000_000 : System.currentTimeMillis();
                var unused = producer.send(event(index, created), (metadata, refused) -> {
                    if (refused != null) {
                        failure = refused;
                    }
                });
                generated = index + 1;
            }
            producer.flush();
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    /** Waits until event {@code index} is due. Returns false if the traffic was stopped. */
    private boolean awaitTurn(long index, long dueNanos) {
        while (!stopped) {
            long waitNanos = plan.isPaced() ? dueNanos - System.nanoTime() : isFarAhead(index) ? LOOK_AGAIN_NANOS : 0;
            if (waitNanos <= 0) {
                return true;
            }
            LockSupport.parkNanos(waitNanos);
        }
        return false;
    }

    private boolean isFarAhead(long index) {
        if (index - knownTranslated >= MAX_AHEAD) {
            knownTranslated = translated.getAsLong();
        }
        return index - knownTranslated >= MAX_AHEAD;
    }

    private ProducerRecord<byte[], byte[]> event(long index, long createdMillis) {
        ProducerRecord<byte[], byte[]> event = generator.record(AsimovPipeline.EVENTS, index);
        event.headers().add(createdHeader(createdMillis));
        return new ProducerRecord<>(event.topic(), null, createdMillis, event.key(), event.value(), event.headers());
    }

    static Header createdHeader(long createdMillis) {
        byte[] millis = ByteBuffer.allocate(Long.BYTES).putLong(createdMillis).array();
        return new RecordHeader(CREATED_HEADER, millis);
    }

    /** Returns the creation time in an event's header, or {@link #NO_TIME}. */
    static long createdMillis(Headers headers) {
        Header header = headers.lastHeader(CREATED_HEADER);
        if (header == null || header.value() == null || header.value().length != Long.BYTES) {
            return NO_TIME;
        }
        return ByteBuffer.wrap(header.value()).getLong();
    }

    /** Stops the traffic and closes its producer. Some events may be lost unless {@link #isDone} was true. */
    @Override
    public void close() {
        stop();
        producer.close();
    }
}
