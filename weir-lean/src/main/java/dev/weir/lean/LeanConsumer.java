package dev.weir.lean;

import dev.weir.lean.internal.consumer.ConsumerEngine;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Reads assigned partitions without allocating an object per record. Confined to one thread, except for {@link #wakeup}
 * and {@link #metrics}, which are thread-safe.
 *
 * <p>It has no thread of its own. A call of {@link #poll} does one turn of work: it sends due requests, receives
 * answers and delivers records. It never blocks. If there is nothing to do it returns 0, and the caller decides how to
 * idle: with an Agrona {@code IdleStrategy} or with {@link #await}. {@link LeanRunner} is a ready-made loop.
 *
 * <pre>{@code
 * try (LeanConsumer consumer = LeanConsumer.open(
 *         LeanSettings.builder().bootstrapServers("localhost:9092").build())) {
 *     consumer.assign("clicks", 0, StartAt.beginning());
 *     RecordHandler handler = record -> sum += record.value().getLong(0);
 *     while (running) {
 *         if (consumer.poll(handler) == 0) {
 *             consumer.await(Duration.ofMillis(100));
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>A partition is identified by its index, a small dense number, so that per-partition state can live in arrays.
 * Transient failures (lost brokers, moved leaders) are handled internally. Other failures are thrown by {@code poll}: a
 * {@link PartitionException} for one partition, any other {@link LeanException} for all.
 */
public final class LeanConsumer implements AutoCloseable {

    /** A practically endless wait, whose nanoseconds do not overflow. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final ConsumerEngine engine;

    private LeanConsumer(ConsumerEngine engine) {
        this.engine = engine;
    }

    /**
     * Opens a consumer without partitions or connections.
     *
     * @throws org.apache.kafka.common.KafkaException if a property is invalid; the message names it
     */
    public static LeanConsumer open(LeanSettings settings) {
        try {
            return new LeanConsumer(new ConsumerEngine(settings));
        } catch (IOException e) {
            throw new LeanException("the system gives no selector: " + e.getMessage(), e);
        }
    }

    /**
     * Adds a partition. If it does not exist yet, the consumer waits for it.
     *
     * @return its index, the lowest free one
     * @throws IllegalStateException if it is already assigned
     */
    public int assign(String topic, int partition, StartAt start) {
        return engine.assign(Objects.requireNonNull(topic, "topic"), partition, Objects.requireNonNull(start, "start"));
    }

    /**
     * Adds a partition at a position in the topic with that id. If the topic of that name has another id, the position
     * counts as lost, and {@link LeanSettings#onOffsetLost} applies.
     *
     * @param topicId from another consumer's {@link #topicId}; {@code Uuid.ZERO_UUID} for any topic
     * @return its index, the lowest free one
     * @throws IllegalStateException if it is already assigned
     */
    public int assign(String topic, int partition, StartAt start, Uuid topicId) {
        return engine.assign(
                Objects.requireNonNull(topic, "topic"),
                partition,
                Objects.requireNonNull(start, "start"),
                Objects.requireNonNull(topicId, "topicId"));
    }

    /**
     * Adds all partitions of a topic. Partitions added to the topic later are found within
     * {@link LeanSettings#metadataMaxAge}. If the topic does not exist yet, the consumer waits for it and then starts
     * its partitions in the same way.
     *
     * <p>Partitions get their index when they are found: see {@link #index} and {@link RecordView#index}. Partitions
     * assigned before keep their position, and a {@linkplain #unassign(int) removed} one stays removed. If the brokers
     * refuse the topic, {@code poll} throws a {@link LeanException} that names it.
     *
     * @param start the beginning, the end or a time; with the end, a partition added to an assigned topic later is read
     *     from its beginning, so that none of its records is missed
     * @throws IllegalArgumentException if the start is an offset, which only makes sense for one partition
     * @throws IllegalStateException if the whole topic is already assigned
     */
    public void assign(String topic, StartAt start) {
        Objects.requireNonNull(topic, "topic");
        if (start.offset() >= 0) {
            throw new IllegalArgumentException("an offset belongs to one partition; assign(topic, partition, start)"
                    + " takes one: topic=" + topic + " offset=" + start.offset());
        }
        engine.assignAll(topic, start);
    }

    /** Removes all partitions of a topic, with their fetched and undelivered records, and adds none of them later. */
    public void unassign(String topic) {
        engine.unassignAll(Objects.requireNonNull(topic, "topic"));
    }

    /** The index of a partition; -1 if it is not assigned, or belongs to a topic whose partitions are not found yet. */
    public int index(String topic, int partition) {
        return engine.index(Objects.requireNonNull(topic, "topic"), partition);
    }

    /** Removes a partition, with its fetched and undelivered records. Another partition may get its index. */
    public void unassign(int index) {
        engine.unassign(index);
    }

    /**
     * Does one turn of work without blocking, and delivers records until {@link LeanSettings#maxPollRecords} is reached
     * and the batch is finished. Must not be called from a handler.
     *
     * @return the amount of work done; 0 if there was nothing to do
     * @throws PartitionException once per fault; other partitions continue with the next poll
     * @throws LeanException if no broker accepts this client
     */
    public int poll(RecordHandler handler) {
        return engine.poll(Objects.requireNonNull(handler, "handler"), null);
    }

    /** Ends the current poll after this record or batch; the next poll continues after it. Called from a handler. */
    public void endPoll() {
        engine.endPoll();
    }

    /** Does the same as {@link #poll}, with a whole batch for each call. */
    public int pollBatches(BatchViewHandler handler) {
        return engine.poll(null, Objects.requireNonNull(handler, "handler"));
    }

    /**
     * Waits until a broker has sent data or can receive some, or until the timeout; returns at once if records are
     * available. Postponed attempts, such as a new connection, are made by the next poll, so wait for a second at most.
     *
     * @param longest the timeout; 0 or less does not wait
     */
    public void await(Duration longest) {
        try {
            Duration bounded = longest.compareTo(LONGEST) < 0 ? longest : LONGEST;
            engine.await(bounded.isNegative() ? 0 : bounded.toMillis());
        } catch (IOException e) {
            throw new LeanException("waiting for brokers: " + e.getMessage(), e);
        }
    }

    /** Ends the current {@link #await}, or the next one. Thread-safe. */
    public void wakeup() {
        engine.wakeup();
    }

    /**
     * Stops delivering and fetching a partition. Fetched records are kept and delivered after {@link #resume}, so
     * nothing is fetched twice. If its own handler pauses it, the current record is the last.
     */
    public void pause(int index) {
        engine.pause(index);
    }

    /** Ends a pause. */
    public void resume(int index) {
        engine.resume(index);
    }

    public boolean isPaused(int index) {
        return engine.isPaused(index);
    }

    /** The offset of the next record to be delivered; -1 while a beginning, an end or a time is being resolved. */
    public long position(int index) {
        return engine.position(index);
    }

    /**
     * The leader epoch of the record before {@link #position}: of the last delivered batch, or of the start; -1 if not
     * known. If it is stored with a position, a consumer that {@linkplain StartAt#offset(long, int) starts} there
     * detects a truncated log.
     */
    public int leaderEpoch(int index) {
        return engine.leaderEpoch(index);
    }

    /**
     * The end of the readable records, as last reported by the broker: the high watermark, or for committed records the
     * last stable offset; -1 before the first answer.
     */
    public long endOffset(int index) {
        return engine.endOffset(index);
    }

    /**
     * The id of the broker from which a partition is fetched: its leader, or a replica nearby; -1 while it is looked
     * up.
     */
    public int broker(int index) {
        return engine.broker(index);
    }

    /** The id of a partition's topic; {@code Uuid.ZERO_UUID} while it is looked up. */
    public Uuid topicId(int index) {
        return engine.topicId(index);
    }

    /**
     * Returns whether a partition has a fault, thrown by {@link #poll} or still to be thrown, without a seek since. If
     * the fault is a recreated topic, {@link #position} belongs to the old topic, not to the one with {@link #topicId}.
     */
    public boolean isAtFault(int index) {
        return engine.isAtFault(index);
    }

    /** Moves to another position in a partition and drops its fetched records; also continues after a fault. */
    public void seek(int index, StartAt place) {
        engine.seek(index, Objects.requireNonNull(place, "place"));
    }

    /**
     * Continues after the batch of a {@link CorruptBatchException}, {@link BatchTooLargeException} or {@link
     * UnsupportedBatchException}.
     *
     * @throws IllegalStateException if there is no such batch, or its end is not known
     */
    public void skipBatch(int index) {
        engine.skipBatch(index);
    }

    /**
     * The offset at which {@link #skipBatch} continues; -1 if no batch is at fault, or its end is not known. The batch
     * contains the offsets from {@link #position} to here, as far as its header can be trusted.
     */
    public long offsetBehindFault(int index) {
        return engine.offsetBehindFault(index);
    }

    /**
     * A copy of the batch at fault as the broker sent it, including the header; null if no batch is at fault, or it
     * exceeds {@link LeanSettings#maxResponseBytes}. The array belongs to the caller, but must not be changed.
     */
    public byte @Nullable [] bytesAtFault(int index) {
        return engine.bytesAtFault(index);
    }

    /** The counters so far. Thread-safe. */
    public LeanMetrics metrics() {
        return engine.metrics();
    }

    /** Closes all connections. */
    @Override
    public void close() {
        engine.close();
    }
}
