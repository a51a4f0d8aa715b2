package dev.weir.lean.internal.net;

/** Creates receive buffers without a connection. Stateless. */
public final class ReceiveBuffers {

    private ReceiveBuffers() {}

    /** Returns a free buffer of about 64 KB. */
    public static ReceiveBuffer empty() {
        return new ReceiveBuffer(1024 * 1024);
    }
}
