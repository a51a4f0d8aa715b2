package dev.weir.examples.pipelines;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A simulated customer service. It answers {@code GET /customers/ID} with the customer's name after a delay, for any
 * number of concurrent requests. Thread-safe.
 */
public final class CustomerService implements AutoCloseable {

    static {
        // With more than 200 idle connections, the JDK's server closes some, even if a client is about to use them.
        System.setProperty("sun.net.httpserver.maxIdleConnections", "10000");
    }

    private final HttpServer server;
    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(
            2, Thread.ofPlatform().daemon().name("customer-service-", 0).factory());

    private CustomerService(HttpServer server, Duration delay) {
        this.server = server;
        server.createContext("/customers/", exchange -> {
            var ignored = timer.schedule(() -> answer(exchange), delay.toNanos(), TimeUnit.NANOSECONDS);
        });
        server.start();
    }

    /** Starts a service on a free loopback port. */
    public static CustomerService start(Duration delay) throws IOException {
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return new CustomerService(HttpServer.create(anyPort, 1_024), delay);
    }

    private static void answer(HttpExchange exchange) {
        try (exchange;
                OutputStream body = exchange.getResponseBody()) {
            String path = exchange.getRequestURI().getPath();
            byte[] name = ("customer " + path.substring(path.lastIndexOf('/') + 1)).getBytes(UTF_8);
            exchange.sendResponseHeaders(200, name.length);
            body.write(name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the service's address, without a path. */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    @Override
    public void close() {
        server.stop(0);
        timer.shutdownNow();
    }
}
