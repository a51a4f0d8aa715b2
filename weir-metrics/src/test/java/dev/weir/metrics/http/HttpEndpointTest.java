package dev.weir.metrics.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests an endpoint that once cannot accept a connection. */
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

    private static final class Unprintable extends OutOfMemoryError {

        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new StackOverflowError();
        }
    }

    static Stream<ThreadFactory> failures() {
        return Stream.of(
                task -> {
                    throw new Unprintable();
                },
                task -> {
                    throw new IllegalStateException("no thread");
                },
                task -> null);
    }

    @ParameterizedTest
    @MethodSource("failures")
    void connection_afterAnyFailureToAccept_isAnswered(ThreadFactory failing) throws Exception {
        AtomicReference<ThreadFactory> threads = new AtomicReference<>(failing);
        HttpEndpoint endpoint = HttpEndpoint.open(
                "probed",
                null,
                0,
                HttpLimits.MAX_RESPONSE,
                task -> threads.get().newThread(task));
        try (endpoint) {
            endpoint.start((exchange, deadline) -> exchange.sendResponseHeaders(200, -1));
            assertThat(ask(endpoint)).as("while it fails").isEmpty();
            threads.set(Thread::new);
            assertThat(ask(endpoint)).as("afterwards").isEqualTo("HTTP/1.1 200");
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
