package dev.weir.lean.internal.net;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A non-blocking byte connection to one broker. Confined to one thread. */
interface Transport extends AutoCloseable {

    /** Continues to connect and to shake hands; returns true when bytes can be sent. */
    boolean isReady() throws IOException;

    /** Reads available bytes into the buffer's free space; -1 at the end. */
    int read(ByteBuffer to) throws IOException;

    /** Writes as much as fits. */
    int write(ByteBuffer from) throws IOException;

    /** Writes as much as fits from several buffers, in order. */
    long write(ByteBuffer[] from, int first, int count) throws IOException;

    /** Returns whether it holds accepted bytes, for encryption, that are not written yet. */
    boolean hasPending();

    /**
     * Writes as much as fits of those held bytes; returns 1 when none are left, otherwise 0, because their number is
     * not known.
     */
    int writePending() throws IOException;

    /** Requests a wake-up also when bytes can be written. */
    void wantWrite(boolean wanted);

    @Override
    void close();
}
