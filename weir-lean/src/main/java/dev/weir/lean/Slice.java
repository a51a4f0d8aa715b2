package dev.weir.lean;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * A part of a buffer: the key or value of a record, or of a header. Confined to the polling thread. A record's slice is
 * valid during the callback, and shows the next record afterwards. To keep bytes, copy them.
 *
 * <p>Numbers are read big-endian, at an offset from the slice's start. A slice may be {@linkplain #isNull null}, as
 * keys and values may: then its length is 0.
 */
public final class Slice {

    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);
    private static final byte[] NO_BYTES = {};

    private ByteBuffer bytes = NOTHING;
    private int offset;
    private int length = -1;

    /** Creates an empty slice, to be wrapped around bytes. */
    public Slice() {}

    /**
     * Wraps another range of bytes.
     *
     * @param bytes owned by the caller; big-endian
     * @param length negative for null
     */
    public void wrap(ByteBuffer bytes, int offset, int length) {
        // It is usually the same buffer, and storing a reference costs a garbage collector's barrier per record.
        if (this.bytes != bytes) {
            this.bytes = bytes;
        }
        this.offset = offset;
        this.length = length;
    }

    /** Returns whether there is no value at all, as opposed to an empty one. */
    public boolean isNull() {
        return length < 0;
    }

    /** The length in bytes; 0 for null. */
    public int length() {
        return Math.max(0, length);
    }

    /** The underlying buffer: only read it, only by absolute position, only during the callback. */
    public ByteBuffer buffer() {
        return bytes;
    }

    /** The slice's start position in the {@link #buffer}. */
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

    /** Reads a number in another byte order: {@code slice.getLong(0, LITTLE_ENDIAN)}. */
    public long getLong(int at, ByteOrder order) {
        long value = getLong(at);
        return order == ByteOrder.BIG_ENDIAN ? value : Long.reverseBytes(value);
    }

    /** Reads a number in another byte order. */
    public int getInt(int at, ByteOrder order) {
        int value = getInt(at);
        return order == ByteOrder.BIG_ENDIAN ? value : Integer.reverseBytes(value);
    }

    /** Copies {@code count} bytes, starting at {@code at}. */
    public void copyTo(int at, byte[] target, int targetAt, int count) {
        bytes.get(place(at, count), target, targetAt, count);
    }

    /** Copies everything to the target's position, which advances. */
    public void copyTo(ByteBuffer target) {
        int count = length();
        target.put(target.position(), bytes, offset, count).position(target.position() + count);
    }

    /** Returns a copy; empty for null. */
    public byte[] toBytes() {
        if (length <= 0) {
            return NO_BYTES;
        }
        byte[] copy = new byte[length];
        bytes.get(offset, copy, 0, length);
        return copy;
    }

    /** Returns a copy as text; empty for null. */
    public String toUtf8() {
        return new String(toBytes(), StandardCharsets.UTF_8);
    }

    /** Returns whether the slice has exactly these bytes. False for null. */
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
