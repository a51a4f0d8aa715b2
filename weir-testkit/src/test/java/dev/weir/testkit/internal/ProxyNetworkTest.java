package dev.weir.testkit.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the waits, the threads and the ports of a proxy without a broker. */
@Timeout(60)
class ProxyNetworkTest {

    private final ProxyNetwork network = new ProxyNetwork();

    @AfterEach
    void close() {
        network.close();
    }

    /** Regression: messages that waited already were held back as long as the former delay. */
    @Test
    void delay_thatEnds_letsGoWhatWaits() throws Exception {
        network.delay(Duration.ofHours(1));
        long due = network.dueNanos();
        Thread waiting = Thread.ofPlatform().daemon().start(() -> {
            try {
                network.awaitPassage(due, 0);
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
        while (waiting.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }

        network.delay(Duration.ZERO);

        waiting.join();
    }

    /** Regression: the thread died, and the other end waited for an answer without end. */
    @Test
    void errorInAThread_closesTheConnection_andIsReported() throws Exception {
        CompletableFuture<Throwable> reported = new CompletableFuture<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> reported.complete(failure));
        try (ServerSocket broker = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket toBroker = new Socket(broker.getInetAddress(), broker.getLocalPort());
                Socket accepted = broker.accept();
                Socket client = new FaultySocket()) {
            new ProxyConnection(network, client, toBroker).start();

            // A reset connection throws, and a closed one has an end.
            int read;
            try {
                read = accepted.getInputStream().read();
            } catch (java.net.SocketException reset) {
                read = -1;
            }
            assertThat(read).isEqualTo(-1);
            assertThat(reported.get()).hasMessage("planted");
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    private static final class FaultySocket extends Socket {
        @Override
        public InputStream getInputStream() {
            return new InputStream() {
                @Override
                public int read() {
                    throw new OutOfMemoryError("planted");
                }

                @Override
                public int read(byte[] into, int from, int length) {
                    return read();
                }
            };
        }

        @Override
        public OutputStream getOutputStream() {
            return OutputStream.nullOutputStream();
        }
    }

    /** Regression: a response in flight opened a port, and nobody closed it. */
    @Test
    void port_afterTheClose_isNotOpened() {
        network.close();

        assertThatThrownBy(() -> network.portFor("127.0.0.1", 9092)).hasMessageContaining("no port for the proxy of");
    }
}
