package dev.weir.lean;

import dev.weir.lean.internal.producer.ProducerEntrance;
import java.time.Duration;
import java.util.Objects;

/**
 * Writes records without making an object per record: idempotent, acknowledged by all replicas in sync, in the order
 * of each partition. Thread-safe; records of one thread to one partition keep their order. It has one thread of its
 * own, which sends, and calls the {@link SendListener}.
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
 * <p>Failures that pass by themselves (brokers lost, leaders moved, throttling) are not seen here: batches are sent
 * again, until {@link LeanProducerSettings#deliveryTimeout}. A topic that does not exist is not created.
 */
public final class LeanProducer implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(LeanProducer.class.getName());

    /** Stands for ever. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final ProducerEntrance entrance;
    private final Duration deliveryTimeout;

    private LeanProducer(ProducerEntrance entrance, Duration deliveryTimeout) {
        this.entrance = entrance;
        this.deliveryTimeout = deliveryTimeout;
    }

    /**
     * Starts a producer, whose thread runs until it is closed; nothing is connected yet.
     *
     * @throws org.apache.kafka.common.KafkaException if a property does not fit, with its name
     */
    public static LeanProducer open(LeanProducerSettings settings, SendListener listener) {
        Objects.requireNonNull(settings, "settings");
        Objects.requireNonNull(listener, "listener");
        return new LeanProducer(new ProducerEntrance(settings, listener), settings.deliveryTimeout());
    }

    /**
     * Copies a record into a batch. Blocks while {@link LeanProducerSettings#bufferBytes} is full, or its topic or
     * partition is not found yet, for {@link LeanProducerSettings#maxBlock} at most. Not to be called by the listener.
     *
     * @param token of the caller's choice, given to the listener with what became of the record
     * @throws SendException if the record is larger than {@link LeanProducerSettings#maxRequestBytes}
     * @throws LeanException if it could not be taken in time, if the brokers refuse the topic, or if the producer has
     *     failed
     * @throws IllegalStateException if the producer is closed
     */
    public void send(LeanRecord record, long token) throws InterruptedException {
        Objects.requireNonNull(record, "record");
        entrance.send(record.topic(), record.partition(), record.timestampMillis(), record.bytes(), token);
    }

    /**
     * As {@link #send}, but never waits: returns false, and has taken nothing, if it would have to. A topic or a
     * partition that is not known is looked up then, so that it can be tried again soon.
     */
    public boolean trySend(LeanRecord record, long token) {
        Objects.requireNonNull(record, "record");
        return entrance.trySend(record.topic(), record.partition(), record.timestampMillis(), record.bytes(), token);
    }

    /**
     * As {@link #send(LeanRecord, long)}, one after the other, of those that were put together before: cheaper the
     * more of them in a row are for the same partition.
     *
     * @param from the number of the first one
     * @param to the number behind the last one, at most {@link LeanRecords#count}
     * @param token given to the listener with what became of each
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
     * As {@link #send(LeanRecords, int, int, long)}, but never waits.
     *
     * @return the number of the first one that was not taken; {@code to} if all were
     */
    public int trySend(LeanRecords records, int from, int to, long token) {
        Objects.checkFromToIndex(
                from, to, Objects.requireNonNull(records, "records").count());
        return entrance.trySend(records.prepared(), from, to, token);
    }

    /**
     * Sends what was taken before this call, without waiting for full batches, and returns when the listener knows
     * what became of it, or after the deadline.
     *
     * @return what the listener does not know yet
     * @throws LeanException if the producer has failed
     */
    public UnwrittenRecords flush(Duration deadline) throws InterruptedException {
        return entrance.flush(nanos(deadline));
    }

    /**
     * Takes no more records, waits for those that were taken, and gives up the rest after the deadline: the listener
     * is told of each. An interrupt gives up at once, and stays set.
     *
     * @return what was given up
     */
    public UnwrittenRecords close(Duration deadline) {
        return entrance.close(nanos(deadline));
    }

    /**
     * Ends it at once: takes no more, sends no more, and gives up what is not acknowledged, of which the listener is
     * told. Any thread. Called by the listener when it hears of a refused record, it keeps that from being overtaken:
     * nothing of the same partition is written behind it. Does not wait; {@link #close(Duration)} does.
     */
    public void abort() {
        entrance.abort();
    }

    /** Closes it, after {@link LeanProducerSettings#deliveryTimeout} at most; the log names what was given up. */
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
