package dev.weir.examples.formats;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A proxy in front of the registry. It answers 503 while it is closed. Thread-safe. */
final class Gate implements AutoCloseable {

    private final String registry;
    private final HttpServer server;
    private final HttpClient client = HttpClient.newHttpClient();
    private final AtomicInteger turnedAway = new AtomicInteger();
    private volatile boolean open;

    Gate(String registry) throws IOException {
        this.registry = registry;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    void open() {
        open = true;
    }

    int turnedAway() {
        return turnedAway.get();
    }

    private void answer(HttpExchange call) throws IOException {
        try (call) {
            byte[] body = call.getRequestBody().readAllBytes();
            if (!open) {
                turnedAway.incrementAndGet();
                call.sendResponseHeaders(503, -1);
                return;
            }
            HttpRequest.Builder onward = HttpRequest.newBuilder(URI.create(registry + call.getRequestURI()))
                    .method(call.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body));
            call.getRequestHeaders().forEach((name, values) -> {
                if (name.startsWith("X-") || name.equals("Content-type") || name.equals("Accept")) {
                    values.forEach(value -> onward.header(name, value));
                }
            });
            HttpResponse<byte[]> answer = client.send(onward.build(), HttpResponse.BodyHandlers.ofByteArray());
            answer.headers()
                    .firstValue("Content-Type")
                    .ifPresent(type -> call.getResponseHeaders().set("Content-Type", type));
            call.sendResponseHeaders(answer.statusCode(), answer.body().length == 0 ? -1 : answer.body().length);
            call.getResponseBody().write(answer.body());
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        client.close();
    }
}
