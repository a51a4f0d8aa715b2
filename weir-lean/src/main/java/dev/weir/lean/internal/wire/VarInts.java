package dev.weir.lean.internal.wire;

import java.nio.ByteBuffer;

/**
 * Variable-length integers: seven bits per byte, least significant bits first. If the sign bit of a byte is set, more
 * bytes follow. Stateless.
 *
 * <p>{@link #signed} and {@link #unsigned} return two values in one long: the number in the upper half, and the
 * position after it in the lower half. They read at most five bytes, even beyond the end of a record, so the caller
 * must check the end.
 */
public final class VarInts {

    /** The largest encoded size of a 32-bit number. */
    public static final int MAX_BYTES = 5;

    private static final int MAX_BYTES_OF_LONG = 10;

    private static final int BITS = 7;
    private static final int LOW = 0x7f;

    private VarInts() {}

    /** Extracts the value from a read method's result. */
    public static int value(long packed) {
        return (int) (packed >> 32);
    }

    /** Extracts the position after the value from a read method's result. */
    public static int next(long packed) {
        return (int) packed;
    }

    /** Reads a signed number in zig-zag encoding, as used in records. */
    public static long signed(ByteBuffer bytes, int at) {
        long packed = unsigned(bytes, at);
        int raw = value(packed);
        return pack((raw >>> 1) ^ -(raw & 1), next(packed));
    }

    /** Reads an unsigned number, as in protocol messages. Numbers above 2^31 - 1 are returned as negative numbers. */
    public static long unsigned(ByteBuffer bytes, int at) {
        int first = bytes.get(at);
        if (first >= 0) {
            return pack(first, at + 1);
        }
        int second = bytes.get(at + 1);
        if (second >= 0) {
            return pack((first & LOW) | (second << BITS), at + 2);
        }
        return longUnsigned(bytes, at + 2, (first & LOW) | ((second & LOW) << BITS));
    }

    private static long longUnsigned(ByteBuffer bytes, int from, int low) {
        int at = from;
        int raw = low;
        for (int shift = 2 * BITS; shift < MAX_BYTES * BITS; shift += BITS) {
            int next = bytes.get(at++);
            raw |= (next & LOW) << shift;
            if (next >= 0) {
                return pack(raw, at);
            }
        }
        throw new IndexOutOfBoundsException("a number of more than " + MAX_BYTES + " bytes at " + (at - MAX_BYTES));
    }

    /** Reads a signed 64-bit number in zig-zag encoding. {@link #sizeOfLong} returns its encoded size. */
    public static long signedLong(ByteBuffer bytes, int from) {
        int at = from;
        long raw = 0;
        for (int shift = 0; shift < Long.SIZE; shift += BITS) {
            int next = bytes.get(at++);
            raw |= (long) (next & LOW) << shift;
            if (next >= 0) {
                return (raw >>> 1) ^ -(raw & 1);
            }
        }
        throw longerThanALong(from);
    }

    /** The encoded size of the number at {@code from}, at most {@value #MAX_BYTES_OF_LONG} bytes. */
    public static int sizeOfLong(ByteBuffer bytes, int from) {
        for (int size = 1; size <= MAX_BYTES_OF_LONG; size++) {
            if (bytes.get(from + size - 1) >= 0) {
                return size;
            }
        }
        throw longerThanALong(from);
    }

    private static IndexOutOfBoundsException longerThanALong(int from) {
        return new IndexOutOfBoundsException("a number of more than " + MAX_BYTES_OF_LONG + " bytes at " + from);
    }

    /** Writes an unsigned number at the buffer's position. */
    public static void putUnsigned(ByteBuffer bytes, int value) {
        int rest = value;
        while ((rest & ~LOW) != 0) {
            bytes.put((byte) (rest | ~LOW));
            rest >>>= BITS;
        }
        bytes.put((byte) rest);
    }

    /** The encoded size of a signed number in zig-zag encoding. */
    public static int sizeOfSigned(int value) {
        return sizeOfUnsigned((value << 1) ^ (value >> 31));
    }

    /** The encoded size of an unsigned number. */
    public static int sizeOfUnsigned(int value) {
        return (Integer.SIZE + BITS - 1 - Integer.numberOfLeadingZeros(value | 1)) / BITS;
    }

    /** The encoded size of a signed 64-bit number in zig-zag encoding. */
    public static int sizeOfSignedLong(long value) {
        long raw = (value << 1) ^ (value >> 63);
        return (Long.SIZE + BITS - 1 - Long.numberOfLeadingZeros(raw | 1)) / BITS;
    }

    /** Writes a signed number in zig-zag encoding. Returns the position after it. */
    public static int putSigned(ByteBuffer bytes, int from, int value) {
        int at = from;
        int rest = (value << 1) ^ (value >> 31);
        while ((rest & ~LOW) != 0) {
            bytes.put(at++, (byte) (rest | ~LOW));
            rest >>>= BITS;
        }
        bytes.put(at++, (byte) rest);
        return at;
    }

    /** Writes a signed 64-bit number in zig-zag encoding. Returns the position after it. */
    public static int putSignedLong(ByteBuffer bytes, int from, long value) {
        int at = from;
        long rest = (value << 1) ^ (value >> 63);
        while ((rest & ~LOW) != 0) {
            bytes.put(at++, (byte) (rest | ~LOW));
            rest >>>= BITS;
        }
        bytes.put(at++, (byte) rest);
        return at;
    }

    /** Encoded size, 1 or 2 bytes, of a number below 2^14 that is already in zig-zag encoding. */
    public static int sizeOfSmall(int raw) {
        return raw <= LOW ? 1 : 2;
    }

    /** Encoded bytes, in big-endian order, of a number as in {@link #sizeOfSmall}. */
    public static int small(int raw) {
        return raw <= LOW ? raw : (((raw & LOW) | (LOW + 1)) << Byte.SIZE) | (raw >>> BITS);
    }

    /** Writes a number as in {@link #sizeOfSmall}. Returns the position after it. */
    public static int putSmall(ByteBuffer bytes, int at, int raw) {
        if (raw <= LOW) {
            bytes.put(at, (byte) raw);
            return at + 1;
        }
        bytes.putShort(at, (short) small(raw));
        return at + 2;
    }

    private static long pack(int value, int next) {
        return ((long) value << 32) | next;
    }
}
