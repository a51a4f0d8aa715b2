package dev.weir.lean;

import dev.weir.lean.internal.producer.ProducerEntrance;
import java.time.Duration;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes records without allocating an object per record. The producer is idempotent, waits for the acknowledgement of
 * all in-sync replicas, and preserves order within each partition. Thread-safe; records that one thread sends to one
 * partition stay in order. The producer has its own thread, which sends requests and calls the {@link SendListener}.
 *
 * <pre>{@code
 * SendListener listener = new SendListener() {
 *     public void acknowledged(long token, String topic, int partition, long offset) { done.set((int) token); }
 *     public void failed(long token, SendException why) { log(token, why); }
 * };
 * try (LeanProducer producer = LeanProducer.open(
 *         LeanProducerSettings.builder().bootstrapServers("localhost:9092").build(), listener)) {
 *     LeanRecord record = new LeanRecord("clicks");
 *     for (int i = 0; i < count; i++) {
 *         producer.send(record.key(keys[i]).value(values[i]), i);
 *     }
 *     producer.flush(Duration.ofMinutes(1));
 * }
 * }</pre>
 *
 * <p>Transient failures (lost brokers, moved leaders, throttling) are handled internally: batches are retried until
 * {@link LeanProducerSettings#deliveryTimeout} expires. The producer does not create missing topics.
 */
public final class LeanProducer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LeanProducer.class);

    /** About 100 years, which as nanoseconds still fits into a long. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final ProducerEntrance entrance;
    private final Duration deliveryTimeout;

    private LeanProducer(ProducerEntrance entrance, Duration deliveryTimeout) {
        this.entrance = entrance;
        this.deliveryTimeout = deliveryTimeout;
    }

    /**
     * Starts a producer without connecting to brokers. Its thread runs until the producer is closed.
     *
     * @throws org.apache.kafka.common.KafkaException if a property is invalid; the message names the property
     */
    public static LeanProducer open(LeanProducerSettings settings, SendListener listener) {
        Objects.requireNonNull(settings, "settings");
        Objects.requireNonNull(listener, "listener");
        return new LeanProducer(new ProducerEntrance(settings, listener), settings.deliveryTimeout());
    }

    /**
     * Copies a record into a batch. If the buffer of {@link LeanProducerSettings#bufferBytes} is full, or if the
     * record's topic or partition is not known yet, blocks for at most {@link LeanProducerSettings#maxBlock}. The
     * listener must not call this method.
     *
     * @param token a number chosen by the caller, which the listener receives with the record's outcome
     * @throws SendException if the record is larger than {@link LeanProducerSettings#maxRequestBytes}
     * @throws LeanException if the record could not be accepted in time, if the brokers refuse access to the topic, or
     *     if the producer has failed
     * @throws IllegalStateException if the producer is closed
     */
    public void send(LeanRecord record, long token) throws InterruptedException {
        Objects.requireNonNull(record, "record");
        entrance.send(record.topic(), record.partition(), record.timestampMillis(), record.bytes(), token);
    }

    /**
     * Does the same as {@link #send}, but returns false instead of waiting if the record cannot be accepted
     * immediately. If the topic or partition is unknown, the producer starts to look it up, so another attempt may soon
     * succeed.
     */
    public boolean trySend(LeanRecord record, long token) {
        Objects.requireNonNull(record, "record");
        return entrance.trySend(record.topic(), record.partition(), record.timestampMillis(), record.bytes(), token);
    }

    /**
     * Sends prepared records in order, each as {@link #send(LeanRecord, long)} does. Sending is cheapest if many
     * consecutive records are for the same partition.
     *
     * @param from the index of the first record
     * @param to the index after the last record, at most {@link LeanRecords#count}
     * @param token a number that the listener receives with the outcome of each record
     */
    public void send(LeanRecords records, int from, int to, long token) throws InterruptedException {
        int at = trySend(records, from, to, token);
        while (at < to) {
            entrance.send(
                    records.topic(at),
                    records.prepared().partition(at),
                    records.prepared().timestampMillis(at),
                    records.prepared().bytes(at),
                    token);
            at = trySend(records, at + 1, to, token);
        }
    }

    /**
     * Does the same as {@link #send(LeanRecords, int, int, long)}, but never waits.
     *
     * @return the index of the first record that was not accepted; {@code to} if all were accepted
     */
    public int trySend(LeanRecords records, int from, int to, long token) {
        Objects.checkFromToIndex(
                from, to, Objects.requireNonNull(records, "records").count());
        return entrance.trySend(records.prepared(), from, to, token);
    }

    /**
     * Sends all records that were accepted before this call, even if their batches are not full. Returns when the
     * listener has received the outcomes of these records, or when the deadline has passed.
     *
     * @param deadline the longest time to wait
     * @return the records that have no outcome yet
     * @throws LeanException if the producer has failed
     */
    public UnwrittenRecords flush(Duration deadline) throws InterruptedException {
        return entrance.flush(nanos(deadline));
    }

    /**
     * Stops accepting records and waits until all accepted records have an outcome. Records without an outcome at the
     * deadline are given up. The listener receives the outcome of every record. If the thread is interrupted, all
     * outstanding records are given up immediately, and the interrupt flag stays set.
     *
     * @param deadline the longest time to wait
     * @return the records that were given up
     */
    public UnwrittenRecords close(Duration deadline) {
        return entrance.close(nanos(deadline));
    }

    /**
     * Stops the producer immediately: it accepts and sends no more records, gives up all unacknowledged ones, and calls
     * the listener for each. May be called from any thread. If the listener calls this method for a rejected record, no
     * later record of the same partition is written. This method does not wait; {@link #close(Duration)} does.
     */
    public void abort() {
        entrance.abort();
    }

    /**
     * Closes the producer within {@link LeanProducerSettings#deliveryTimeout}. Logs a warning that describes the
     * records given up.
     */
    @Override
    public void close() {
        UnwrittenRecords unwritten = close(deliveryTimeout);
        if (!unwritten.isEmpty()) {
            LOG.warn("closed without an acknowledgement for {}", unwritten);
        }
    }

    /** A snapshot of the counters. */
    public LeanProducerMetrics metrics() {
        return entrance.metrics();
    }

    private static long nanos(Duration deadline) {
        Objects.requireNonNull(deadline, "deadline");
        return (deadline.compareTo(LONGEST) < 0 ? deadline : LONGEST).toNanos();
    }
}
