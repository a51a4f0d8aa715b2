package dev.weir.lean.internal.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import org.apache.kafka.common.network.KafkaChannel;
import org.apache.kafka.common.network.NetworkSend;
import org.apache.kafka.common.network.PlaintextTransportLayer;
import org.apache.kafka.common.network.Send;
import org.apache.kafka.common.network.TransferableChannel;
import org.apache.kafka.common.network.TransportLayer;
import org.jspecify.annotations.Nullable;

/**
 * A connection with TLS, SASL or both, based on the official client. Confined to one thread.
 *
 * <p>A {@link KafkaChannel} performs the handshakes. Afterwards, this class reads and writes through the channel's
 * transport layer with its own buffers. The channel passes that layer only to a {@link Send}, so an empty {@link Send}
 * obtains it once. Sessions are not re-authenticated: when a session expires, the broker closes the connection, and the
 * next connection starts a new session.
 */
final class SecuredTransport implements Transport {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** Maximum number of bytes combined for one TLS record, which has up to 16 kB including some padding. */
    private static final int RECORD_BYTES = 16 * 1024 - 256;

    private final KafkaChannel channel;
    private final SelectionKey key;
    private @Nullable TransportLayer layer;

    /** Bytes of several short buffers that are not encrypted yet, between position and limit. */
    private ByteBuffer joined = NOTHING;

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
        return writeJoined() ? layer().write(from) : 0;
    }

    /** Writes several buffers. Combines short buffers first, because each call of the TLS layer makes a system call. */
    @Override
    public long write(ByteBuffer[] from, int first, int count) throws IOException {
        if (layer() instanceof PlaintextTransportLayer plain) {
            return plain.write(from, first, count);
        }
        long taken = 0;
        int at = first;
        while (at < first + count && writeJoined()) {
            if (from[at].remaining() >= RECORD_BYTES) {
                taken += layer().write(from[at]);
                if (from[at].hasRemaining()) {
                    return taken;
                }
            } else {
                taken += join(from, at, first + count);
            }
            while (at < first + count && !from[at].hasRemaining()) {
                at++;
            }
        }
        boolean unused = writeJoined();
        return taken;
    }

    /** Copies consecutive short buffers into {@link #joined}, at most one record. Returns the number of bytes. */
    private int join(ByteBuffer[] from, int first, int end) {
        if (joined == NOTHING) {
            joined = ByteBuffer.allocateDirect(RECORD_BYTES);
        }
        joined.clear();
        for (int at = first; at < end && joined.hasRemaining() && from[at].remaining() < RECORD_BYTES; at++) {
            int bytes = Math.min(joined.remaining(), from[at].remaining());
            joined.put(joined.position(), from[at], from[at].position(), bytes).position(joined.position() + bytes);
            from[at].position(from[at].position() + bytes);
        }
        joined.flip();
        return joined.remaining();
    }

    /** Writes the bytes in {@link #joined}. Returns false if some are left. */
    private boolean writeJoined() throws IOException {
        if (joined.hasRemaining()) {
            layer().write(joined);
        }
        return !joined.hasRemaining();
    }

    @Override
    public boolean hasPending() {
        return joined.hasRemaining() || layer().hasPendingWrites();
    }

    /** Writes bytes accepted earlier: first the combined bytes, then bytes that the TLS layer has encrypted. */
    @Override
    public int writePending() throws IOException {
        if (writeJoined()) {
            layer().write(NOTHING);
        }
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
        QuietClose.close(channel);
    }

    /** An empty {@link Send} that obtains the transport layer. */
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
