package dev.weir.lean.internal.batch;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The layout of a version-2 record batch. Stateless.
 *
 * <pre>
 *   0             8        12             16          17        21           23                  27
 *   +-------------+--------+--------------+-----------+---------+------------+-------------------+
 *   | base offset | length | leader epoch | magic = 2 | CRC-32C | attributes | last offset delta |
 *   +-------------+--------+--------------+-----------+---------+------------+-------------------+
 *   27               35              43            51               53              57                  61
 *   +----------------+---------------+-------------+----------------+---------------+-------------------+---------+
 *   | base timestamp | max timestamp | producer id | producer epoch | base sequence | number of records | records |
 *   +----------------+---------------+-------------+----------------+---------------+-------------------+---------+
 *
 *   The length counts the bytes from offset 12, and the CRC covers the bytes from offset 21. Records may be compressed.
 *
 *   attributes   ... 6        5         4                 3              2 1 0
 *                delete     control  transactional   timestamp type:    codec
 *                horizon    batch                    0 producer's,
 *                                                    1 broker's
 *
 *   A record. All numbers except the attributes are zig-zag varints:
 *
 *   +--------+----------+-----------------+--------------+--------+-----+----------+-------+---------+---- ... -----+
 *   | length | attri-   | timestamp delta | offset delta | key    | key | value    | value | number  | key length,  |
 *   |        | butes, 1 | (64 bits)       |              | length |     | length   |       | of      | key, value   |
 *   |        | byte, 0  |                 |              | or -1  |     | or -1    |       | headers | length, value|
 *   +--------+----------+-----------------+--------------+--------+-----+----------+-------+---------+---- ... -----+
 *             \______________________________________ length ____________________________________________________/
 * </pre>
 */
public final class BatchLayout {

    /** The size of the base offset and the length, which suffice to find the end of a batch. */
    public static final int LOG_OVERHEAD = 12;

    /** The size of everything before the records. */
    public static final int HEADER_BYTES = 61;

    static final int ATTRIBUTES_AT = 21;

    private static final int LENGTH_AT = 8;
    private static final int EPOCH_AT = 12;
    private static final int MAGIC_AT = 16;
    private static final int CRC_AT = 17;
    private static final int LAST_DELTA_AT = 23;
    private static final int BASE_TIMESTAMP_AT = 27;
    private static final int MAX_TIMESTAMP_AT = 35;
    private static final int PRODUCER_AT = 43;
    private static final int COUNT_AT = 57;

    private static final int EPOCH_OF_PRODUCER_AT = 51;
    private static final int SEQUENCE_AT = 53;
    private static final byte VERSION = 2;
    private static final int NO_LEADER_EPOCH = -1;

    private BatchLayout() {}

    /** Writes a batch header at index 0 of the buffer. Leaves out the producer fields and the checksum. */
    public static void putHeader(
            ByteBuffer bytes, int sizeBytes, int codec, int count, long baseTimestamp, long maxTimestamp) {
        bytes.putLong(0, 0)
                .putInt(LENGTH_AT, sizeBytes - LOG_OVERHEAD)
                .putInt(EPOCH_AT, NO_LEADER_EPOCH)
                .put(MAGIC_AT, VERSION)
                .putShort(ATTRIBUTES_AT, (short) codec)
                .putInt(LAST_DELTA_AT, count - 1)
                .putLong(BASE_TIMESTAMP_AT, baseTimestamp)
                .putLong(MAX_TIMESTAMP_AT, maxTimestamp)
                .putInt(COUNT_AT, count);
    }

    /** Writes the producer fields of a batch at index 0. The caller must write the checksum afterwards. */
    public static void putProducer(ByteBuffer bytes, long id, short epoch, int sequence) {
        bytes.putLong(PRODUCER_AT, id).putShort(EPOCH_OF_PRODUCER_AT, epoch).putInt(SEQUENCE_AT, sequence);
    }

    /** Computes and writes the checksum of a batch at index 0. Changes the buffer's position and limit. */
    public static void putChecksum(ByteBuffer bytes, int sizeBytes, CRC32C crc) {
        crc.reset();
        crc.update(bytes.limit(sizeBytes).position(ATTRIBUTES_AT));
        bytes.clear().putInt(CRC_AT, (int) crc.getValue());
    }

    /** Makes the batch header at {@code at} describe an uncompressed batch. Does not update the checksum. */
    static void makePlain(ByteBuffer bytes, int at, int sizeBytes) {
        bytes.putInt(at + LENGTH_AT, sizeBytes - LOG_OVERHEAD)
                .putShort(at + ATTRIBUTES_AT, (short) (attributes(bytes, at) & ~BatchReader.CODEC));
    }

    public static long baseOffset(ByteBuffer bytes, int at) {
        return bytes.getLong(at);
    }

    /** The size of the whole batch in bytes, as stated in its header. The size has not been verified yet. */
    public static long size(ByteBuffer bytes, int at) {
        return (long) bytes.getInt(at + LENGTH_AT) + LOG_OVERHEAD;
    }

    public static int magic(ByteBuffer bytes, int at) {
        return bytes.get(at + MAGIC_AT);
    }

    public static int leaderEpoch(ByteBuffer bytes, int at) {
        return bytes.getInt(at + EPOCH_AT);
    }

    /** The offset after the last offset of the batch. */
    public static long nextOffset(ByteBuffer bytes, int at) {
        return baseOffset(bytes, at) + bytes.getInt(at + LAST_DELTA_AT) + 1;
    }

    static int crc(ByteBuffer bytes, int at) {
        return bytes.getInt(at + CRC_AT);
    }

    static int attributes(ByteBuffer bytes, int at) {
        return bytes.getShort(at + ATTRIBUTES_AT);
    }

    static int lastOffsetDelta(ByteBuffer bytes, int at) {
        return bytes.getInt(at + LAST_DELTA_AT);
    }

    static long baseTimestamp(ByteBuffer bytes, int at) {
        return bytes.getLong(at + BASE_TIMESTAMP_AT);
    }

    static long maxTimestamp(ByteBuffer bytes, int at) {
        return bytes.getLong(at + MAX_TIMESTAMP_AT);
    }

    static long producerId(ByteBuffer bytes, int at) {
        return bytes.getLong(at + PRODUCER_AT);
    }

    static int recordCount(ByteBuffer bytes, int at) {
        return bytes.getInt(at + COUNT_AT);
    }
}
