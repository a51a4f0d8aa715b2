package dev.weir.cli.console;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.command.terminal.CliFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class ConsoleClientTest {

    private final CountDownLatch done = new CountDownLatch(1);

    /** Regression: the time limit ended with the headers of the answer. */
    @Test
    void console_thatStopsWithinItsAnswer_isGivenUp() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> answerHalf(server));
            URI address = URI.create("http://127.0.0.1:" + server.getLocalPort());
            assertThatThrownBy(() -> state(address))
                    .isInstanceOf(CliFailure.class)
                    .hasMessage("no console answers at " + address + ": no answer within 1000 ms");
        } finally {
            done.countDown();
        }
    }

    private static void state(URI address) throws InterruptedException {
        try (ConsoleClient console = new ConsoleClient(address, null, Duration.ofSeconds(1))) {
            var ignored = console.get("/api/state");
        }
    }

    private void answerHalf(ServerSocket server) {
        try (Socket client = server.accept()) {
            client.getOutputStream()
                    .write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{".getBytes(StandardCharsets.US_ASCII));
            done.await();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
