package dev.weir.metrics.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests an endpoint that once cannot start a thread for a connection. */
@Timeout(60)
class HttpEndpointTest {

    private static final String PROBE = "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

    /** The error of a process at its limit of threads. */
    @Test
    void connection_afterOneWithoutAThread_isAnswered() throws Exception {
        AtomicBoolean isFull = new AtomicBoolean(true);
        HttpEndpoint endpoint = HttpEndpoint.open("probed", null, 0, HttpLimits.MAX_RESPONSE, task -> {
            if (isFull.get()) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return new Thread(task);
        });
        try (endpoint) {
            endpoint.start((exchange, deadline) -> exchange.sendResponseHeaders(200, -1));
            assertThat(ask(endpoint)).as("at the limit").isEmpty();
            isFull.set(false);
            assertThat(ask(endpoint)).as("below the limit again").isEqualTo("HTTP/1.1 200");
        }
    }

    private static String ask(HttpEndpoint endpoint) throws IOException {
        try (Socket client = new Socket(endpoint.uri().getHost(), endpoint.uri().getPort())) {
            client.setSoTimeout(20_000);
            client.getOutputStream().write(PROBE.getBytes(StandardCharsets.US_ASCII));
            return new String(client.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
        } catch (SocketException cut) {
            return "";
        }
    }
}
