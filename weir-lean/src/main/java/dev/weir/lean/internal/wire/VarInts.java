package dev.weir.lean.internal.wire;

import java.nio.ByteBuffer;

/**
 * Variable-length numbers: seven bits per byte, lowest first; a byte's sign bit means that more follow. Stateless.
 *
 * <p>A read method returns two numbers in one long, so that nothing is allocated and no field is written: the value in
 * the upper half, the position after it in the lower. It reads at most five bytes without regard to the record's end,
 * which is checked afterwards, when all of the record's numbers are known.
 */
public final class VarInts {

    /** Most bytes of a 32-bit number. */
    public static final int MAX_BYTES = 5;

    /** Most bytes of a 64-bit number. */
    private static final int MAX_BYTES_OF_LONG = 10;

    private static final int BITS = 7;
    private static final int LOW = 0x7f;

    private VarInts() {}

    /** The value in a result of these methods. */
    public static int value(long packed) {
        return (int) (packed >> 32);
    }

    /** The position after the value in a result of these methods. */
    public static int next(long packed) {
        return (int) packed;
    }

    /** Reads a signed, zig-zag encoded number, as in records. */
    public static long signed(ByteBuffer bytes, int at) {
        long packed = unsigned(bytes, at);
        int raw = value(packed);
        return pack((raw >>> 1) ^ -(raw & 1), next(packed));
    }

    /** Reads an unsigned number, as in messages. Above 2^31 - 1 it is negative. */
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

    /** Reads a signed 64-bit number, zig-zag encoded; {@link #sizeOfLong} gives its length. */
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

    /** The number of bytes of the number, {@value #MAX_BYTES_OF_LONG} at most. */
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

    /** The number of bytes of a signed number, zig-zag encoded. */
    public static int sizeOfSigned(int value) {
        return sizeOfUnsigned((value << 1) ^ (value >> 31));
    }

    /** The number of bytes of an unsigned number. */
    public static int sizeOfUnsigned(int value) {
        return (Integer.SIZE + BITS - 1 - Integer.numberOfLeadingZeros(value | 1)) / BITS;
    }

    /** The number of bytes of a signed 64-bit number, zig-zag encoded. */
    public static int sizeOfSignedLong(long value) {
        long raw = (value << 1) ^ (value >> 63);
        return (Long.SIZE + BITS - 1 - Long.numberOfLeadingZeros(raw | 1)) / BITS;
    }

    /** Writes a signed number, zig-zag encoded; returns the position after it. */
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

    /** Writes a signed 64-bit number, zig-zag encoded; returns the position after it. */
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

    /** The number of bytes, 1 or 2, of a number below 2^14 that is already zig-zag encoded. */
    public static int sizeOfSmall(int raw) {
        return raw <= LOW ? 1 : 2;
    }

    /** The bytes of such a number, first byte highest. */
    public static int small(int raw) {
        return raw <= LOW ? raw : (((raw & LOW) | (LOW + 1)) << Byte.SIZE) | (raw >>> BITS);
    }

    /** Writes such a number; returns the position after it. */
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
