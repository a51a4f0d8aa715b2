package dev.weir.lean.internal.cluster;

import dev.weir.lean.LeanException;
import dev.weir.lean.internal.net.BrokerConnection;
import dev.weir.lean.internal.net.ConnectionBuffers;
import dev.weir.lean.internal.net.ReceiveBuffer;
import dev.weir.lean.internal.wire.FailureText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Readable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A link to one broker, with at most one connection at a time. If the connection is lost, the next attempt to send
 * opens a new one. Confined to the thread of its {@link BrokerLinks}.
 */
public final class BrokerLink {

    private static final Logger LOG = LoggerFactory.getLogger(BrokerLink.class);

    /** Receives responses and is notified of lost connections. Called within {@link BrokerLinks#poll}. */
    public interface Listener {

        /**
         * Called with each response. Responses arrive in the order of the requests.
         *
         * @param body the bytes after the header, which are not copied; valid only during the call
         */
        void answered(ApiKeys api, short version, Readable body);

        /** Called when the connection was lost. Requests sent on it get no response. */
        void lost(String why);
    }

    /** Writes a custom request without allocating an object for it. */
    public interface Encoder {

        /** Upper bound of the request's size in bytes: length field, header and body, without inserted buffers. */
        int maxBytes();

        /**
         * Writes the request from position 0 on, and flips the buffer.
         *
         * @param inserts accepts buffers that are sent without being copied
         * @param correlation the correlation id for the request's header
         */
        void write(ByteBuffer out, Inserts inserts, int correlation);
    }

    /** Accepts buffers that become part of a request without being copied into it. */
    public interface Inserts {

        /**
         * Adds the buffer's remaining bytes to the request, after the bytes written so far, and advances the buffer's
         * position to its limit. The buffer must not be modified before the listener is called with the response or a
         * lost connection.
         */
        void insert(ByteBuffer bytes);
    }

    private final String name;
    private final Supplier<List<InetSocketAddress>> addresses;
    private final Listener listener;
    private final BrokerLinks links;
    private final RetryBackoff backoff;
    private final ConnectionBuffers buffers;

    private final Inserts inserts = this::insert;
    private @Nullable BrokerConnection connection;
    private boolean wanted;
    private boolean dropped;
    private int attempts;

    BrokerLink(String name, Supplier<List<InetSocketAddress>> addresses, Listener listener, BrokerLinks links) {
        this.name = name;
        this.addresses = addresses;
        this.listener = listener;
        this.links = links;
        this.backoff = links.newBackoff();
        this.buffers = new ConnectionBuffers(links.settings().maxResponseBytes());
    }

    /** Returns whether a request can be sent now. If there is no connection, the next polls open one. */
    public boolean canSend() {
        BrokerConnection current = connection;
        wanted = true;
        return current != null && current.canSend();
    }

    /** Highest version of a request that the broker supports; -1 if not connected or not supported. */
    public short maxVersion(ApiKeys api) {
        Objects.requireNonNull(api, "api");
        BrokerConnection current = connection;
        return current == null ? -1 : current.maxVersion(api);
    }

    /**
     * Sends a request that has flexible versions.
     *
     * @throws IllegalStateException unless {@link #canSend}
     */
    public void send(ApiKeys api, short version, ApiMessage request) {
        Objects.requireNonNull(api, "api");
        Objects.requireNonNull(request, "request");
        ready(api).send(api, version, request);
    }

    /**
     * Sends a request that is encoded during this call.
     *
     * @throws IllegalStateException unless {@link #canSend}
     */
    public void send(ApiKeys api, short version, Encoder request) {
        Objects.requireNonNull(api, "api");
        Objects.requireNonNull(request, "request");
        BrokerConnection current = ready(api);
        request.write(current.outgoing(request.maxBytes()), inserts, current.nextCorrelation());
        current.sent(api, version);
    }

    private void insert(ByteBuffer bytes) {
        Objects.requireNonNull(connection, "connection").insert(bytes);
    }

    private BrokerConnection ready(ApiKeys api) {
        BrokerConnection current = connection;
        if (current == null || !current.canSend()) {
            throw new IllegalStateException(name + " cannot send now: " + api);
        }
        return current;
    }

    int poll(long nowNanos) {
        if (dropped) {
            return 0;
        }
        BrokerConnection current = connection;
        if (current == null) {
            if (!wanted || !backoff.isDue(nowNanos)) {
                return 0;
            }
            wanted = false;
            connect(nowNanos);
            return 1;
        }
        try {
            int work = current.poll(nowNanos);
            if (current.isReady()) {
                backoff.succeeded();
            }
            return work;
        } finally {
            if (current.isClosed() && !dropped) {
                connection = null;
                lost(current.closeReason(), nowNanos);
            }
        }
    }

    private void connect(long nowNanos) {
        try {
            List<InetSocketAddress> all = addresses.get();
            InetSocketAddress next = all.get(attempts++ % all.size());
            InetSocketAddress address =
                    next.isUnresolved() ? new InetSocketAddress(next.getHostString(), next.getPort()) : next;
            if (address.isUnresolved()) {
                throw new IOException("no address for " + address.getHostString());
            }
            connection = new BrokerConnection(
                    links.transports(),
                    address,
                    links.clientId(),
                    buffers,
                    links.settings().requestTimeout().toNanos(),
                    nowNanos,
                    this::onResponse);
        } catch (IOException e) {
            lost(FailureText.of(e), nowNanos);
        }
    }

    private void lost(String why, long nowNanos) {
        LOG.info("{} disconnected: {}", name, why);
        backoff.failed(nowNanos);
        listener.lost(why);
    }

    private void onResponse(ApiKeys api, short version, ReceiveBuffer buffer, int sizeBytes) {
        if (buffer.isCut(sizeBytes)) {
            throw new LeanException(
                    name + " sent " + sizeBytes + " bytes, more than maxResponseBytes="
                            + links.settings().maxResponseBytes(),
                    null);
        }
        Readable body;
        try {
            body = ResponseMessages.body(buffer.bytes());
        } catch (RuntimeException e) {
            throw new LeanException(name + " sent a malformed answer to " + api, e);
        }
        listener.answered(api, version, body);
    }

    /** Closes the connection. The next attempt to send opens another one. The next poll notifies the listener. */
    public void disconnect(String why) {
        if (connection != null) {
            connection.close(Objects.requireNonNull(why, "why"));
        }
    }

    /**
     * Closes the connection without a call of the listener. The next attempt to send connects to the broker's next
     * address. Must be called only while no requests are in flight.
     */
    public void renew() {
        if (connection != null) {
            connection.close("renewed");
            connection = null;
        }
    }

    /** Closes the link permanently. The listener is not notified. */
    public void drop() {
        dropped = true;
        if (connection != null) {
            connection.close("closed");
        }
    }

    boolean isDropped() {
        return dropped;
    }

    @Override
    public String toString() {
        return name;
    }
}
