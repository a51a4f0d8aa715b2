package dev.weir.lean.internal.net;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A way for bytes to one broker, without blocking. Confined to one thread. */
interface Transport extends AutoCloseable {

    /** Continues to connect and to shake hands; true when bytes may go. */
    boolean isReady() throws IOException;

    /** Reads what is there into the buffer's room; -1 at the end. */
    int read(ByteBuffer to) throws IOException;

    /** Writes as much as fits. */
    int write(ByteBuffer from) throws IOException;

    /** Writes as much as fits of so many buffers, one after the other. */
    long write(ByteBuffer[] from, int first, int count) throws IOException;

    /** Returns whether it has taken bytes, to encrypt them, that have not been written. */
    boolean hasPending();

    /** Writes as much of those as fits; returns 1 when none are left, otherwise 0: how many went is not known. */
    int writePending() throws IOException;

    /** Asks to be woken when bytes can be written, too. */
    void wantWrite(boolean wanted);

    @Override
    void close();
}
