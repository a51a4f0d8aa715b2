package dev.weir.lean.internal.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import org.apache.kafka.common.network.KafkaChannel;
import org.apache.kafka.common.network.NetworkSend;
import org.apache.kafka.common.network.Send;
import org.apache.kafka.common.network.TransferableChannel;
import org.apache.kafka.common.network.TransportLayer;
import org.jspecify.annotations.Nullable;

/**
 * TLS, SASL or both, by the official client's classes. Confined to one thread.
 *
 * <p>A {@link KafkaChannel} does the handshakes. After that its transport is read and written directly, into and out of
 * our own buffers: the channel shows it to whatever is sent through it, so an empty send fetches it once. A session
 * that must be authenticated again ends with its connection, and the next connection begins a new one.
 */
final class SecuredTransport implements Transport {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final KafkaChannel channel;
    private final SelectionKey key;
    private @Nullable TransportLayer layer;

    SecuredTransport(KafkaChannel channel, SelectionKey key) {
        this.channel = channel;
        this.key = key;
    }

    @Override
    public boolean isReady() throws IOException {
        if (layer != null) {
            return true;
        }
        if (!channel.isConnected() && !channel.finishConnect()) {
            return false;
        }
        if (!channel.ready()) {
            channel.prepare();
        }
        if (!channel.ready()) {
            return false;
        }
        LayerFinder finder = new LayerFinder();
        channel.setSend(new NetworkSend(channel.id(), finder));
        channel.write();
        channel.maybeCompleteSend();
        layer = finder.layer;
        key.interestOps(SelectionKey.OP_READ);
        return layer != null;
    }

    private TransportLayer layer() {
        if (layer == null) {
            throw new IllegalStateException("not ready");
        }
        return layer;
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
        return layer().read(to);
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        return layer().write(from);
    }

    @Override
    public long write(ByteBuffer[] from, int first, int count) throws IOException {
        return layer().write(from, first, count);
    }

    @Override
    public boolean hasPending() {
        return layer().hasPendingWrites();
    }

    /** The layer writes what it holds before it takes more, of which there is none. */
    @Override
    public int writePending() throws IOException {
        layer().write(NOTHING);
        return hasPending() ? 0 : 1;
    }

    @Override
    public void wantWrite(boolean wanted) {
        if (wanted) {
            layer().addInterestOps(SelectionKey.OP_WRITE);
        } else {
            layer().removeInterestOps(SelectionKey.OP_WRITE);
        }
    }

    @Override
    public void close() {
        Quietly.close(channel);
    }

    /** Sends nothing, and remembers through what. */
    private static final class LayerFinder implements Send {

        private @Nullable TransportLayer layer;

        @Override
        public boolean completed() {
            return layer != null;
        }

        @Override
        public long writeTo(TransferableChannel through) {
            layer = (TransportLayer) through;
            return 0;
        }

        @Override
        public long size() {
            return 0;
        }
    }
}
