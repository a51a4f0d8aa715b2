package dev.weir.lean.internal.encode;

import dev.weir.lean.internal.batch.BatchLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Writes one record batch directly into its buffer. See {@link BatchLayout} for the layout. Used by one thread at a
 * time; allocates nothing.
 *
 * <pre>
 *   writer.clear();
 *   while (writer.append(record, timestamp)) ...     false: full
 *   compressor.compress(writer);                     optional, at most once
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

    /** @param bytes owned by the writer from now on; its full capacity is used */
    public BatchWriter(ByteBuffer bytes) {
        this.bytes = bytes.clear();
        this.whole = bytes.duplicate();
    }

    public void clear() {
        end = BatchLayout.HEADER_BYTES;
        count = 0;
        codec = 0;
    }

    /** Appends a record. Returns false and changes nothing if there is not enough space. */
    public boolean append(RecordBytes record, long timestampMillis) {
        long delta = count == 0 ? 0 : timestampMillis - baseTimestamp;
        // The computations below overflow for a larger record. Callers reject such a record earlier.
        if (record.maxBytes() > Integer.MAX_VALUE) {
            return false;
        }
        // Change fields only after this call, which may throw an exception from an encoder.
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

    /** Writes the header, the producer fields and the checksum. */
    public void stamp(long producerId, short epoch, int sequence, CRC32C crc) {
        BatchLayout.putHeader(bytes, end, codec, count, baseTimestamp, maxTimestamp);
        BatchLayout.putProducer(bytes, producerId, epoch, sequence);
        BatchLayout.putChecksum(bytes, end, crc);
    }

    /** The buffer that contains the batch. The caller must not change the buffer's contents, position or limit. */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** Buffer for sending the batch, which is between its position and limit. Every call returns the same object. */
    public ByteBuffer whole() {
        return whole.limit(end).position(0);
    }

    /** The size of the batch in bytes, including its header. */
    public int sizeBytes() {
        return end;
    }

    public int count() {
        return count;
    }

    int recordBytes() {
        return end - BatchLayout.HEADER_BYTES;
    }

    /** Replaces the records with compressed bytes, which must be shorter than the records. */
    void replaceRecords(int newCodec, ByteBuffer with, int size) {
        bytes.put(BatchLayout.HEADER_BYTES, with, 0, size);
        codec = newCodec;
        end = BatchLayout.HEADER_BYTES + size;
    }
}
