package dev.weir.metrics;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import dev.weir.metrics.http.HostRule;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles the requests of a {@link MetricsServer}. Thread-safe. */
final class MetricsHandler {

    private static final Logger LOG = LoggerFactory.getLogger(MetricsHandler.class);

    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain; charset=utf-8";

    /** Paths that return the meters. Commands print the server's address, which has no path. */
    private static final Set<String> METERS = Set.of("/metrics", "/", "");

    private static final String OTHER_HOST = "the Host header must be an address in numbers, a name of this machine, or"
            + " a name that --metrics-name, or serverName in code, gives\n";

    private final Scrapes scrapes;
    private final Supplier<HealthReport> health;
    private final HostRule hosts;

    MetricsHandler(Scrapes scrapes, Supplier<HealthReport> health, HostRule hosts) {
        this.scrapes = scrapes;
        this.health = health;
        this.hosts = hosts;
    }

    private record Answer(int status, String type, String body) {

        static Answer health(boolean well, HealthReport report) {
            return new Answer(well ? 200 : 503, JSON, report.json());
        }
    }

    void handle(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String method = exchange.getRequestMethod();
        if (!hosts.accepts(exchange.getRequestHeaders().getFirst("Host"))) {
            send(exchange, new Answer(403, TEXT, OTHER_HOST));
        } else if (!method.equals("GET") && !method.equals("HEAD")) {
            exchange.getResponseHeaders().set("Allow", "GET, HEAD");
            send(exchange, new Answer(405, TEXT, "only GET and HEAD\n"));
        } else if (path == null || METERS.contains(path)) {
            sendMeters(exchange);
        } else {
            send(exchange, answer(path));
        }
    }

    private void sendMeters(HttpExchange exchange) throws IOException {
        Scrapes.Scrape scrape;
        try {
            scrape = scrapes.next();
        } catch (InterruptedException e) { // The endpoint is being closed.
            Thread.currentThread().interrupt();
            return;
        } catch (RuntimeException e) {
            send(exchange, fault("/metrics", e));
            return;
        }
        try (scrape) {
            send(exchange, 200, PROMETHEUS, scrape.text());
        }
    }

    private static Answer fault(String path, RuntimeException e) {
        LOG.warn("cannot answer {}", path, e);
        return new Answer(500, TEXT, "this request failed; the log says why\n");
    }

    private Answer answer(String path) {
        try {
            return switch (path) {
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
            return fault(path, e);
        }
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        send(exchange, answer.status, answer.type, answer.body.getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", type);
        headers.set("Cache-Control", "no-store");
        headers.set("X-Content-Type-Options", "nosniff");
        if (exchange.getRequestMethod().equals("HEAD")) {
            headers.set("Content-Length", Integer.toString(body.length));
            exchange.sendResponseHeaders(status, -1);
            return;
        }
        exchange.sendResponseHeaders(status, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }
}
