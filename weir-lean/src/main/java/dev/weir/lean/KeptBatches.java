package dev.weir.lean;

import dev.weir.lean.internal.batch.BatchReader;
import dev.weir.lean.internal.batch.Decompressor;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Copies of batches from a {@link LeanConsumer}. The copies can be read after the callback or by another thread. All
 * batches belong to one partition, are in order, and have been verified and decompressed. Confined to one thread at a
 * time. Meant to be reused, because its buffer is direct memory.
 *
 * <pre>{@code
 * if (!kept.add(batch)) ...     // in a BatchViewHandler; false if full, or if the partition or leader epoch changed
 * while (kept.next()) {         // afterwards, perhaps on another thread
 *     use(kept.record());
 * }
 * kept.clear();
 * }</pre>
 *
 * <p>Records are stored in the batch's own format, so 100 bytes of data take about 110 bytes.
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

    // The state of the iteration.
    private int at;
    private boolean open;

    /**
     * Creates a buffer for up to {@code fullBytes} bytes of batches. If the buffer is empty, a larger batch is accepted
     * as well.
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
     * Appends a copy of a batch. The copy contains all records from the consumer's position on, including records that
     * the callback has already read. Must be called before the first {@link #next}.
     *
     * @param batch a consumer's batch, during its callback
     * @return false if nothing was copied, because the batch does not fit or belongs to a different partition or leader
     *     epoch than the previous batches
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

    /** Removes all batches. */
    public void clear() {
        rewind();
        end = 0;
        count = 0;
    }

    /** Moves back to before the first record. */
    public void rewind() {
        reader.close();
        at = 0;
        open = false;
    }

    /**
     * Moves to the next record. Returns false if there is none.
     *
     * @throws CorruptBatchException if a batch with a correct checksum contains invalid records
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

    /** The current record, valid after {@link #next} has returned true. Every call returns the same object. */
    public RecordView record() {
        return reader.records();
    }

    public String topic() {
        return topic;
    }

    public int partition() {
        return partition;
    }

    /** The leader epoch shared by all of the batches; -1 if unknown. */
    public int leaderEpoch() {
        return leaderEpoch;
    }

    /** A lower bound for the records' offsets. */
    public long fromOffset() {
        return fromOffset;
    }

    /** The offset after the last record, including records that were compacted away. */
    public long toOffset() {
        return toOffset;
    }

    /** Removes all records with the given offset or a higher one. */
    public void cutAt(long offset) {
        toOffset = Math.min(toOffset, offset);
    }

    /**
     * The number of records in the batches when they were written. Fewer records are visible if the topic was
     * compacted, if the position was inside a batch, or after {@link #cutAt}.
     */
    public int recordCount() {
        return count;
    }

    /** The size of the kept batches in bytes. */
    public int sizeBytes() {
        return end;
    }

    /** The size of the allocated direct memory in bytes. */
    public int capacityBytes() {
        return bytes.capacity();
    }
}
