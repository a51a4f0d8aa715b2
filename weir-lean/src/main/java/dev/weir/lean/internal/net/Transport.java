package dev.weir.lean.internal.net;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A non-blocking byte connection to one broker. Confined to one thread. */
interface Transport extends AutoCloseable {

    /** Continues connecting and the handshakes. Returns true as soon as bytes can be sent. */
    boolean isReady() throws IOException;

    /** Reads available bytes into the buffer. Returns their number, or -1 at the end of the stream. */
    int read(ByteBuffer to) throws IOException;

    /** Writes as many bytes as the connection accepts, and returns their number. */
    int write(ByteBuffer from) throws IOException;

    /** Writes as many bytes as the connection accepts from several buffers, in order. */
    long write(ByteBuffer[] from, int first, int count) throws IOException;

    /**
     * Returns whether the connection holds bytes that it has accepted, for example to encrypt them, but has not sent.
     */
    boolean hasPending();

    /**
     * Writes as many of the held bytes as possible. Returns 1 if no held bytes are left, and 0 otherwise, because the
     * number of bytes written is unknown.
     */
    int writePending() throws IOException;

    /** Sets whether {@link Transports#await} also returns when bytes can be written. */
    void wantWrite(boolean wanted);

    @Override
    void close();
}
