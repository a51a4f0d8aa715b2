package dev.weir.lean.internal.encode;

import dev.weir.lean.internal.batch.BatchLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Writes one record batch of version 2, as {@link BatchLayout} draws it, straight into its buffer. Used by one thread
 * at a time; allocates nothing.
 *
 * <pre>
 *   writer.clear();
 *   while (writer.append(record, timestamp)) ...     false: full
 *   compressor.compress(writer);                     if wanted, once
 *   writer.stamp(producerId, epoch, sequence, crc);  again for another sequence
 *   writer.bytes(), 0 to writer.sizeBytes()          the batch
 * </pre>
 */
public final class BatchWriter {

    private final ByteBuffer bytes;
    private final ByteBuffer whole;
    private int end = BatchLayout.HEADER_BYTES;
    private int count;
    private int codec;
    private long baseTimestamp;
    private long maxTimestamp;

    /** @param bytes becomes the writer's; all of its capacity is used */
    public BatchWriter(ByteBuffer bytes) {
        this.bytes = bytes.clear();
        this.whole = bytes.duplicate();
    }

    /** Begins another batch. */
    public void clear() {
        end = BatchLayout.HEADER_BYTES;
        count = 0;
        codec = 0;
    }

    /** Appends a record; false, and nothing changed, if there is no room. */
    public boolean append(RecordBytes record, long timestampMillis) {
        long delta = count == 0 ? 0 : timestampMillis - baseTimestamp;
        // No record of more than 2 GB comes here; one that is near to that must not overflow below.
        if (record.maxBytes() > Integer.MAX_VALUE) {
            return false;
        }
        // An encoder may throw: nothing is changed before.
        int next = record.put(bytes, end, delta, count);
        if (next < 0) {
            return false;
        }
        end = next;
        if (count == 0) {
            baseTimestamp = timestampMillis;
            maxTimestamp = timestampMillis;
        } else if (timestampMillis > maxTimestamp) {
            maxTimestamp = timestampMillis;
        }
        count++;
        return true;
    }

    /** Writes the header, who the producer is and the checksum. */
    public void stamp(long producerId, short epoch, int sequence, CRC32C crc) {
        BatchLayout.putHeader(bytes, end, codec, count, baseTimestamp, maxTimestamp);
        BatchLayout.putProducer(bytes, producerId, epoch, sequence);
        BatchLayout.putChecksum(bytes, end, crc);
    }

    /** The buffer: only read it, and leave its position and limit as they are. */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** The batch from position to limit, to be sent from where it lies: the same view again with each call. */
    public ByteBuffer whole() {
        return whole.limit(end).position(0);
    }

    /** Size of the batch in bytes, including its header. */
    public int sizeBytes() {
        return end;
    }

    /** The number of records it has. */
    public int count() {
        return count;
    }

    int recordBytes() {
        return end - BatchLayout.HEADER_BYTES;
    }

    /** Replaces the records by fewer bytes. */
    void replaceRecords(int newCodec, ByteBuffer with, int size) {
        bytes.put(BatchLayout.HEADER_BYTES, with, 0, size);
        codec = newCodec;
        end = BatchLayout.HEADER_BYTES + size;
    }
}
