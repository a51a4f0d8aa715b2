package dev.weir.lean.internal.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ServerSocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A TLS session takes bytes that the socket has no room for: the request looks sent, and its end lies encrypted here.
 */
@Timeout(120)
class PendingBytesTest {

    /** Less than one record of TLS, which is taken whole. */
    private static final int REQUEST_BYTES = 8_000;

    private static final long LONG_MILLIS = 10_000;
    private static final long SHORT_MILLIS = 50;

    @TempDir
    private static Path folder;

    private static Map<String, String> client() throws Exception {
        return Map.of(
                "bootstrap.servers",
                "localhost:1",
                "security.protocol",
                "SSL",
                "ssl.truststore.location",
                TlsKeys.in(folder).toString(),
                "ssl.truststore.password",
                TlsKeys.PASSWORD);
    }

    private static ServerSocketFactory server() throws Exception {
        char[] password = TlsKeys.PASSWORD.toCharArray();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(TlsKeys.in(folder))) {
            keys.load(in, password);
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, password);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context.getServerSocketFactory();
    }

    /**
     * The peer answers requests without reading them, until the socket is full and the last request is taken, but not
     * sent. Then it reads the others and waits for the last one: nothing comes from it that would have the connection
     * look.
     */
    @Test
    void encryptedBytes_thatTheSocketHadNoRoomFor_leaveWhenItHas() throws Exception {
        try (Peer peer = new Peer(client(), server())) {
            Connection connection = peer.connection;
            int last = fill(peer);
            // Taken as a whole, or there would be no next one.
            assertThat(connection.canSend()).isTrue();
            for (int number = 1; number < last; number++) {
                assertThat(peer.read().getInt(0)).isEqualTo(number);
            }

            long fromNanos = System.nanoTime();
            peer.transports.await(LONG_MILLIS);
            assertThat(System.nanoTime() - fromNanos)
                    .as("woken when the socket had room")
                    .isLessThan(TimeUnit.MILLISECONDS.toNanos(LONG_MILLIS));
            peer.pollUntil(() -> !connection.hasUnwritten());
            ByteBuffer end = peer.read();
            assertThat(end.getInt(0)).isEqualTo(last);
            assertThat(end.remaining()).isEqualTo(REQUEST_BYTES);

            // There is room all the time now, and nothing to send: that wakes nobody.
            fromNanos = System.nanoTime();
            peer.transports.await(SHORT_MILLIS);
            assertThat(System.nanoTime() - fromNanos)
                    .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(SHORT_MILLIS - 1));
            peer.answer(last);
            peer.pollUntil(() -> peer.answered.size() == last);
        }
    }

    /** A request is under way for as long as a peer does not read: its answer is due from when it has left. */
    @Test
    void timeForTheAnswer_beginsWhenTheLastEncryptedBytesHaveLeft() throws Exception {
        try (Peer peer = new Peer(client(), server())) {
            Connection connection = peer.connection;
            int last = fill(peer);
            long filledNanos = System.nanoTime();
            for (int number = 1; number < last; number++) {
                assertThat(peer.read().getInt(0)).isEqualTo(number);
            }
            peer.transports.await(LONG_MILLIS);
            long leftNanos = filledNanos + Peer.TIMEOUT_NANOS / 2;
            // All that the socket holds is read: there is room for the rest at once.
            assertThat(connection.poll(leftNanos)).isPositive();
            assertThat(connection.hasUnwritten()).isFalse();
            assertThat(connection.poll(leftNanos + Peer.TIMEOUT_NANOS)).isZero();
            assertThat(connection.isClosed()).as(connection.closeReason()).isFalse();
            assertThat(connection.poll(leftNanos + Peer.TIMEOUT_NANOS + 1)).isZero();
            assertThat(connection.closeReason()).startsWith("no answer for");
        }
    }

    /** Returns the number of the last request, which is the only one that is not in the socket as a whole. */
    private static int fill(Peer peer) throws Exception {
        for (int number = 1; ; number++) {
            peer.send(ApiKeys.PRODUCE, REQUEST_BYTES, List.of());
            peer.connection.poll(System.nanoTime());
            if (peer.connection.hasUnwritten()) {
                return number;
            }
            peer.answer(number);
            int due = number;
            peer.pollUntil(() -> peer.answered.size() == due);
        }
    }
}
