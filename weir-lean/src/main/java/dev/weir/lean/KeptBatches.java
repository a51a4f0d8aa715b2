package dev.weir.lean;

import dev.weir.lean.internal.batch.BatchReader;
import dev.weir.lean.internal.batch.Decompressor;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Batches that stay: copies of those that a {@link LeanConsumer} shows, to be read when the callback is over, or by
 * another thread. Of one partition, one behind the other, decompressed and checked. Confined to one thread at a time;
 * to be used again, as its buffer is direct memory.
 *
 * <pre>{@code
 * if (!kept.add(batch)) ...     // in a BatchHandler: another partition or leader epoch than those before, or full
 * while (kept.next()) {         // afterwards, perhaps on another thread
 *     use(kept.record());
 * }
 * kept.clear();
 * }</pre>
 *
 * <p>Records lie in the copy as in the batch: to keep 100 bytes costs the copying of 110.
 */
public final class KeptBatches {

    private static final int FIRST_BYTES = 16 * 1024;

    private final int fullBytes;
    private final BatchReader reader = new BatchReader(new Decompressor(1));
    private ByteBuffer bytes = ByteBuffer.allocateDirect(FIRST_BYTES);
    private String topic = "";
    private int partition;
    private int index;
    private int leaderEpoch;
    private int end;
    private int count;
    private long fromOffset;
    private long toOffset;

    // Of the walk.
    private int at;
    private boolean open;

    /**
     * Room for batches of so many bytes together; a larger one has it alone.
     *
     * @param fullBytes at least 1
     */
    public KeptBatches(int fullBytes) {
        if (fullBytes < 1) {
            throw new IllegalArgumentException("fullBytes must be at least 1: fullBytes=" + fullBytes);
        }
        this.fullBytes = fullBytes;
    }

    /**
     * Copies a batch behind those that are there, with all its records that are wanted, seen or not. To be called
     * before the first {@link #next}.
     *
     * @param batch one that a consumer shows, during its callback
     * @return false, and nothing is copied, if it is of another partition or leader epoch than those that are there,
     * or
     *     there is no room beside them
     */
    public boolean add(BatchView batch) {
        if (!(Objects.requireNonNull(batch, "batch") instanceof BatchReader from)) {
            throw new IllegalArgumentException("not a batch that a LeanConsumer shows: " + batch);
        }
        int size = from.plainBytes();
        if (count > 0 && !follows(from, size)) {
            return false;
        }
        makeRoom(size);
        from.copyTo(bytes, end);
        if (count == 0) {
            topic = from.topic();
            partition = from.partition();
            index = from.index();
            leaderEpoch = from.leaderEpoch();
            fromOffset = Math.max(from.fromOffset(), from.baseOffset());
            reader.of(topic, partition, index);
        }
        end += size;
        count += from.recordCount();
        toOffset = from.nextOffset();
        return true;
    }

    private boolean follows(BatchReader from, int size) {
        return from.partition() == partition
                && from.leaderEpoch() == leaderEpoch
                && from.topic().equals(topic)
                && (long) end + size <= fullBytes;
    }

    private void makeRoom(int size) {
        long needed = (long) end + size;
        if (needed > bytes.capacity()) {
            if (needed > Integer.MAX_VALUE) {
                throw new IllegalArgumentException("batches of " + needed + " bytes");
            }
            int capacity = (int) Math.max(needed, Math.min(fullBytes, 2L * bytes.capacity()));
            bytes = ByteBuffer.allocateDirect(capacity).put(0, bytes, 0, end);
        }
    }

    /** Forgets all. */
    public void clear() {
        rewind();
        end = 0;
        count = 0;
    }

    /** Returns to before the first record, to see them all once more. */
    public void rewind() {
        reader.close();
        at = 0;
        open = false;
    }

    /**
     * Goes to the next record; false after the last.
     *
     * @throws CorruptBatchException if a batch with the right checksum has records that make no sense
     */
    public boolean next() {
        while (!open || !reader.next()) {
            if (at == end) {
                return false;
            }
            reader.open(bytes, at, end, fromOffset);
            reader.start();
            at += reader.sizeBytes();
            open = true;
        }
        if (reader.records().offset() < toOffset) {
            return true;
        }
        at = end;
        open = false;
        return false;
    }

    /** The record reached by {@link #next}: always the same object. */
    public RecordView record() {
        return reader.records();
    }

    public String topic() {
        return topic;
    }

    public int partition() {
        return partition;
    }

    /** Leader epoch of all batches; -1 if unknown. */
    public int leaderEpoch() {
        return leaderEpoch;
    }

    /** The lowest offset that a record here may have. */
    public long fromOffset() {
        return fromOffset;
    }

    /** The offset behind all that is here: of a record, or of one that was compacted away. */
    public long toOffset() {
        return toOffset;
    }

    /** Leaves out what has that offset or a higher one. */
    public void cutAt(long offset) {
        toOffset = Math.min(toOffset, offset);
    }

    /** As their producers wrote them; compaction, a position inside a batch and {@link #cutAt} leave fewer. */
    public int recordCount() {
        return count;
    }

    /** The size of the kept batches. */
    public int sizeBytes() {
        return end;
    }

    /** The direct memory it takes. */
    public int capacityBytes() {
        return bytes.capacity();
    }
}
