package dev.weir.lean;

import dev.weir.lean.internal.producer.ProducerEntrance;
import java.time.Duration;
import java.util.Objects;

/**
 * Writes records without allocating an object per record: idempotent, acknowledged by all in-sync replicas, in order
 * within each partition. Thread-safe; records from one thread to one partition stay in order. Its own thread sends
 * requests and calls the {@link SendListener}.
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
 * {@link LeanProducerSettings#deliveryTimeout}. A missing topic is not created.
 */
public final class LeanProducer implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(LeanProducer.class.getName());

    /** A practically endless wait, whose nanoseconds do not overflow. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final ProducerEntrance entrance;
    private final Duration deliveryTimeout;

    private LeanProducer(ProducerEntrance entrance, Duration deliveryTimeout) {
        this.entrance = entrance;
        this.deliveryTimeout = deliveryTimeout;
    }

    /**
     * Starts a producer without connections; its thread runs until it is closed.
     *
     * @throws org.apache.kafka.common.KafkaException if a property is invalid; the message names it
     */
    public static LeanProducer open(LeanProducerSettings settings, SendListener listener) {
        Objects.requireNonNull(settings, "settings");
        Objects.requireNonNull(listener, "listener");
        return new LeanProducer(new ProducerEntrance(settings, listener), settings.deliveryTimeout());
    }

    /**
     * Copies a record into a batch. Blocks while {@link LeanProducerSettings#bufferBytes} is full, or its topic or
     * partition is not found yet, for {@link LeanProducerSettings#maxBlock} at most. Must not be called by the
     * listener.
     *
     * @param token chosen by the caller, passed to the listener with the record's outcome
     * @throws SendException if the record is larger than {@link LeanProducerSettings#maxRequestBytes}
     * @throws LeanException if it could not be accepted in time, if the brokers refuse the topic, or if the producer
     *     has failed
     * @throws IllegalStateException if the producer is closed
     */
    public void send(LeanRecord record, long token) throws InterruptedException {
        Objects.requireNonNull(record, "record");
        entrance.send(record.topic(), record.partition(), record.timestampMillis(), record.bytes(), token);
    }

    /**
     * Does the same as {@link #send}, but returns false instead of waiting, without taking the record. An unknown topic
     * or partition is then looked up, so that another attempt may soon succeed.
     */
    public boolean trySend(LeanRecord record, long token) {
        Objects.requireNonNull(record, "record");
        return entrance.trySend(record.topic(), record.partition(), record.timestampMillis(), record.bytes(), token);
    }

    /**
     * Sends prepared records in order, each as {@link #send(LeanRecord, long)} does. The more consecutive records are
     * for the same partition, the cheaper it is.
     *
     * @param from the number of the first record
     * @param to the number after the last record, at most {@link LeanRecords#count}
     * @param token passed to the listener with the outcome of each
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
     * @return the number of the first record not accepted; {@code to} if all were
     */
    public int trySend(LeanRecords records, int from, int to, long token) {
        Objects.checkFromToIndex(
                from, to, Objects.requireNonNull(records, "records").count());
        return entrance.trySend(records.prepared(), from, to, token);
    }

    /**
     * Sends all records accepted before this call, without waiting for full batches, and returns when the listener has
     * their outcomes, or at the deadline.
     *
     * @return the records without an outcome yet
     * @throws LeanException if the producer has failed
     */
    public UnwrittenRecords flush(Duration deadline) throws InterruptedException {
        return entrance.flush(nanos(deadline));
    }

    /**
     * Accepts no more records, waits for outstanding ones, and gives up the rest at the deadline; the listener receives
     * each outcome. An interrupt gives up at once, and stays set.
     *
     * @return the records given up
     */
    public UnwrittenRecords close(Duration deadline) {
        return entrance.close(nanos(deadline));
    }

    /**
     * Ends the producer at once: accepts and sends nothing more, and gives up all unacknowledged records, with a call
     * of the listener for each. Any thread. If the listener calls it for a refused record, no later record of the same
     * partition is written. Does not wait; {@link #close(Duration)} does.
     */
    public void abort() {
        entrance.abort();
    }

    /** Closes the producer within {@link LeanProducerSettings#deliveryTimeout}; the log names the records given up. */
    @Override
    public void close() {
        UnwrittenRecords unwritten = close(deliveryTimeout);
        if (!unwritten.isEmpty()) {
            LOG.log(System.Logger.Level.WARNING, "closed without an acknowledgement for " + unwritten);
        }
    }

    /** The counters so far. */
    public LeanProducerMetrics metrics() {
        return entrance.metrics();
    }

    private static long nanos(Duration deadline) {
        Objects.requireNonNull(deadline, "deadline");
        return (deadline.compareTo(LONGEST) < 0 ? deadline : LONGEST).toNanos();
    }
}
