package dev.weir.kafka.internal.in.offsets;

import dev.weir.stream.spi.AckTarget;
import java.util.Objects;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Tracks which records of one partition are finished during one assignment. The methods of {@link AckTarget} and
 * {@link #ackLast} are thread-safe. Unless noted otherwise, only the consumer's owner thread may call the other
 * methods.
 *
 * <p>A record's token is its index among the records of this assignment. The tracker uses tokens rather than offsets,
 * because offsets have gaps (compaction, transaction markers). Acknowledgements that arrive after the assignment have
 * no effect.
 *
 * <pre>
 *   sequence    0 ........ head ............ tail
 *               finished   | first unfinished | next to append
 *   holders       0  0  0    1  0  2  0  1
 *                            ^ the offset here is the one to commit
 * </pre>
 */
public final class OffsetTracker implements AckTarget {

    // The records are stored in a ring of chunks, allocated when needed, so an idle partition uses little memory. The
    // owner thread adds a chunk before it publishes any token in that chunk, and removes the chunk once every slot in
    // it is finished.

    private static final int SLOT_MASK = TrackerChunk.SLOTS - 1;

    private static final int MAX_SPARES = 16;

    /** The timestamp of a record that has none. */
    public static final long NO_TIMESTAMP = -1;

    private static final long NOTHING = -1;

    /**
     * Fields that the owner thread changes with every record. Padding keeps them off the cache lines that acknowledging
     * threads read.
     */
    private static class Position extends PaddingBefore {
        long head;
        long tail;
        long finishedBytes;
        long appendedBytes;
        long nextOffset = -1;
        long settled;
        boolean sealed;
    }

    @SuppressWarnings("unused") // padding
    private static class PaddingBefore {
        private long p1, p2, p3, p4, p5, p6, p7, p8;
    }

    @SuppressWarnings("unused") // padding
    private static final class Owned extends Position {
        private long p1, p2, p3, p4, p5, p6, p7, p8;
    }

    private final int capacity;
    private final @Nullable TrackerChunk[] chunks;
    private final int chunkMask;
    private final Runnable onWatchedFinished;

    private final Owned own = new Owned();

    /** The partition's name for messages. Set before the first token is published. */
    private String partition = "";

    /** Token of the record that wakes the owner thread when it is finished. Only the owner thread writes it. */
    private volatile long watched = NOTHING;

    /** True after {@link #revoke}. Only the owner thread writes it. */
    private volatile boolean revoked;

    /**
     * Creates an empty tracker.
     *
     * @param capacity the maximum number of outstanding records, at least 1
     * @param onWatchedFinished called on the acknowledging thread when a {@link #watch watched} record is finished;
     *     must be fast and must not block
     */
    public OffsetTracker(int capacity, Runnable onWatchedFinished) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity must be at least 1: capacity=" + capacity);
        }
        this.capacity = capacity;
        // One more chunk than the capacity needs, because the first outstanding record may be in the middle of a chunk.
        int wanted = Math.ceilDiv(capacity, TrackerChunk.SLOTS) + 1;
        this.chunks = new TrackerChunk[Integer.highestOneBit(wanted * 2 - 1)];
        this.chunkMask = chunks.length - 1;
        this.onWatchedFinished = onWatchedFinished;
    }

    /** Sets the partition's name for messages. Must be called before any record is appended. */
    public void name(TopicPartition ofThese) {
        partition = ofThese.toString();
    }

    /** Adds a record without a timestamp. */
    public long append(long offset, int bytes) {
        return append(offset, bytes, NO_TIMESTAMP);
    }

    /**
     * Adds a record that is about to be emitted, with one acknowledgement pending.
     *
     * @param offset larger than the previous record's offset
     * @param bytes the record's weight in the memory budget
     * @param timestamp the record's timestamp, or {@link #NO_TIMESTAMP}
     * @return the record's token
     */
    public long append(long offset, int bytes, long timestamp) {
        long token = own.tail;
        appendTo(chunkAtTail(offset), offset, bytes, timestamp);
        return token;
    }

    /**
     * Adds records that are about to be emitted, each with one acknowledgement pending. Their tokens are consecutive.
     *
     * @param offsets in ascending order
     * @param bytes weights of the records in the memory budget
     * @param timestamps timestamps of the records
     * @param count the number of records, at least 1
     * @return the first record's token
     */
    public long appendAll(long[] offsets, int[] bytes, long[] timestamps, int count) {
        long first = own.tail;
        int at = 0;
        while (at < count) {
            TrackerChunk chunk = chunkAtTail(offsets[at]);
            int slot = (int) own.tail & SLOT_MASK;
            int n = Math.min(Math.min(count - at, TrackerChunk.SLOTS - slot), capacity - outstanding());
            System.arraycopy(offsets, at, chunk.offsets, slot, n);
            chunk.timestamps.noteAll(slot, timestamps, at, n);
            own.appendedBytes = chunk.weigh(slot, bytes, at, n, own.appendedBytes);
            own.tail += n;
            at += n;
            own.nextOffset = offsets[at - 1] + 1;
        }
        return first;
    }

    /** Adds a record that is already finished and will not be emitted. */
    public void appendFinished(long offset) {
        TrackerChunk chunk = chunkAtTail(offset);
        chunk.setFinished((int) own.tail & SLOT_MASK);
        appendTo(chunk, offset, 0, NO_TIMESTAMP);
    }

    /** Marks all offsets below {@code offset} as seen, for example after a record that represents several offsets. */
    public void seenTo(long offset) {
        own.nextOffset = Math.max(own.nextOffset, offset);
    }

    /** Returns whether this tracker belongs to the given partition, in any assignment. */
    public boolean isOf(TopicPartition id) {
        return partition.equals(id.toString());
    }

    private TrackerChunk chunkAtTail(long offset) {
        if (own.sealed) {
            throw new IllegalStateException("appended after a record was dropped: offset=" + offset);
        }
        if (own.tail - own.head >= capacity) {
            throw new IllegalStateException("window full: capacity=" + capacity + " offset=" + offset);
        }
        int at = (int) (own.tail >>> TrackerChunk.BITS) & chunkMask;
        TrackerChunk chunk = chunks[at];
        if (chunk == null) {
            chunk = new TrackerChunk();
            chunks[at] = chunk;
        }
        return chunk;
    }

    private void appendTo(TrackerChunk chunk, long offset, int bytes, long timestamp) {
        int slot = (int) own.tail & SLOT_MASK;
        own.appendedBytes += bytes;
        chunk.offsets[slot] = offset;
        chunk.timestamps.note(slot, timestamp);
        chunk.weights[slot] = own.appendedBytes;
        own.tail++;
        own.nextOffset = offset + 1;
    }

    @Override
    public void ack(long token) {
        end(token);
    }

    /** Acknowledges a record. Returns whether the record is now finished. */
    public boolean ackLast(long token) {
        return end(token) == TrackerChunk.FINISHED;
    }

    private byte end(long token) {
        byte state = chunkOf(token).end((int) token & SLOT_MASK);
        if (state != TrackerChunk.HELD) {
            // This thread writes the record's state, then reads `watched`. The owner thread writes `watched`, then
            // reads the state. At least one of the two threads therefore sees the write of the other thread.
            tellIfWatched(token);
        }
        return state;
    }

    public boolean isDone(long token) {
        return token < own.head || (token < own.tail && isFinished(token));
    }

    private void tellIfWatched(long token) {
        if (watched == token) {
            onWatchedFinished.run();
        }
    }

    @Override
    public boolean isRevoked(long token) {
        return revoked;
    }

    @Override
    public boolean dropIfRevoked(long token) {
        if (!revoked) {
            return false;
        }
        drop(token);
        return true;
    }

    /** Marks the record as dropped. The record stays unfinished, but a closing consumer does not wait for it. */
    @Override
    public void forgo(long token) {
        drop(token);
    }

    /** Marks the record as dropped. The record stays unfinished, but a closing consumer does not wait for it. */
    @Override
    public void abandon(long token) {
        drop(token);
    }

    private void drop(long token) {
        if (chunkOf(token).drop((int) token & SLOT_MASK)) {
            tellIfWatched(token);
        }
    }

    @Override
    public String placeOf(long token) {
        return placeAt(offsetOf(token));
    }

    /** Returns the partition and the offset in the format of {@link #placeOf}. May be called on any thread. */
    public String placeAt(long offset) {
        return partition + "@" + offset;
    }

    @Override
    public void retain(long token, int more) {
        chunkOf(token).retain((int) token & SLOT_MASK, more);
    }

    /** Advances past the finished records at the head and returns their number. */
    public int advance() {
        long from = own.head;
        boolean chunkFinished = true;
        while (chunkFinished && own.head < own.tail) {
            TrackerChunk chunk = chunkOf(own.head);
            int slot = (int) own.head & SLOT_MASK;
            int end = chunk.firstUnfinished(slot, (int) Math.min(TrackerChunk.SLOTS, slot + own.tail - own.head));
            if (end > slot) {
                own.finishedBytes = chunk.weights[end - 1];
                own.head += end - slot;
            }
            chunkFinished = end == TrackerChunk.SLOTS;
            if (chunkFinished) {
                recycle(chunk);
            }
        }
        return (int) (own.head - from);
    }

    private void recycle(TrackerChunk chunk) {
        chunks[(int) ((own.head - 1) >>> TrackerChunk.BITS) & chunkMask] = null;
        long next = (own.tail >>> TrackerChunk.BITS) + 1;
        for (int i = 0; i < Math.min(MAX_SPARES, chunks.length); i++) {
            int at = (int) (next + i) & chunkMask;
            if (chunks[at] == null) {
                chunk.reset();
                chunks[at] = chunk;
                return;
            }
        }
    }

    /**
     * Returns whether all records before the offset were finished at the last {@link #advance}. Used to verify
     * {@link #committableOffset}.
     */
    public boolean isFinishedTo(long offset) {
        for (long token = own.head & ~(long) SLOT_MASK; token < own.head; token++) {
            if (!isFinished(token)) {
                return false;
            }
        }
        return own.head == own.tail || offset <= offsetOf(own.head);
    }

    /** Returns the offset after the last added record; -1 if no record has been added. */
    public long nextOffset() {
        return own.nextOffset;
    }

    public boolean isRevoked() {
        return revoked;
    }

    /**
     * Returns the offset to commit as of the last {@link #advance}; -1 if no record has been seen. It is the offset of
     * the first unfinished record, or the offset after the last record if all are finished.
     */
    public long committableOffset() {
        return own.head < own.tail ? offsetOf(own.head) : own.nextOffset;
    }

    /**
     * Returns the finished offsets after the first unfinished record.
     *
     * @param committed the offset about to be committed; earlier offsets are omitted
     * @param earlier the finished set of an earlier assignment; supplies the offsets after this tracker's last record
     */
    public FinishedSet finishedPast(long committed, FinishedSet earlier) {
        if (own.head == own.tail && earlier.isBefore(committed)) {
            return FinishedSet.EMPTY;
        }
        FinishedSet.Builder finished = new FinishedSet.Builder();
        long runStart = -1;
        for (long token = own.head + 1; token < own.tail && finished.runs() < CommitText.MAX_RUNS; token++) {
            boolean isFinished = isFinished(token);
            if (isFinished != (runStart >= 0)) {
                if (isFinished) {
                    runStart = offsetOf(token);
                } else {
                    finished.add(runStart, offsetOf(token));
                    runStart = -1;
                }
            }
        }
        if (runStart >= 0) {
            finished.add(runStart, own.nextOffset);
        }
        finished.addFrom(earlier, Math.max(own.nextOffset, committed));
        return finished.build();
    }

    /**
     * Describes the records left unfinished when their assignment ended.
     *
     * @param held the number of records that a stage still holds
     * @param dropped the number of records that no stage holds and that will not be finished
     * @param from the offset of the first held or dropped record
     * @param to the offset after the last held or dropped record
     */
    public record Leftover(int held, int dropped, long from, long to) {}

    /**
     * Counts the records that were unfinished at the last {@link #advance}. May be called from any thread once the
     * owner thread no longer uses the tracker.
     */
    public Leftover leftover() {
        int held = 0;
        int dropped = 0;
        long from = own.nextOffset;
        long to = own.nextOffset;
        for (long token = own.head; token < own.tail; token++) {
            boolean isHeld = !isSettled(token);
            if (isHeld || !isFinished(token)) {
                from = held + dropped == 0 ? offsetOf(token) : from;
                to = token + 1 == own.tail ? own.nextOffset : offsetOf(token) + 1;
                held += isHeld ? 1 : 0;
                dropped += isHeld ? 0 : 1;
            }
        }
        return new Leftover(held, dropped, from, to);
    }

    /** Returns the token of the first unfinished record, or of the next record to be appended if all are finished. */
    public long firstUnfinished() {
        return own.head;
    }

    /** Returns the timestamp of the first unfinished record; {@link #NO_TIMESTAMP} if unknown. */
    public long firstUnfinishedTimestamp() {
        return own.head < own.tail ? chunkOf(own.head).timestamps.of((int) own.head & SLOT_MASK) : NO_TIMESTAMP;
    }

    /** Returns whether every record seen was finished at the last {@link #advance}. */
    public boolean isIdle() {
        return own.head == own.tail;
    }

    /** Returns the number of records from the first unfinished record to the last record. */
    public int outstanding() {
        return (int) (own.tail - own.head);
    }

    /** Returns the weight of the outstanding records, in bytes. */
    public long outstandingBytes() {
        return own.appendedBytes - own.finishedBytes;
    }

    /**
     * Removes the record with {@code token} and all later records, before their tokens are published. Afterwards, the
     * tracker accepts no more records.
     *
     * @return the offset of the first removed record
     */
    public long forgetFrom(long token) {
        if (token < own.head || token >= own.tail) {
            throw new IllegalArgumentException(
                    "token=" + token + " is not within " + own.head + " to " + (own.tail - 1));
        }
        own.sealed = true;
        own.nextOffset = offsetOf(token);
        own.appendedBytes = token == own.head ? own.finishedBytes : weightUpTo(token - 1);
        own.tail = token;
        return own.nextOffset;
    }

    /**
     * Requests a callback when at most {@code records} records and {@code bytes} bytes are outstanding. The callback
     * may come too early: the tracker watches only one record.
     *
     * @return false if there will be no callback, because the limits are met already or {@link #advance} can make
     *     progress
     */
    public boolean watch(int records, long bytes) {
        if (outstanding() <= records && outstandingBytes() <= bytes) {
            return false;
        }
        return watchToken(lastInTheWay(records, bytes)) || watchToken(own.head);
    }

    /** Marks the records as revoked, which makes stages drop those not yet started. */
    public void revoke() {
        revoked = true;
    }

    /**
     * Requests a callback when no stage holds a record any more. A stage stops holding a record when it acknowledges or
     * drops the record. The callback may come too early.
     *
     * @return false if there will be no callback, because no stage holds a record now
     */
    public boolean watchUnsettled() {
        own.settled = Math.max(own.settled, own.head);
        while (own.settled < own.tail) {
            if (isSettled(own.settled)) {
                own.settled++;
            } else {
                // Watch the newest record first. When it is finished, most older records are finished, too.
                watched = isSettled(own.tail - 1) ? own.settled : own.tail - 1;
                if (!isSettled(watched)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isSettled(long token) {
        return chunkOf(token).isSettled((int) token & SLOT_MASK);
    }

    private boolean watchToken(long token) {
        watched = token;
        return !isFinished(token);
    }

    /** Returns the token of the last record that must finish to meet both limits. */
    private long lastInTheWay(int records, long bytes) {
        long low = Math.max(own.head, own.tail - 1 - records);
        long high = own.tail - 1;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (own.appendedBytes - weightUpTo(middle) <= bytes) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** Cancels {@link #watch(int, long)}. A callback that has already started may still arrive. */
    public void unwatch() {
        watched = NOTHING;
    }

    private boolean isFinished(long token) {
        return chunkOf(token).isFinished((int) token & SLOT_MASK);
    }

    /** Returns the offset of a record. The caller must hold a pending acknowledgement of the record. */
    public long offsetOf(long token) {
        return chunkOf(token).offsets[(int) token & SLOT_MASK];
    }

    private long weightUpTo(long token) {
        return chunkOf(token).weights[(int) token & SLOT_MASK];
    }

    private TrackerChunk chunkOf(long token) {
        return Objects.requireNonNull(chunks[(int) (token >>> TrackerChunk.BITS) & chunkMask]);
    }
}
