package dev.weir.lean.internal.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests encrypted bytes that wait for space in the socket. A TLS session accepts more bytes than the socket has space
 * for.
 */
@Timeout(120)
class PendingBytesTest {

    /** Less than one TLS record. */
    private static final int REQUEST_BYTES = 8_000;

    private static final int INSERTED_BYTES = 50;

    private static final long LONG_MILLIS = 10_000;
    private static final long SHORT_MILLIS = 50;

    @TempDir
    private static Path folder;

    /**
     * No response wakes the connection: the peer reads only after the socket is full, and then waits for the last
     * request.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 100})
    void encryptedBytes_thatTheSocketHadNoRoomFor_leaveWhenItHas(int inserted) throws Exception {
        try (Peer peer = new Peer(TlsKeys.client(folder), TlsKeys.server(folder))) {
            BrokerConnection connection = peer.connection;
            int last = fill(peer, inserted);
            // The request was accepted as a whole.
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

            // Nothing is left to send, so nothing wakes the connection.
            fromNanos = System.nanoTime();
            peer.transports.await(SHORT_MILLIS);
            assertThat(System.nanoTime() - fromNanos)
                    .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(SHORT_MILLIS - 1));
            peer.answer(last);
            peer.pollUntil(() -> peer.answered.size() == last);
        }
    }

    /** Meanwhile, the next request's short buffers are combined, before their encryption. */
    @Test
    void shortBuffers_thatWerePutTogetherBehindThose_leaveToo() throws Exception {
        try (Peer peer = new Peer(TlsKeys.client(folder), TlsKeys.server(folder))) {
            BrokerConnection connection = peer.connection;
            int last = fill(peer, 0);
            peer.send(ApiKeys.PRODUCE, REQUEST_BYTES - 100 * INSERTED_BYTES, pieces(100));
            assertThat(connection.canSend()).as("taken as a whole").isTrue();
            for (int number = 1; number < last; number++) {
                assertThat(peer.read().getInt(0)).isEqualTo(number);
            }
            peer.pollUntil(() -> !connection.hasUnwritten());
            for (int number = last; number <= last + 1; number++) {
                ByteBuffer request = peer.read();
                assertThat(request.getInt(0)).isEqualTo(number);
                assertThat(request.remaining()).isEqualTo(REQUEST_BYTES);
                peer.answer(number);
            }
            peer.pollUntil(() -> peer.answered.size() == last + 1);
        }
    }

    /**
     * While the peer does not read a request, its timeout has not started. The timeout starts once the request is sent
     * completely.
     */
    @Test
    void timeForTheAnswer_beginsWhenTheLastEncryptedBytesHaveLeft() throws Exception {
        try (Peer peer = new Peer(TlsKeys.client(folder), TlsKeys.server(folder))) {
            BrokerConnection connection = peer.connection;
            int last = fill(peer, 0);
            long filledNanos = System.nanoTime();
            for (int number = 1; number < last; number++) {
                assertThat(peer.read().getInt(0)).isEqualTo(number);
            }
            peer.transports.await(LONG_MILLIS);
            long leftNanos = filledNanos + Peer.TIMEOUT_NANOS / 2;
            // The peer has read everything in the socket.
            assertThat(connection.poll(leftNanos)).isPositive();
            assertThat(connection.hasUnwritten()).isFalse();
            assertThat(connection.poll(leftNanos + Peer.TIMEOUT_NANOS)).isZero();
            assertThat(connection.isClosed()).as(connection.closeReason()).isFalse();
            assertThat(connection.poll(leftNanos + Peer.TIMEOUT_NANOS + 1)).isZero();
            assertThat(connection.closeReason()).startsWith("no answer for");
        }
    }

    private static List<ByteBuffer> pieces(int count) {
        return Stream.generate(() -> ByteBuffer.allocateDirect(INSERTED_BYTES))
                .limit(count)
                .toList();
    }

    /**
     * Sends requests until the socket is full. Returns the number of the last request, which is only partly in the
     * socket.
     */
    private static int fill(Peer peer, int inserted) throws Exception {
        for (int number = 1; ; number++) {
            peer.send(ApiKeys.PRODUCE, REQUEST_BYTES - inserted * INSERTED_BYTES, pieces(inserted));
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
