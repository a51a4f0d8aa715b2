package dev.weir.lean.internal.encode;

import dev.weir.lean.HeadersView;
import dev.weir.lean.RecordView;
import dev.weir.lean.internal.wire.VarInts;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What goes into a batch of one record: key and value where they lie, headers as they will be encoded. Confined to one
 * thread, used again for the next record.
 */
public final class RecordBytes {

    private static final int FIRST_HEADER_BYTES = 128;

    /** Beside its parts a record has five numbers, a longer one, and attributes. */
    public static final int MAX_OVERHEAD_BYTES = 5 * VarInts.MAX_BYTES + 10 + 1;

    public final Part key = new Part();
    public final Part value = new Part();

    private final Part name = new Part();
    private final Part content = new Part();
    private ByteBuffer headers = ByteBuffer.allocate(FIRST_HEADER_BYTES);
    private int headersEnd;
    private int headerCount;

    /** Forgets all headers. */
    public void clearHeaders() {
        headersEnd = 0;
        headerCount = 0;
    }

    /** The name of the header that {@link #addHeader} adds. */
    public Part headerName() {
        return name;
    }

    /** The value of the header that {@link #addHeader} adds. */
    public Part headerValue() {
        return content;
    }

    /** Copies the header's name and value behind those that are there. */
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

    private int put(Part part, int at) {
        return part.copyTo(headers, VarInts.putSigned(headers, at, part.length()));
    }

    /** Shows another record, whose headers are copied. */
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

    /** At most how many bytes it takes in a batch. */
    public long maxBytes() {
        return (long) key.lengthOrZero() + value.lengthOrZero() + headersEnd + MAX_OVERHEAD_BYTES;
    }

    /** How many bytes it takes in a batch, in which it is at {@code offsetDelta}; only if {@link #maxBytes} fits. */
    public int encodedBytes(long timestampDelta, int offsetDelta) {
        int body = bodyBytes(timestampDelta, offsetDelta);
        return VarInts.sizeOfSigned(body) + body;
    }

    /** How many bytes follow its length; only if {@link #maxBytes} fits. */
    int bodyBytes(long timestampDelta, int offsetDelta) {
        return 1
                + VarInts.sizeOfSignedLong(timestampDelta)
                + VarInts.sizeOfSigned(offsetDelta)
                + VarInts.sizeOfSigned(key.length())
                + key.lengthOrZero()
                + VarInts.sizeOfSigned(value.length())
                + value.lengthOrZero()
                + VarInts.sizeOfSigned(headerCount)
                + headersEnd;
    }

    /** Writes all behind its length; returns the position after it. */
    int putBody(ByteBuffer to, int from, long timestampDelta, int offsetDelta) {
        to.put(from, (byte) 0);
        int at = VarInts.putSignedLong(to, from + 1, timestampDelta);
        at = VarInts.putSigned(to, at, offsetDelta);
        at = key.copyTo(to, VarInts.putSigned(to, at, key.length()));
        at = value.copyTo(to, VarInts.putSigned(to, at, value.length()));
        at = VarInts.putSigned(to, at, headerCount);
        to.put(at, headers, 0, headersEnd);
        return at + headersEnd;
    }
}
