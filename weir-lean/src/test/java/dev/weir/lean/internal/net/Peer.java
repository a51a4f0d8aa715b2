package dev.weir.lean.internal.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.net.ServerSocketFactory;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestUtils;

/**
 * A connection to a broker that reads and answers only when a test says so. Confined to one thread, except for
 * {@link #read}.
 */
final class Peer implements AutoCloseable {

    /** Time for which the connection waits for a response. */
    static final long TIMEOUT_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int READ_TIMEOUT_MILLIS = 20_000;

    /** Small, so that unread bytes soon fill the sender's side. */
    private static final int RECEIVE_BYTES = 64 * 1_024;

    private static final short GREETING_VERSION = 3;
    private static final ApiKeys[] APIS = {ApiKeys.API_VERSIONS, ApiKeys.FETCH, ApiKeys.METADATA, ApiKeys.PRODUCE};

    private final ServerSocket server;
    private final Socket socket;
    final Transports transports;
    final BrokerConnection connection;

    /** Numbers of answered requests, without the handshake. */
    final List<Integer> answered = new ArrayList<>();

    /**
     * Connects and completes the handshake. The next request has number 1.
     *
     * @param properties the client's properties for its protocol
     * @param sockets creates the broker's sockets for the same protocol
     */
    Peer(Map<String, String> properties, ServerSocketFactory sockets) throws Exception {
        server = sockets.createServerSocket();
        server.setReceiveBufferSize(RECEIVE_BYTES);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        transports = Transports.of(properties, 0);
        connection = new BrokerConnection(
                transports,
                new InetSocketAddress("localhost", server.getLocalPort()),
                "client",
                new ConnectionBuffers(64 * 1_024),
                TIMEOUT_NANOS,
                System.nanoTime(),
                (api, version, buffer, sizeBytes) -> answered.add(buffer.bytes().getInt(0)));
        FutureTask<Socket> greeting = new FutureTask<>(this::greet);
        Thread.ofPlatform().daemon().name("greeting").start(greeting);
        pollUntil(connection::isReady);
        socket = greeting.get();
    }

    private Socket greet() throws IOException {
        Socket accepted = server.accept();
        accepted.setSoTimeout(READ_TIMEOUT_MILLIS);
        assertThat(read(accepted).getShort(0)).isEqualTo(ApiKeys.API_VERSIONS.id);
        ApiVersionsResponseData versions = new ApiVersionsResponseData();
        for (ApiKeys api : APIS) {
            versions.apiKeys()
                    .add(new ApiVersion()
                            .setApiKey(api.id)
                            .setMinVersion(api.oldestVersion())
                            .setMaxVersion(api.latestVersion()));
        }
        write(
                accepted,
                RequestUtils.serialize(
                        new ResponseHeaderData(),
                        ApiKeys.API_VERSIONS.responseHeaderVersion(GREETING_VERSION),
                        versions,
                        GREETING_VERSION));
        return accepted;
    }

    /** Polls the connection until the condition holds. */
    void pollUntil(BooleanSupplier done) throws IOException {
        long deadlineNanos = System.nanoTime() + DEADLINE_NANOS;
        while (!done.getAsBoolean()) {
            if (connection.poll(System.nanoTime()) == 0) {
                transports.await(TimeUnit.NANOSECONDS.toMillis(DEADLINE_NANOS));
            }
            assertThat(connection.isClosed()).as(connection.closeReason()).isFalse();
            assertThat(System.nanoTime() - deadlineNanos)
                    .as("after a long wait")
                    .isNegative();
        }
    }

    /**
     * Sends a request of its number and zeros.
     *
     * @param inserted buffers to send without copying, after the request's own bytes
     */
    void send(ApiKeys api, int ownBytes, List<ByteBuffer> inserted) {
        int bytes = ownBytes + inserted.stream().mapToInt(ByteBuffer::remaining).sum();
        ByteBuffer own = connection.outgoing(Integer.BYTES + ownBytes);
        own.putInt(bytes).putInt(connection.nextCorrelation()).put(new byte[ownBytes - Integer.BYTES]);
        inserted.forEach(connection::insert);
        own.flip();
        connection.sent(api, api.latestVersion());
    }

    /** Answers a request, read or not. */
    void answer(int number) throws IOException {
        write(socket, ByteBuffer.allocate(Integer.BYTES + 1).putInt(0, number));
    }

    private static void write(Socket to, ByteBuffer response) throws IOException {
        byte[] bytes = new byte[Integer.BYTES + response.remaining()];
        ByteBuffer.wrap(bytes).putInt(response.remaining()).put(response);
        to.getOutputStream().write(bytes);
        to.getOutputStream().flush();
    }

    /** Waits for the next request and reads it. It starts with its number. Any thread may call this, one at a time. */
    ByteBuffer read() throws IOException {
        return read(socket);
    }

    private static ByteBuffer read(Socket from) throws IOException {
        DataInputStream in = new DataInputStream(from.getInputStream());
        byte[] request = new byte[in.readInt()];
        in.readFully(request);
        return ByteBuffer.wrap(request);
    }

    /** Reads the next request as it arrives. Returns the number of pieces, each a TLS record. */
    int readInPieces(byte[] request) throws IOException {
        int pieces = 0;
        for (int at = 0; at < request.length; pieces++) {
            int read = socket.getInputStream().read(request, at, request.length - at);
            assertThat(read).isPositive();
            at += read;
        }
        return pieces;
    }

    @Override
    public void close() throws IOException {
        connection.close();
        transports.close();
        socket.close();
        server.close();
    }
}
