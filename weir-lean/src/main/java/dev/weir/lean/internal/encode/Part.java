package dev.weir.lean.internal.encode;

import dev.weir.lean.Slice;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A key or a value where it lies: in an array, in a buffer, or nowhere. Confined to one thread; copies nothing. */
public final class Part {

    private static final byte[] NO_BYTES = {};

    private byte[] array = NO_BYTES;
    private @Nullable ByteBuffer buffer;
    private int offset;
    private int length = -1;

    /** Shows a part of an array. */
    public void wrap(byte[] bytes, int from, int count) {
        Objects.checkFromIndexSize(from, count, bytes.length);
        if (array != bytes) {
            array = bytes;
        }
        buffer = null;
        offset = from;
        length = count;
    }

    /** Shows a part of a buffer; its position and limit do not count. */
    public void wrap(ByteBuffer bytes, int from, int count) {
        Objects.checkFromIndexSize(from, count, bytes.limit());
        if (buffer != bytes) {
            buffer = bytes;
        }
        offset = from;
        length = count;
    }

    /** Shows what a slice shows, which may be null. */
    public void wrap(Slice slice) {
        if (slice.isNull()) {
            clear();
        } else {
            wrap(slice.buffer(), slice.offset(), slice.length());
        }
    }

    /** Shows null, and lets go of what it showed. */
    public void clear() {
        array = NO_BYTES;
        buffer = null;
        length = -1;
    }

    public boolean isNull() {
        return length < 0;
    }

    /** -1 for null. */
    int length() {
        return length;
    }

    int lengthOrZero() {
        return Math.max(0, length);
    }

    int unsignedByte(int at) {
        return 0xff & (buffer == null ? array[offset + at] : buffer.get(offset + at));
    }

    /** Copies it; returns the position after it. */
    int copyTo(ByteBuffer to, int at) {
        if (length <= 0) {
            return at;
        }
        if (buffer == null) {
            to.put(at, array, offset, length);
        } else {
            to.put(at, buffer, offset, length);
        }
        return at + length;
    }
}
