package dev.weir.lean.internal.encode;

import dev.weir.lean.HeadersView;
import dev.weir.lean.RecordEncoder;
import dev.weir.lean.RecordView;
import dev.weir.lean.internal.wire.VarInts;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The content of one record: references to its key and value, and its encoded headers. Reused for the next record.
 * Confined to one thread.
 */
public final class RecordBytes {

    private static final int FIRST_HEADER_BYTES = 128;
    private static final int FIRST_KEY_BYTES = 64;

    /** Largest number in a varint of one byte. */
    private static final int MAX_OF_ONE_BYTE = 63;

    /** Number of bits in a non-negative varint of two bytes. */
    private static final int BITS_OF_TWO_BYTES = 13;

    /** Largest value for {@link #putPlain}. The length field of the record then takes at most two bytes. */
    private static final int MAX_PLAIN_BYTES = (1 << BITS_OF_TWO_BYTES) - 1 - MAX_OF_ONE_BYTE - 9;

    /** Largest size of a record without key, value and headers: six varints, one with 64 bits, and the attributes. */
    public static final int MAX_OVERHEAD_BYTES = 5 * VarInts.MAX_BYTES + 10 + 1;

    public final RecordPart key = new RecordPart();
    public final RecordPart value = new RecordPart();

    private final RecordPart name = new RecordPart();
    private final RecordPart content = new RecordPart();
    private ByteBuffer headers = ByteBuffer.allocate(FIRST_HEADER_BYTES);
    private ByteBuffer encodedKey = ByteBuffer.allocate(FIRST_KEY_BYTES);
    private int headersEnd;
    private int headerCount;

    // The encoded record from its key length field on; null if the record is not encoded.
    private @Nullable ByteBuffer tail;
    private int tailAt;
    private int tailLength;

    public void clearHeaders() {
        headersEnd = 0;
        headerCount = 0;
    }

    /** Encodes the key into a separate buffer. */
    public <T> void encodeKey(T object, RecordEncoder<? super T> encoder) {
        name.wrap(object, encoder);
        int length = name.length();
        if (length > encodedKey.capacity()) {
            encodedKey = ByteBuffer.allocate(Math.max(length, 2 * encodedKey.capacity()));
        }
        try {
            var ignored = name.copyTo(encodedKey, 0);
        } finally {
            name.clear();
        }
        key.wrap(encodedKey.array(), 0, length);
    }

    /** The header name to be set before {@link #addHeader} is called. */
    public RecordPart headerName() {
        return name;
    }

    /** The header value to be set before {@link #addHeader} is called. */
    public RecordPart headerValue() {
        return content;
    }

    /** Adds a header with copies of {@link #headerName} and {@link #headerValue}. */
    public void addHeader() {
        long needed = (long) headersEnd + name.lengthOrZero() + content.lengthOrZero() + 2 * VarInts.MAX_BYTES;
        if (needed > headers.capacity()) {
            if (needed > Integer.MAX_VALUE / 2) {
                throw new IllegalArgumentException("headers of " + needed + " bytes");
            }
            headers = ByteBuffer.wrap(Arrays.copyOf(headers.array(), (int) needed * 2));
        }
        headersEnd = put(content, put(name, headersEnd));
        headerCount++;
        name.clear();
        content.clear();
    }

    private int put(RecordPart part, int at) {
        return part.copyTo(headers, VarInts.putSigned(headers, at, part.length()));
    }

    /** Sets the content from another record. References the other record's key and value, and copies its headers. */
    public void show(RecordView record) {
        key.wrap(record.key());
        value.wrap(record.value());
        clearHeaders();
        HeadersView all = record.headers();
        while (all.next()) {
            name.wrap(all.key());
            content.wrap(all.value());
            addHeader();
        }
    }

    /** Encodes the record from its key length on, for {@link #showTail}. Returns the position after it. */
    public int putTail(ByteBuffer to, int from) {
        int at = key.copyTo(to, VarInts.putSigned(to, from, key.length()));
        at = value.copyTo(to, VarInts.putSigned(to, at, value.length()));
        at = VarInts.putSigned(to, at, headerCount);
        if (headersEnd > 0) {
            to.put(at, headers, 0, headersEnd);
        }
        return at + headersEnd;
    }

    /** Sets the content to a record of {@link #putTail}. Also sets {@link #key}, to choose the partition. */
    public void showTail(ByteBuffer bytes, int from, int to) {
        long packed = VarInts.signed(bytes, from);
        int length = VarInts.value(packed);
        if (length < 0) {
            key.clear();
        } else {
            key.wrap(bytes, VarInts.next(packed), length);
        }
        if (tail != bytes) {
            tail = bytes;
        }
        tailAt = from;
        tailLength = to - from;
    }

    /** An upper bound for the record's size in a batch. */
    public long maxBytes() {
        if (tail != null) {
            return (long) tailLength + MAX_OVERHEAD_BYTES;
        }
        return (long) key.lengthOrZero() + value.lengthOrZero() + headersEnd + MAX_OVERHEAD_BYTES;
    }

    /** Exact size of the record in a batch. Requires that {@link #maxBytes} fits into an int. */
    public int encodedBytes(long timestampDelta, int offsetDelta) {
        int body = bodyBytes(timestampDelta, offsetDelta);
        return VarInts.sizeOfSigned(body) + body;
    }

    /**
     * Writes the record into a batch. Requires that {@link #maxBytes} fits into an int.
     *
     * @param to its position must be 0, and its limit must equal its capacity
     * @return the position after the record; -1 if it does not fit, in which case some bytes may have been written
     */
    int put(ByteBuffer to, int from, long timestampDelta, int offsetDelta) {
        if (tail == null
                && headerCount == 0
                && key.length() <= MAX_OF_ONE_BYTE
                && value.length() <= MAX_PLAIN_BYTES
                && (timestampDelta | offsetDelta) >>> BITS_OF_TWO_BYTES == 0
                && to.capacity() - from >= Long.BYTES) {
            return putPlain(to, from, (int) timestampDelta, offsetDelta);
        }
        int body = bodyBytes(timestampDelta, offsetDelta);
        if (VarInts.sizeOfSigned(body) + (long) body > to.capacity() - from) {
            return -1;
        }
        return putBody(to, VarInts.putSigned(to, from, body), timestampDelta, offsetDelta);
    }

    /**
     * Writes a record without headers whose numbers take at most two bytes and whose key length takes one. Writes
     * everything before the key as one long. The key and the value overwrite its unused bytes.
     */
    private int putPlain(ByteBuffer to, int from, int timestampDelta, int offsetDelta) {
        int rawTime = timestampDelta << 1;
        int rawOffset = offsetDelta << 1;
        int valueLength = value.length();
        int rawValue = (valueLength << 1) ^ (valueLength >> 31);
        int keyBytes = key.lengthOrZero();
        int timeSize = VarInts.sizeOfSmall(rawTime);
        int offsetSize = VarInts.sizeOfSmall(rawOffset);
        int body =
                1 + timeSize + offsetSize + 1 + keyBytes + VarInts.sizeOfSmall(rawValue) + Math.max(0, valueLength) + 1;
        int lengthSize = VarInts.sizeOfSmall(body << 1);
        int end = from + lengthSize + body;
        if (end > to.capacity()) {
            return -1;
        }
        long head = (long) VarInts.small(body << 1) << Byte.SIZE; // followed by the attributes
        head = (head << (timeSize * Byte.SIZE)) | VarInts.small(rawTime);
        head = (head << (offsetSize * Byte.SIZE)) | VarInts.small(rawOffset);
        int keyLength = key.length();
        head = (head << Byte.SIZE) | ((keyLength << 1) ^ (keyLength >> 31));
        int headSize = lengthSize + 1 + timeSize + offsetSize + 1;
        to.putLong(from, head << (Long.SIZE - headSize * Byte.SIZE));
        int at = key.copyTo(to, from + headSize);
        at = value.copyTo(to, VarInts.putSmall(to, at, rawValue));
        to.put(at, (byte) 0);
        return end;
    }

    private int bodyBytes(long timestampDelta, int offsetDelta) {
        return 1
                + VarInts.sizeOfSignedLong(timestampDelta)
                + VarInts.sizeOfSigned(offsetDelta)
                + (tail == null ? tailBytes() : tailLength);
    }

    private int tailBytes() {
        return VarInts.sizeOfSigned(key.length())
                + key.lengthOrZero()
                + VarInts.sizeOfSigned(value.length())
                + value.lengthOrZero()
                + VarInts.sizeOfSigned(headerCount)
                + headersEnd;
    }

    /** Writes everything after the length field. Returns the position after it. */
    private int putBody(ByteBuffer to, int from, long timestampDelta, int offsetDelta) {
        to.put(from, (byte) 0);
        int at = VarInts.putSignedLong(to, from + 1, timestampDelta);
        at = VarInts.putSigned(to, at, offsetDelta);
        if (tail == null) {
            return putTail(to, at);
        }
        to.put(at, tail, tailAt, tailLength);
        return at + tailLength;
    }
}
