package dev.weir.lean.internal.net;

import dev.weir.lean.LeanException;
import dev.weir.lean.internal.wire.FailureText;
import dev.weir.lean.internal.wire.FetchRequest;
import dev.weir.lean.spi.MessageNetwork;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.jspecify.annotations.Nullable;

/**
 * A connection to one broker. Sends requests, and receives the responses in order. Never blocks. Cannot be reused once
 * closed. Confined to one thread.
 *
 * <pre>
 *   CONNECTING   TCP, then handshakes                        -> GREETING
 *   GREETING     requests the broker's API versions          -> READY
 *   READY        requests go out, responses come in
 *   CLOSED       by either side; see {@link #closeReason}
 * </pre>
 */
public final class BrokerConnection implements AutoCloseable {

    /** Receives a connection's responses. Called on the connection's thread. */
    public interface Listener {

        /**
         * Called with a response.
         *
         * @param api the API of the request
         * @param buffer overwritten after the call unless the callee retains it
         * @param sizeBytes size of the complete response; larger than the buffer's limit if the response was cut off
         */
        void onResponse(ApiKeys api, short version, ReceiveBuffer buffer, int sizeBytes);
    }

    /** Maximum number of requests in flight. Brokers remember the last five batches of an idempotent producer. */
    private static final int WINDOW = 5;

    private static final int CONNECTING = 0;
    private static final int GREETING = 1;
    private static final int READY = 2;
    private static final int CLOSED = 3;

    private static final short GREETING_VERSION = 3;

    /** Value of {@link #maxVersion} for a request that the broker does not support. */
    private static final short NONE = -1;

    private static final int MAX_API_ID =
            Arrays.stream(ApiKeys.values()).mapToInt(api -> api.id).max().orElseThrow();

    /** Size of a header without the client id and the tags: API, version, correlation id, length of the client id. */
    private static final int HEADER_BYTES = 3 * Short.BYTES + Integer.BYTES;

    private static final short FIRST_HEADER_WITH_TAGS = 2;

    /** The cache passed to requests that do not use it. */
    private static final ObjectSerializationCache UNUSED = new ObjectSerializationCache();

    private static final int MIN_RESPONSE_BYTES = 5;

    /** Maximum size of the broker's list of API versions, which normally takes a few hundred bytes. */
    private static final int MAX_GREETING_BYTES = 1024 * 1024;

    private final InetSocketAddress address;
    private final Transport transport;
    private final byte[] clientId;
    private final long timeoutNanos;
    private final Listener listener;
    private final ConnectionBuffers buffers;
    private final ByteBuffer size;

    private int state = CONNECTING;
    private String closeReason = "";
    private @Nullable ReceiveBuffer receiving;
    private long lastProgressNanos;
    private short fetchVersion;

    /** Highest supported version of each request, by API id. */
    private final short[] maxVersions = new short[MAX_API_ID + 1];

    // The requests in flight, in a circular buffer
    private final ApiKeys[] apis = new ApiKeys[WINDOW];
    private final short[] versions = new short[WINDOW];
    private final int[] correlations = new int[WINDOW];
    private int firstUnderWay;
    private int underWay;
    private int nextCorrelation;

    /**
     * Starts to connect.
     *
     * @param buffers the buffers of the previous connection, which must be closed; or new buffers
     */
    public BrokerConnection(
            Transports transports,
            InetSocketAddress address,
            String clientId,
            ConnectionBuffers buffers,
            long timeoutNanos,
            long nowNanos,
            Listener listener)
            throws IOException {
        this.address = address;
        this.clientId = clientId.getBytes(StandardCharsets.UTF_8);
        this.timeoutNanos = timeoutNanos;
        this.listener = listener;
        this.buffers = buffers;
        this.size = buffers.size;
        buffers.reset();
        Arrays.fill(maxVersions, NONE);
        this.transport = transports.open(address, this::checkIdle);
        this.lastProgressNanos = nowNanos;
    }

    /** Does all work that is possible without blocking, and calls the listener. Returns the amount of work done. */
    public int poll(long nowNanos) {
        if (state == CLOSED) {
            return 0;
        }
        try {
            int work = state == CONNECTING ? connect() : flush() + receive();
            boolean nothingDue = state == READY && (underWay == 0 || !canReceive());
            if (work > 0 || nothingDue) {
                lastProgressNanos = nowNanos;
            } else if (nowNanos - lastProgressNanos > timeoutNanos) {
                close("no answer for " + timeoutNanos / 1_000_000 + " ms");
            }
            return work;
        } catch (IOException e) {
            close(FailureText.of(e));
            return 1;
        } catch (AuthenticationException e) {
            close(FailureText.of(e));
            throw new LeanException("broker " + address + " did not accept the connection: " + FailureText.of(e), e);
        }
    }

    private int connect() throws IOException {
        if (!transport.isReady()) {
            return 0;
        }
        state = GREETING;
        send(
                ApiKeys.API_VERSIONS,
                GREETING_VERSION,
                new ApiVersionsRequestData().setClientSoftwareName("weir-lean").setClientSoftwareVersion("0.1"));
        return 1;
    }

    private int flush() throws IOException {
        if (!hasUnwritten()) {
            return 0;
        }
        OutgoingRequest out = buffers.out();
        int written = out.hasRemaining() ? out.writeTo(transport) : transport.writePending();
        transport.wantWrite(hasUnwritten());
        return written;
    }

    /** Returns whether bytes still have to be written to the socket. Call only once connected. */
    boolean hasUnwritten() {
        return buffers.out().hasRemaining() || transport.hasPending();
    }

    private int receive() throws IOException {
        if (underWay == 0) {
            return 0;
        }
        ReceiveBuffer buffer = receiving;
        if (buffer == null) {
            buffer = buffers.free();
            if (buffer == null) {
                return 0;
            }
            int read = transport.read(size);
            if (read < 0) {
                throw new IOException("closed by the broker");
            }
            if (size.hasRemaining()) {
                return read;
            }
            checkSize(size.getInt(0));
            buffer.prepare(size.getInt(0));
            receiving = buffer;
        }
        int read = transport.read(buffer.bytes());
        if (read < 0) {
            throw new IOException("closed by the broker");
        }
        if (!buffer.bytes().hasRemaining()) {
            checkCorrelation(buffer.bytes().getInt(0));
            if (buffer.hasRoom()) {
                complete(buffer);
            } else {
                grow(buffer);
            }
            return Math.max(1, read);
        }
        return read;
    }

    private void checkSize(int claimed) throws IOException {
        if (state == GREETING && (claimed < MIN_RESPONSE_BYTES || claimed > MAX_GREETING_BYTES)) {
            throw new IOException("not a broker's answer; does security.protocol match what listens there?");
        }
        if (claimed < MIN_RESPONSE_BYTES) {
            throw noAnswer("a response of " + claimed + " bytes");
        }
    }

    private void checkCorrelation(int correlation) throws IOException {
        if (correlation != correlations[firstUnderWay]) {
            String what = "an answer to request " + correlation + " where " + correlations[firstUnderWay] + " was due";
            if (state == GREETING) {
                throw new IOException(what);
            }
            throw noAnswer(what);
        }
    }

    /** Closes the connection, and creates an exception for bytes that no Kafka broker sends. No retry helps. */
    private LeanException noAnswer(String what) {
        close(what);
        return new LeanException(
                "broker " + address + " sent " + what
                        + ", which is not Kafka's protocol; what listens there, or changes bytes in transit?",
                null);
    }

    private void grow(ReceiveBuffer buffer) {
        try {
            buffer.grow();
        } catch (OutOfMemoryError e) {
            String what = "a response of " + size.getInt(0) + " bytes";
            close(what);
            throw new LeanException(
                    "broker " + address + " sent " + what + ", for which there is no memory outside the heap: "
                            + FailureText.of(e)
                            + "; raise -XX:MaxDirectMemorySize (as large as the heap unless it is set), or lower"
                            + " fetch.max.bytes",
                    e);
        }
    }

    /** Closes an idle connection with a readable socket: the broker has closed it or sent unexpected bytes. */
    private void checkIdle() {
        if (state == READY && underWay == 0) {
            try {
                close(transport.read(size) < 0 ? "closed by the broker" : "unexpected bytes");
            } catch (IOException e) {
                close(FailureText.of(e));
            }
        }
    }

    private void complete(ReceiveBuffer buffer) throws IOException {
        int sizeBytes = size.getInt(0);
        if (underWay == 1 && buffers.out().hasRemaining()) {
            // The request is not completely sent, so its buffers must not be reused yet.
            throw noAnswer("an answer to a request that had not left yet");
        }
        size.clear();
        receiving = null;
        buffer.bytes().position(0);
        int at = firstUnderWay;
        firstUnderWay = (at + 1) % WINDOW;
        underWay--;
        if (state == GREETING) {
            greeted(buffer.bytes());
            return;
        }
        listener.onResponse(apis[at], versions[at], buffer, sizeBytes);
    }

    private void greeted(ByteBuffer bytes) throws IOException {
        ApiVersionsResponseData answer;
        try {
            answer = new ApiVersionsResponseData(
                    new ByteBufferAccessor(bytes.duplicate().position(Integer.BYTES)), GREETING_VERSION);
        } catch (RuntimeException e) {
            throw tooOld("does not report its versions", e);
        }
        if (answer.errorCode() != 0) {
            throw tooOld("says " + Errors.forCode(answer.errorCode()), null);
        }
        var fetch = answer.apiKeys().find(FetchRequest.KEY);
        if (fetch == null || fetch.maxVersion() < FetchRequest.MIN_VERSION) {
            throw tooOld("fetches up to version " + (fetch == null ? 0 : fetch.maxVersion()), null);
        }
        for (ApiKeys api : ApiKeys.values()) {
            var known = answer.apiKeys().find(api.id);
            maxVersions[api.id] = known == null ? NONE : known.maxVersion();
        }
        fetchVersion = (short) Math.min(fetch.maxVersion(), FetchRequest.MAX_VERSION);
        state = READY;
    }

    private LeanException tooOld(String what, @Nullable Exception cause) {
        close("too old");
        return new LeanException(
                "broker " + address + " " + what + "; the lean path needs Kafka 3.1 or newer, use the official client",
                cause);
    }

    /** Returns whether a buffer is available for the next response. */
    public boolean canReceive() {
        return receiving != null || buffers.hasFree();
    }

    public boolean isReady() {
        return state == READY;
    }

    public boolean isClosed() {
        return state == CLOSED;
    }

    /** The reason why the connection was closed; empty if it is open. */
    public String closeReason() {
        return closeReason;
    }

    public InetSocketAddress address() {
        return address;
    }

    /** Highest fetch version that both sides support. */
    public short fetchVersion() {
        return fetchVersion;
    }

    /** Highest version of a request that the broker supports; -1 if the request is not supported. */
    public short maxVersion(ApiKeys api) {
        return maxVersions[api.id];
    }

    public boolean canSend() {
        return state == READY && underWay < WINDOW && !buffers.out().hasRemaining();
    }

    /**
     * Returns the buffer for a request of at most the given size. The caller writes the request from position 0, flips
     * the buffer, and calls {@link #sent}.
     */
    public ByteBuffer outgoing(int bytes) {
        return buffers.out().begin(bytes);
    }

    /**
     * Inserts a buffer's remaining bytes into the request, after the bytes written so far. They are sent without a
     * copy, and the buffer's position advances. The buffer must not be modified until the request has been answered or
     * the connection has been closed.
     */
    public void insert(ByteBuffer bytes) {
        buffers.out().insert(bytes);
    }

    public int nextCorrelation() {
        return nextCorrelation;
    }

    /** Sends the contents of the outgoing buffer as a request. */
    public void sent(ApiKeys api, short version) {
        int at = (firstUnderWay + underWay++) % WINDOW;
        apis[at] = api;
        versions[at] = version;
        correlations[at] = nextCorrelation++;
        buffers.out().end();
        try {
            flush();
        } catch (IOException e) {
            close(FailureText.of(e));
        }
    }

    /** Encodes and sends a request. */
    public void send(ApiKeys api, short version, ApiMessage request) {
        ObjectSerializationCache cache =
                request instanceof MessageNetwork.SelfEncoded ? UNUSED : new ObjectSerializationCache();
        boolean hasTags = api.requestHeaderVersion(version) >= FIRST_HEADER_WITH_TAGS;
        int size = HEADER_BYTES + clientId.length + (hasTags ? 1 : 0) + request.size(cache, version);
        ByteBuffer out = outgoing(size + Integer.BYTES)
                .putInt(size)
                .putShort(api.id)
                .putShort(version)
                .putInt(nextCorrelation)
                .putShort((short) clientId.length)
                .put(clientId);
        if (hasTags) {
            out.put((byte) 0);
        }
        request.write(new ByteBufferAccessor(out), cache, version);
        out.flip();
        sent(api, version);
    }

    /** Closes the connection. The listener does not hear of requests in flight. */
    public void close(String reason) {
        if (state != CLOSED) {
            state = CLOSED;
            closeReason = reason;
            transport.close();
        }
    }

    @Override
    public void close() {
        close("closed");
    }
}
