package dev.weir.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Sends requests to a console, as a program would. Thread-safe. */
final class Asker implements AutoCloseable {

    static final ObjectMapper JSON = new ObjectMapper();

    private final URI console;
    private final HttpClient client = HttpClient.newHttpClient();

    Asker(ConsoleServer console) {
        this(console.uri());
    }

    Asker(URI console) {
        this.console = console;
    }

    HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        return send(request(path, headers).GET().build());
    }

    JsonNode json(String path, String... headers) throws IOException, InterruptedException {
        return JSON.readTree(get(path, headers).body());
    }

    HttpResponse<String> post(String path, String body, String... headers) throws IOException, InterruptedException {
        return send(request(path, headers).POST(BodyPublishers.ofString(body)).build());
    }

    JsonNode set(String settings) throws IOException, InterruptedException {
        return JSON.readTree(post("/api/control", "{\"set\":" + settings + "}").body());
    }

    HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, BodyHandlers.ofString());
    }

    /** Requests a slow answer, and returns its future. */
    CompletableFuture<HttpResponse<String>> later(String path) {
        return client.sendAsync(
                request(path).timeout(Duration.ofMinutes(2)).GET().build(), BodyHandlers.ofString());
    }

    /** Sends a slow change, and returns its answer's future. */
    CompletableFuture<HttpResponse<String>> laterSet(String settings) {
        return client.sendAsync(
                request("/api/control")
                        .timeout(Duration.ofMinutes(2))
                        .POST(BodyPublishers.ofString("{\"set\":" + settings + "}"))
                        .build(),
                BodyHandlers.ofString());
    }

    HttpRequest.Builder request(String path, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(console + path)).timeout(Duration.ofSeconds(20));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return request;
    }

    /** Opens a connection for any bytes, such as headers that the HTTP client refuses to send. */
    Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.setSoTimeout(20_000);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), console.getPort()), 5_000);
        return socket;
    }

    /** Sends a request unchanged, and returns the beginning of the answer. */
    String raw(String request) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readNBytes(12), StandardCharsets.ISO_8859_1);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
