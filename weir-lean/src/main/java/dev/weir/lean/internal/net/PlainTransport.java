package dev.weir.lean.internal.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/** A bare socket. Confined to one thread. */
final class PlainTransport implements Transport {

    private final SocketChannel channel;
    private final SelectionKey key;
    private boolean connected;

    PlainTransport(SocketChannel channel, SelectionKey key) {
        this.channel = channel;
        this.key = key;
    }

    @Override
    public boolean isReady() throws IOException {
        if (!connected && channel.finishConnect()) {
            connected = true;
            key.interestOps(SelectionKey.OP_READ);
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
        return channel.write(from, first, count);
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
        key.interestOps(wanted ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
    }

    @Override
    public void close() {
        Quietly.close(channel);
    }
}
