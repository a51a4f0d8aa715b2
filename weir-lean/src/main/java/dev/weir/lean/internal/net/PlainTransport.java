package dev.weir.lean.internal.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** A plain socket, or a connection of a simulated network. Confined to one thread. */
final class PlainTransport implements Transport {

    private final ByteChannel channel;

    /** Null for a simulated network, which connects immediately and reports readable channels itself. */
    private final @Nullable SelectionKey key;

    private boolean connected;

    PlainTransport(ByteChannel channel, @Nullable SelectionKey key) {
        this.channel = channel;
        this.key = key;
    }

    @Override
    public boolean isReady() throws IOException {
        if (!connected && (!(channel instanceof SocketChannel socket) || socket.finishConnect())) {
            connected = true;
            wantWrite(false);
        }
        return connected;
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
        return channel.read(to);
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        return channel.write(from);
    }

    @Override
    public long write(ByteBuffer[] from, int first, int count) throws IOException {
        if (channel instanceof GatheringByteChannel gathering) {
            return gathering.write(from, first, count);
        }
        long written = 0;
        for (int i = first; i < first + count; i++) {
            written += channel.write(from[i]);
            if (from[i].hasRemaining()) {
                break;
            }
        }
        return written;
    }

    @Override
    public boolean hasPending() {
        return false;
    }

    @Override
    public int writePending() {
        return 0;
    }

    @Override
    public void wantWrite(boolean wanted) {
        if (key != null) {
            key.interestOps(wanted ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        }
    }

    @Override
    public void close() {
        QuietClose.close(channel);
    }
}
