package dev.weir.metrics;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/** Answers the requests of a {@link MetricsServer}. Thread-safe. */
final class MetricsHandler {

    private static final Logger LOG = System.getLogger(MetricsHandler.class.getName());

    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain; charset=utf-8";

    private final Supplier<String> meters;
    private final Supplier<HealthReport> health;

    MetricsHandler(Supplier<String> meters, Supplier<HealthReport> health) {
        this.meters = meters;
        this.health = health;
    }

    private record Answer(int status, String type, String body) {

        static Answer health(boolean well, HealthReport report) {
            return new Answer(well ? 200 : 503, JSON, report.json());
        }
    }

    void handle(HttpExchange exchange) throws IOException {
        send(exchange, answer(exchange));
    }

    private Answer answer(HttpExchange exchange) {
        String method = exchange.getRequestMethod();
        if (!method.equals("GET") && !method.equals("HEAD")) {
            exchange.getResponseHeaders().set("Allow", "GET, HEAD");
            return new Answer(405, TEXT, "only GET and HEAD\n");
        }
        String path = exchange.getRequestURI().getPath();
        try {
            return switch (path == null ? "" : path) {
                // The address alone too, which is what commands print.
                case "/metrics", "/", "" -> new Answer(200, PROMETHEUS, meters.get());
                case "/health/live" -> {
                    HealthReport report = health.get();
                    yield Answer.health(report.live(), report);
                }
                case "/health/ready" -> {
                    HealthReport report = health.get();
                    yield Answer.health(report.ready(), report);
                }
                default -> new Answer(404, TEXT, "here are /metrics, /health/live and /health/ready\n");
            };
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "cannot answer " + path, e);
            return new Answer(500, TEXT, "this could not be told; the log says why\n");
        }
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        byte[] body = answer.body.getBytes(StandardCharsets.UTF_8);
        Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", answer.type);
        headers.set("Cache-Control", "no-store");
        headers.set("X-Content-Type-Options", "nosniff");
        if (exchange.getRequestMethod().equals("HEAD")) {
            headers.set("Content-Length", Integer.toString(body.length));
            exchange.sendResponseHeaders(answer.status, -1);
            return;
        }
        exchange.sendResponseHeaders(answer.status, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }
}
