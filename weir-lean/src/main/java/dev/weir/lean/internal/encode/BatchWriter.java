package dev.weir.lean.internal.encode;

import dev.weir.lean.internal.batch.BatchLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Writes one record batch of version 2, as drawn in {@link BatchLayout}, directly into its buffer. Used by one thread
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

    /**
     * @param bytes owned by the writer from now on; all of its capacity is used
     */
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

    /** Appends a record; returns false, without a change, if there is no space. */
    public boolean append(RecordBytes record, long timestampMillis) {
        long delta = count == 0 ? 0 : timestampMillis - baseTimestamp;
        // No larger record than 2 GB arrives here; one near that size must not overflow below.
        if (record.maxBytes() > Integer.MAX_VALUE) {
            return false;
        }
        // An encoder may throw, so nothing is changed before.
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

    /** Writes the header, the producer id fields and the checksum. */
    public void stamp(long producerId, short epoch, int sequence, CRC32C crc) {
        BatchLayout.putHeader(bytes, end, codec, count, baseTimestamp, maxTimestamp);
        BatchLayout.putProducer(bytes, producerId, epoch, sequence);
        BatchLayout.putChecksum(bytes, end, crc);
    }

    /** The buffer: read-only, without changes of its position and limit. */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** The batch from position to limit, to be sent without a copy: the same view in each call. */
    public ByteBuffer whole() {
        return whole.limit(end).position(0);
    }

    /** Size of the batch in bytes, including its header. */
    public int sizeBytes() {
        return end;
    }

    /** The number of records in it. */
    public int count() {
        return count;
    }

    int recordBytes() {
        return end - BatchLayout.HEADER_BYTES;
    }

    /** Replaces the records by fewer, compressed bytes. */
    void replaceRecords(int newCodec, ByteBuffer with, int size) {
        bytes.put(BatchLayout.HEADER_BYTES, with, 0, size);
        codec = newCodec;
        end = BatchLayout.HEADER_BYTES + size;
    }
}
