package dev.weir.lean.internal.net;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A non-blocking byte connection to one broker. Confined to one thread. */
interface Transport extends AutoCloseable {

    /** Continues to connect, including the handshakes. Returns true once bytes can be sent. */
    boolean isReady() throws IOException;

    /** Reads available bytes into the buffer. Returns their number, or -1 at the end of the stream. */
    int read(ByteBuffer to) throws IOException;

    /** Writes as many bytes as the connection accepts, and returns their number. */
    int write(ByteBuffer from) throws IOException;

    /** Writes as many bytes as the connection accepts from several buffers, in order. Returns the number of bytes. */
    long write(ByteBuffer[] from, int first, int count) throws IOException;

    /** Returns whether bytes accepted by a write are still unsent, for example because they were encrypted first. */
    boolean hasPending();

    /** Sends as many pending bytes as possible. Returns 1 if none are left, otherwise 0. */
    int writePending() throws IOException;

    /** Sets whether {@link Transports#await} also returns when bytes can be written. */
    void wantWrite(boolean wanted);

    @Override
    void close();
}
