package dev.weir.lean;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * A range of bytes in a buffer: the key or value of a record or of a header. Confined to the polling thread. A record's
 * slice is valid only during the callback, because the consumer reuses it for the next record. To keep the bytes, copy
 * them.
 *
 * <p>Numbers are read in big-endian order, at an offset from the start of the slice. Like keys and values, a slice may
 * be {@linkplain #isNull null}; its length is then 0.
 */
public final class Slice {

    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);
    private static final byte[] NO_BYTES = {};

    private ByteBuffer bytes = NOTHING;
    private int offset;
    private int length = -1;

    /** Creates a null slice. Call {@link #wrap} to set its bytes. */
    public Slice() {}

    /**
     * Sets the range of bytes.
     *
     * @param bytes a big-endian buffer owned by the caller
     * @param length the length in bytes; negative for null
     */
    public void wrap(ByteBuffer bytes, int offset, int length) {
        // Assign the buffer only if it has changed: each store of a reference runs a garbage-collector write barrier.
        if (this.bytes != bytes) {
            this.bytes = bytes;
        }
        this.offset = offset;
        this.length = length;
    }

    /** Returns whether the slice is null, as opposed to empty. */
    public boolean isNull() {
        return length < 0;
    }

    /** The length in bytes; 0 for null. */
    public int length() {
        return Math.max(0, length);
    }

    /**
     * The underlying buffer. It may be read only during the callback and only with absolute positions, and must not be
     * modified.
     */
    public ByteBuffer buffer() {
        return bytes;
    }

    /** The slice's start in the {@link #buffer}. */
    public int offset() {
        return offset;
    }

    public byte getByte(int at) {
        return bytes.get(place(at, Byte.BYTES));
    }

    public short getShort(int at) {
        return bytes.getShort(place(at, Short.BYTES));
    }

    public int getInt(int at) {
        return bytes.getInt(place(at, Integer.BYTES));
    }

    public long getLong(int at) {
        return bytes.getLong(place(at, Long.BYTES));
    }

    public float getFloat(int at) {
        return bytes.getFloat(place(at, Float.BYTES));
    }

    public double getDouble(int at) {
        return bytes.getDouble(place(at, Double.BYTES));
    }

    /** Reads a number in the given byte order, for example {@code slice.getLong(0, LITTLE_ENDIAN)}. */
    public long getLong(int at, ByteOrder order) {
        long value = getLong(at);
        return order == ByteOrder.BIG_ENDIAN ? value : Long.reverseBytes(value);
    }

    /** Reads a number in the given byte order. */
    public int getInt(int at, ByteOrder order) {
        int value = getInt(at);
        return order == ByteOrder.BIG_ENDIAN ? value : Integer.reverseBytes(value);
    }

    /** Copies {@code count} bytes, starting at {@code at} in this slice, to {@code targetAt} in the target. */
    public void copyTo(int at, byte[] target, int targetAt, int count) {
        bytes.get(place(at, count), target, targetAt, count);
    }

    /** Copies all bytes to the target's position and advances the position. */
    public void copyTo(ByteBuffer target) {
        int count = length();
        target.put(target.position(), bytes, offset, count).position(target.position() + count);
    }

    /** Returns a copy of the bytes; empty for null. */
    public byte[] toBytes() {
        if (length <= 0) {
            return NO_BYTES;
        }
        byte[] copy = new byte[length];
        bytes.get(offset, copy, 0, length);
        return copy;
    }

    /** Returns the bytes decoded as UTF-8; empty for null. */
    public String toUtf8() {
        return new String(toBytes(), StandardCharsets.UTF_8);
    }

    /** Returns whether the slice has exactly these bytes. Returns false for null. */
    public boolean contentEquals(byte[] other) {
        if (length != other.length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (bytes.get(offset + i) != other[i]) {
                return false;
            }
        }
        return true;
    }

    private int place(int at, int size) {
        return offset + Objects.checkFromIndexSize(at, size, length());
    }

    @Override
    public String toString() {
        return isNull() ? "Slice[null]" : "Slice[length=" + length + "]";
    }
}
