package dev.weir.lean;

import dev.weir.lean.internal.consumer.ConsumerEngine;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Reads assigned partitions without making an object per record. Confined to one thread, whichever that is, but for
 * {@link #wakeup} and {@link #metrics}, which are thread-safe.
 *
 * <p>It has no thread of its own. A call of {@link #poll} does one turn of work: it sends due requests, takes answers,
 * hands out records. It never blocks; when there is nothing to do it returns 0, and the caller decides how to idle: by
 * an Agrona {@code IdleStrategy}, or by {@link #await}. {@link LeanRunner} is that loop ready-made.
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
 * <p>A partition is known by its index, a small dense number, so that per-partition state may live in arrays. Failures
 * that pass by themselves (brokers lost, leaders moved) are not seen here. Others are thrown by {@code poll}: a {@link
 * PartitionException} for one partition, any other {@link LeanException} for all.
 */
public final class LeanConsumer implements AutoCloseable {

    /** Stands for ever. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final ConsumerEngine engine;

    private LeanConsumer(ConsumerEngine engine) {
        this.engine = engine;
    }

    /**
     * Makes a consumer without partitions; nothing is connected yet.
     *
     * @throws org.apache.kafka.common.KafkaException if a property does not fit, with its name
     */
    public static LeanConsumer open(LeanSettings settings) {
        try {
            return new LeanConsumer(new ConsumerEngine(settings));
        } catch (IOException e) {
            throw new LeanException("the system gives no selector: " + e.getMessage(), e);
        }
    }

    /**
     * Adds a partition. One that does not exist yet is waited for.
     *
     * @return its index: the lowest one that no other partition has
     * @throws IllegalStateException if it is assigned already
     */
    public int assign(String topic, int partition, StartAt start) {
        return engine.assign(Objects.requireNonNull(topic, "topic"), partition, Objects.requireNonNull(start, "start"));
    }

    /**
     * Adds a partition at a place in the topic of that id: in a topic of that name with another id it is no place,
     * which is a lost offset, as {@link LeanSettings#onOffsetLost} says.
     *
     * @param topicId as another consumer's {@link #topicId} has told it; {@code Uuid.ZERO_UUID} for any topic
     * @return its index: the lowest one that no other partition has
     * @throws IllegalStateException if it is assigned already
     */
    public int assign(String topic, int partition, StartAt start, Uuid topicId) {
        return engine.assign(
                Objects.requireNonNull(topic, "topic"),
                partition,
                Objects.requireNonNull(start, "start"),
                Objects.requireNonNull(topicId, "topicId"));
    }

    /**
     * Adds all partitions of a topic, also those that are added to it later, which are noticed after {@link
     * LeanSettings#metadataMaxAge} at the latest. A topic that does not exist yet is waited for, and its partitions
     * start as those of one that was there.
     *
     * <p>Partitions are known by their index once they are found: see {@link #index}, and {@link RecordView#index}.
     * Partitions that were assigned before keep their place, and one that is {@linkplain #unassign(int) removed} stays
     * away. If the brokers refuse the topic, {@code poll} throws a {@link LeanException} that names it.
     *
     * @param start the beginning, the end or a time; with the end, a partition that is added to a topic in use is
     *     read from its beginning, so that no record written since is missed
     * @throws IllegalArgumentException if the start is an offset, which belongs to one partition
     * @throws IllegalStateException if all of the topic is assigned already
     */
    public void assign(String topic, StartAt start) {
        Objects.requireNonNull(topic, "topic");
        if (start.offset() >= 0) {
            throw new IllegalArgumentException("an offset belongs to one partition; assign(topic, partition, start)"
                    + " takes one: topic=" + topic + " offset=" + start.offset());
        }
        engine.assignAll(topic, start);
    }

    /** Removes all partitions of a topic, with their fetched and undelivered records, and takes no further ones. */
    public void unassign(String topic) {
        engine.unassignAll(Objects.requireNonNull(topic, "topic"));
    }

    /** The index of a partition, or -1 if it is not assigned, or of a topic whose partitions are not found yet. */
    public int index(String topic, int partition) {
        return engine.index(Objects.requireNonNull(topic, "topic"), partition);
    }

    /** Removes a partition, with its fetched and undelivered records. Its index may be given to another one. */
    public void unassign(int index) {
        engine.unassign(index);
    }

    /**
     * Does one turn of work without blocking, and hands out at most {@link LeanSettings#maxPollRecords} records, to the
     * end of a batch. Not to be called from a handler.
     *
     * @return how much was done; 0 if there was nothing to do
     * @throws PartitionException once per fault; the others go on with the next poll
     * @throws LeanException if no broker accepts this client
     */
    public int poll(RecordHandler handler) {
        return engine.poll(Objects.requireNonNull(handler, "handler"), null);
    }

    /** Ends the current poll after this record or batch; the next poll continues after it. Called from a handler. */
    public void endPoll() {
        engine.endPoll();
    }

    /** As {@link #poll}, with a whole batch for each call. */
    public int pollBatches(BatchViewHandler handler) {
        return engine.poll(null, Objects.requireNonNull(handler, "handler"));
    }

    /**
     * Waits until a broker has sent something, or can be sent something, for so long at most; returns at once if
     * records are there. Attempts that were put off, such as a new connection, are made by the next poll: wait for a
     * second at most.
     *
     * @param longest does not wait if it is not more than 0
     */
    public void await(Duration longest) {
        try {
            Duration bounded = longest.compareTo(LONGEST) < 0 ? longest : LONGEST;
            engine.await(bounded.isNegative() ? 0 : bounded.toMillis());
        } catch (IOException e) {
            throw new LeanException("waiting for brokers: " + e.getMessage(), e);
        }
    }

    /** Ends an {@link #await}, or the next one if none runs. Thread-safe. */
    public void wakeup() {
        engine.wakeup();
    }

    /**
     * Stops handing out records of a partition, and fetching it. Fetched records stay, and are handed out after {@link
     * #resume}: nothing is fetched twice. Paused in its own handler, the record that is being handled is the last.
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

    /** The offset of the next record to be handed out; -1 while a beginning, an end or a time is looked up. */
    public long position(int index) {
        return engine.position(index);
    }

    /**
     * The leader epoch of the record before {@link #position}: of the batch that was handed out last, or as the start
     * said; -1 if it is not known. Kept with a position, it lets a consumer that {@linkplain StartAt#offset(long, int)
     * starts} there notice that the log was truncated.
     */
    public int leaderEpoch(int index) {
        return engine.leaderEpoch(index);
    }

    /**
     * The end of the readable records, as the broker last said it: the high watermark, or of committed records the last
     * stable offset; -1 before the first answer.
     */
    public long endOffset(int index) {
        return engine.endOffset(index);
    }

    /**
     * The id of the broker that is asked for a partition: its leader, or a replica nearby; -1 while it is looked for.
     */
    public int broker(int index) {
        return engine.broker(index);
    }

    /** The id of a partition's topic; {@code Uuid.ZERO_UUID} while it is looked for. */
    public Uuid topicId(int index) {
        return engine.topicId(index);
    }

    /**
     * Returns whether a fault was found in a partition, thrown by {@link #poll} or still to be thrown, and no seek came
     * since. If the fault is that the topic was recreated, {@link #position} is of the topic before, and no place in
     * the one with {@link #topicId}.
     */
    public boolean isAtFault(int index) {
        return engine.isAtFault(index);
    }

    /**
     * Moves to another place in a partition and forgets its fetched records; also the way to continue after a fault.
     */
    public void seek(int index, StartAt place) {
        engine.seek(index, Objects.requireNonNull(place, "place"));
    }

    /**
     * Continues after the batch of a {@link CorruptBatchException}, {@link BatchTooLargeException} or {@link
     * UnsupportedBatchException}.
     *
     * @throws IllegalStateException if there was none, or its end is not known
     */
    public void skipBatch(int index) {
        engine.skipBatch(index);
    }

    /**
     * The offset at which {@link #skipBatch} goes on; -1 if no batch is at fault, or its end is not known. The batch
     * has the records from {@link #position} to here, as far as its header can be trusted.
     */
    public long offsetBehindFault(int index) {
        return engine.offsetBehindFault(index);
    }

    /**
     * A copy of the batch at fault as the broker has sent it, header included; null if no batch is at fault, or it is
     * larger than {@link LeanSettings#maxResponseBytes}. The array is the caller's, who does not change it.
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
