package dev.weir.lean.internal.net;

/** Receive buffers without a connection. Stateless. */
public final class ReceiveBuffers {

    private ReceiveBuffers() {}

    /** Free, with some 64 KB. */
    public static ReceiveBuffer empty() {
        return new ReceiveBuffer(1024 * 1024);
    }
}
