package dev.weir.lean.internal.encode;

import dev.weir.lean.RecordEncoder;
import dev.weir.lean.Slice;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A reference to a key, a value, or a part of a header, which may be null. The bytes are in an array or a buffer, or an
 * encoder writes them. Confined to one thread; does not own the bytes.
 */
public final class RecordPart {

    private static final byte[] NO_BYTES = {};

    private byte[] array = NO_BYTES;
    private @Nullable ByteBuffer buffer;
    private @Nullable RecordEncoder<Object> encoder;
    private @Nullable Object object;
    private int offset;
    private int length = -1;

    /** Sets the reference to a range of an array. */
    public void wrap(byte[] bytes, int from, int count) {
        Objects.checkFromIndexSize(from, count, bytes.length);
        if (array != bytes) {
            array = bytes;
        }
        buffer = null;
        forgetObject();
        offset = from;
        length = count;
    }

    /** Sets the reference to a range of a buffer. The buffer's position is ignored. */
    public void wrap(ByteBuffer bytes, int from, int count) {
        Objects.checkFromIndexSize(from, count, bytes.limit());
        if (buffer != bytes) {
            buffer = bytes;
        }
        forgetObject();
        offset = from;
        length = count;
    }

    /** Sets the reference to an object. The encoder writes the object's bytes when {@link #copyTo} is called. */
    @SuppressWarnings("unchecked") // safe: the object is passed only to its own encoder
    public <T> void wrap(T shown, RecordEncoder<? super T> by) {
        int size = by.sizeBytes(shown);
        if (size < 0) {
            throw new IllegalArgumentException("sizeBytes of an encoder must be at least 0: sizeBytes=" + size);
        }
        array = NO_BYTES;
        buffer = null;
        object = shown;
        encoder = (RecordEncoder<Object>) by;
        length = size;
    }

    private void forgetObject() {
        if (encoder != null) {
            encoder = null;
            object = null;
        }
    }

    /** Sets the reference to the bytes of a slice, or to null if the slice is null. */
    public void wrap(Slice slice) {
        if (slice.isNull()) {
            clear();
        } else {
            wrap(slice.buffer(), slice.offset(), slice.length());
        }
    }

    public void clear() {
        array = NO_BYTES;
        buffer = null;
        forgetObject();
        length = -1;
    }

    public boolean isNull() {
        return length < 0;
    }

    int length() {
        return length;
    }

    int lengthOrZero() {
        return Math.max(0, length);
    }

    int unsignedByte(int at) {
        return 0xff & (buffer == null ? array[offset + at] : buffer.get(offset + at));
    }

    /**
     * Copies the bytes, and returns the position after them.
     *
     * @param to its position must be 0, and its limit must equal its capacity
     */
    int copyTo(ByteBuffer to, int at) {
        if (length <= 0) {
            return at;
        }
        if (buffer != null) {
            to.put(at, buffer, offset, length);
        } else if (encoder == null) {
            to.put(at, array, offset, length);
        } else {
            encode(encoder, to, at);
        }
        return at + length;
    }

    private void encode(RecordEncoder<Object> by, ByteBuffer to, int at) {
        int written;
        try {
            by.encode(
                    Objects.requireNonNull(object, "object"),
                    to.limit(at + length).position(at));
            written = to.position() - at;
        } finally {
            to.clear().order(ByteOrder.BIG_ENDIAN);
        }
        if (written != length) {
            throw new IllegalStateException(
                    "an encoder wrote " + written + " bytes, but its sizeBytes had returned " + length);
        }
    }
}
