package dev.weir.lean;

import dev.weir.lean.internal.consumer.ConsumerEngine;
import dev.weir.lean.internal.wire.FailureText;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Reads assigned partitions without allocating an object per record. Confined to one thread, except for {@link #wakeup}
 * and {@link #metrics}, which are thread-safe.
 *
 * <p>The consumer has no thread of its own. Each call of {@link #poll} does one iteration of work without blocking: it
 * sends the requests that are due, receives responses and delivers records. If there is nothing to do, it returns 0,
 * and the caller decides how to idle: with an Agrona {@code IdleStrategy} or with {@link #await}. {@link LeanRunner} is
 * a ready-made loop.
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
 * <p>A partition is identified by its index, a small dense number, so that per-partition state can be stored in arrays.
 * Transient failures (lost brokers, moved leaders) are handled internally. {@code poll} throws all other failures: a
 * {@link PartitionException} if the failure concerns one partition, and any other {@link LeanException} if it concerns
 * all of them.
 */
public final class LeanConsumer implements AutoCloseable {

    /** About 100 years, which as nanoseconds still fits into a long. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final ConsumerEngine engine;

    private LeanConsumer(ConsumerEngine engine) {
        this.engine = engine;
    }

    /**
     * Opens a consumer without assigning partitions or connecting to brokers.
     *
     * @throws org.apache.kafka.common.KafkaException if a property is invalid; the message names the property
     */
    public static LeanConsumer open(LeanSettings settings) {
        try {
            return new LeanConsumer(new ConsumerEngine(settings));
        } catch (IOException e) {
            throw new LeanException("the system provides no selector: " + FailureText.of(e), e);
        }
    }

    /**
     * Adds a partition. If the partition does not exist yet, the consumer waits until it is created.
     *
     * @return the partition's index, which is the lowest free one
     * @throws IllegalStateException if the partition is already assigned
     */
    public int assign(String topic, int partition, StartAt start) {
        return engine.assign(Objects.requireNonNull(topic, "topic"), partition, Objects.requireNonNull(start, "start"));
    }

    /**
     * Adds a partition, starting at a position that is valid only for the topic with the given id. If the topic has
     * been recreated with a different id, the position counts as lost, and {@link LeanSettings#onOffsetLost} applies.
     *
     * @param topicId from another consumer's {@link #topicId}; {@code Uuid.ZERO_UUID} to accept any topic with this
     *     name
     * @return the partition's index, which is the lowest free one
     * @throws IllegalStateException if the partition is already assigned
     */
    public int assign(String topic, int partition, StartAt start, Uuid topicId) {
        return engine.assign(
                Objects.requireNonNull(topic, "topic"),
                partition,
                Objects.requireNonNull(start, "start"),
                Objects.requireNonNull(topicId, "topicId"));
    }

    /**
     * Adds all partitions of a topic. Partitions that are added to the topic later are discovered within
     * {@link LeanSettings#metadataMaxAge}. If the topic does not exist yet, the consumer waits until the topic is
     * created, and then reads its partitions from {@code start}.
     *
     * <p>Partitions get their index when they are discovered: see {@link #index} and {@link RecordView#index}.
     * Partitions that are already assigned keep their position, and a {@linkplain #unassign(int) removed} partition
     * stays removed. If the brokers refuse access to the topic, {@code poll} throws a {@link LeanException} that names
     * it.
     *
     * @param start the beginning, the end or a time. The end applies only to existing partitions. Partitions that are
     *     added later are read from their beginning, so that no record is missed
     * @throws IllegalArgumentException if the start is an offset, because an offset only makes sense for one partition
     * @throws IllegalStateException if all partitions of the topic are already assigned
     */
    public void assign(String topic, StartAt start) {
        Objects.requireNonNull(topic, "topic");
        if (start.offset() >= 0) {
            throw new IllegalArgumentException("an offset belongs to one partition; assign(topic, partition, start)"
                    + " takes one: topic=" + topic + " offset=" + start.offset());
        }
        engine.assignAll(topic, start);
    }

    /**
     * Removes all partitions of a topic and discards their fetched but undelivered records. Partitions that are added
     * to the topic later are not assigned.
     */
    public void unassign(String topic) {
        engine.unassignAll(Objects.requireNonNull(topic, "topic"));
    }

    /**
     * The index of a partition; -1 if the partition is not assigned, or if the topic's partitions have not been
     * discovered yet.
     */
    public int index(String topic, int partition) {
        return engine.index(Objects.requireNonNull(topic, "topic"), partition);
    }

    /**
     * Removes a partition and discards its fetched but undelivered records. A partition that is assigned later may get
     * the same index.
     */
    public void unassign(int index) {
        engine.unassign(index);
    }

    /**
     * Does one iteration of work without blocking. Stops delivering after {@link LeanSettings#maxPollRecords} records,
     * except that the current batch is always delivered completely. Must not be called from a handler.
     *
     * @return the amount of work done; 0 if there was nothing to do
     * @throws PartitionException if a partition has a fault that has not been thrown yet; the other partitions continue
     *     with the next poll
     * @throws LeanException if no broker accepts this client
     */
    public int poll(RecordHandler handler) {
        return engine.poll(Objects.requireNonNull(handler, "handler"), null);
    }

    /**
     * Ends the current poll after the current record or batch. The next poll continues after it. Call only from a
     * handler.
     */
    public void endPoll() {
        engine.endPoll();
    }

    /** Does the same as {@link #poll}, but calls the handler once per batch. */
    public int pollBatches(BatchViewHandler handler) {
        return engine.poll(null, Objects.requireNonNull(handler, "handler"));
    }

    /**
     * Waits until a broker has sent data, until more of a pending request can be written, or until the timeout expires.
     * Returns immediately if records are available. Use a timeout of at most a second, because retries, such as
     * reconnecting, happen only in {@code poll}.
     *
     * @param longest the timeout, rounded up to milliseconds; does not wait if it is 0 or negative
     */
    public void await(Duration longest) {
        try {
            Duration bounded = longest.compareTo(LONGEST) < 0 ? longest : LONGEST;
            engine.await(bounded.isNegative() ? 0 : Math.ceilDiv(bounded.toNanos(), NANOS_PER_MILLI));
        } catch (IOException e) {
            throw new LeanException("waiting for brokers: " + FailureText.of(e), e);
        }
    }

    /** Ends the current {@link #await}. If no call is waiting, the next call returns immediately. Thread-safe. */
    public void wakeup() {
        engine.wakeup();
    }

    /**
     * Stops fetching and delivering a partition. Records that are already fetched are kept and delivered after
     * {@link #resume}, so nothing is fetched twice. If the handler pauses the current record's partition, the current
     * record is the last record delivered.
     */
    public void pause(int index) {
        engine.pause(index);
    }

    /** Resumes a paused partition. */
    public void resume(int index) {
        engine.resume(index);
    }

    public boolean isPaused(int index) {
        return engine.isPaused(index);
    }

    /**
     * The offset of the next record to be delivered; -1 if the partition starts at the beginning, the end or a time,
     * and the offset has not been determined yet.
     */
    public long position(int index) {
        return engine.position(index);
    }

    /**
     * The leader epoch of the record before {@link #position}, taken from the last delivered batch or from the start
     * position; -1 if unknown. Applications can store it together with the position. A consumer that
     * {@linkplain StartAt#offset(long, int) starts} with both values can detect a truncated log.
     */
    public int leaderEpoch(int index) {
        return engine.leaderEpoch(index);
    }

    /**
     * The end offset of the readable records, as last reported by the broker: the high watermark, or the last stable
     * offset if only committed records are read; -1 before the first response.
     */
    public long endOffset(int index) {
        return engine.endOffset(index);
    }

    /**
     * The id of the broker from which a partition is fetched, which is its leader or a nearby replica; -1 while the
     * broker is being looked up.
     */
    public int broker(int index) {
        return engine.broker(index);
    }

    /** The id of a partition's topic; {@code Uuid.ZERO_UUID} while the id is being looked up. */
    public Uuid topicId(int index) {
        return engine.topicId(index);
    }

    /**
     * Returns whether a fault has stopped the partition. {@link #poll} has thrown this fault or will throw it. The
     * partition continues after a seek or {@link #skipBatch}. If the topic was recreated, {@link #position} is the
     * position in the old topic, but {@link #topicId} is the id of the new one.
     */
    public boolean isAtFault(int index) {
        return engine.isAtFault(index);
    }

    /**
     * Moves to another position in a partition and discards its fetched records. Also lets the partition continue after
     * a fault.
     */
    public void seek(int index, StartAt place) {
        engine.seek(index, Objects.requireNonNull(place, "place"));
    }

    /**
     * Continues after the batch that caused a {@link CorruptBatchException}, {@link BatchTooLargeException} or
     * {@link UnsupportedBatchException}.
     *
     * @throws IllegalStateException if there is no such batch, or if its end is unknown
     */
    public void skipBatch(int index) {
        engine.skipBatch(index);
    }

    /**
     * The offset at which {@link #skipBatch} continues; -1 if no batch is at fault or the batch's end is unknown. If
     * the batch's header is intact, the batch contains the offsets from {@link #position} (inclusive) to this offset
     * (exclusive).
     */
    public long offsetBehindFault(int index) {
        return engine.offsetBehindFault(index);
    }

    /**
     * A copy of the batch at fault as the broker sent it, including the header; null if no batch is at fault or the
     * batch exceeds {@link LeanSettings#maxResponseBytes}. The caller may keep the array, but must not modify it.
     */
    public byte @Nullable [] bytesAtFault(int index) {
        return engine.bytesAtFault(index);
    }

    /** Returns {@link LeanMetrics#throttledMillis} without creating a snapshot of all counters. Thread-safe. */
    public long throttledMillis() {
        return engine.throttledMillis();
    }

    /** A snapshot of the counters. Thread-safe. */
    public LeanMetrics metrics() {
        return engine.metrics();
    }

    /** Closes all connections. */
    @Override
    public void close() {
        engine.close();
    }
}
