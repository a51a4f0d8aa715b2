package dev.weir.lean.internal.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A request being sent: bytes in the request's own buffer, with other buffers inserted between them without a copy.
 * Reused for the next request. The own buffer grows to the size of the largest request. Confined to one thread.
 *
 * <pre>
 *   ByteBuffer own = begin(bytes);  put some; insert(theirs); put more; insert(others); put the rest; own.flip();
 *   end();
 *   while (hasRemaining()) writeTo(transport);
 * </pre>
 */
final class OutgoingRequest {

    private static final int FIRST_BYTES = 4 * 1024;
    private static final int FIRST_PARTS = 8;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private ByteBuffer own = ByteBuffer.allocateDirect(FIRST_BYTES);

    /** The buffers to write, in order. The next buffer to write is at index {@link #next}. */
    private ByteBuffer[] parts = nothing(FIRST_PARTS);

    /** Reused views of {@link #own}. {@code parts[i]} is {@code views[i]} if it is a range of {@link #own}. */
    private ByteBuffer[] views = nothing(FIRST_PARTS);

    private int next;
    private int count;

    /** Index in {@link #own} after the last byte already in {@link #parts}. */
    private int taken;

    private static ByteBuffer[] nothing(int length) {
        ByteBuffer[] all = new ByteBuffer[length];
        Arrays.fill(all, NOTHING);
        return all;
    }

    /** Starts a new request. Returns its buffer for {@code bytes} bytes, to be written from position 0. */
    ByteBuffer begin(int bytes) {
        if (bytes > own.capacity()) {
            own = ByteBuffer.allocateDirect(Integer.highestOneBit(bytes) * 2);
            Arrays.fill(views, NOTHING);
        }
        forget();
        return own.clear();
    }

    void forget() {
        Arrays.fill(parts, 0, count, NOTHING);
        next = 0;
        count = 0;
        taken = 0;
    }

    /**
     * Inserts a buffer's remaining bytes after the bytes written to the own buffer so far. They are not copied, so they
     * must not change until they have been sent.
     */
    void insert(ByteBuffer bytes) {
        takeOwn(own.position());
        add(bytes);
    }

    /** Ends the request. The own buffer must be filled and flipped. */
    void end() {
        takeOwn(own.limit());
    }

    private void takeOwn(int to) {
        if (to > taken) {
            int at = count;
            add(own);
            if (views[at] == NOTHING) {
                views[at] = own.duplicate();
            }
            parts[at] = views[at].limit(to).position(taken);
            taken = to;
        }
    }

    private void add(ByteBuffer part) {
        if (count == parts.length) {
            ByteBuffer[] before = parts;
            ByteBuffer[] viewsBefore = views;
            parts = nothing(2 * count);
            views = nothing(2 * count);
            System.arraycopy(before, 0, parts, 0, count);
            System.arraycopy(viewsBefore, 0, views, 0, count);
        }
        parts[count++] = part;
    }

    boolean hasRemaining() {
        return next < count;
    }

    /** Writes as many bytes as the transport accepts. Returns their number. */
    int writeTo(Transport transport) throws IOException {
        int written =
                next + 1 == count ? transport.write(parts[next]) : (int) transport.write(parts, next, count - next);
        while (next < count && !parts[next].hasRemaining()) {
            next++;
        }
        if (next == count) {
            forget();
        }
        return written;
    }
}
