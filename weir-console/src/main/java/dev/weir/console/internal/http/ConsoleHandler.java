package dev.weir.console.internal.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import dev.weir.console.ControlReport;
import dev.weir.console.TimelineEntry;
import dev.weir.console.internal.http.PageFiles.PageFile;
import dev.weir.console.internal.state.ConsoleSubject;
import dev.weir.console.internal.state.FleetLooker;
import dev.weir.console.internal.state.Json;
import dev.weir.console.internal.state.Looker;
import dev.weir.console.internal.state.RunLooker;
import dev.weir.metrics.http.HttpEndpoint;
import dev.weir.metrics.http.ResponseDeadline;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles the HTTP requests of a console. Thread-safe. */
public final class ConsoleHandler implements HttpEndpoint.Handler {

    /** Largest body of a request for changes. It holds several hundred settings. */
    static final int MAX_BODY_BYTES = 16 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(ConsoleHandler.class);

    private static final String JSON = "application/json";

    private static final byte[] NOTHING = {};

    /** Lets the page load only its own files and {@code data:} images. No site may embed it in a frame. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private final Access access;
    private final ConsoleSubject subject;
    private final PageFiles page;
    private final EventStream events;

    private ConsoleHandler(boolean loopback, @Nullable String token, ConsoleSubject subject, PageFiles page) {
        this.access = new Access(loopback, token);
        this.subject = subject;
        this.page = page;
        this.events = new EventStream(subject.history());
    }

    /**
     * Creates the handler of a pipeline's console.
     *
     * @param token the token required in every request for data; null if the port can be reached only from this machine
     */
    public static ConsoleHandler ofPipeline(boolean loopback, @Nullable String token, Looker looker) {
        return new ConsoleHandler(loopback, token, looker, PageFiles.ofPipeline());
    }

    public static ConsoleHandler ofRuns(boolean loopback, @Nullable String token, RunLooker looker) {
        return new ConsoleHandler(loopback, token, looker, PageFiles.ofRuns());
    }

    public static ConsoleHandler ofFleet(boolean loopback, @Nullable String token, FleetLooker looker) {
        return new ConsoleHandler(loopback, token, looker, PageFiles.ofFleet());
    }

    /**
     * A response.
     *
     * @param body the complete text, which other responses may share; empty if {@code parts} writes it
     * @param parts writes a response of unknown length; null if there is a {@code body}
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Answer(int status, String type, byte[] body, Json.@Nullable Fields parts) {

        Answer(int status, String type, byte[] body) {
            this(status, type, body, null);
        }

        /** Creates a response that may be long and is written in parts. */
        static Answer inParts(Json.Fields fields) {
            return new Answer(200, JSON, NOTHING, fields);
        }

        static Answer json(byte[] line) {
            return new Answer(200, JSON, line);
        }

        static Answer json(int status, String text) {
            return new Answer(status, JSON, Json.line(text));
        }

        static Answer error(int status, String message) {
            return json(status, Json.error(message));
        }
    }

    @Override
    public void handle(HttpExchange exchange, ResponseDeadline deadline) throws IOException {
        setHeaders(exchange.getResponseHeaders());
        String path = exchange.getRequestURI().getPath();
        PageFile file = page.at(path == null || path.isEmpty() ? "/" : path);
        Access.Denial denial = access.judge(exchange.getRequestHeaders(), file != null);
        if (denial != null) {
            if (denial.status() == 401) {
                exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
            }
            send(exchange, Answer.error(denial.status(), denial.reason()));
        } else if (file != null) {
            Answer whole = new Answer(200, file.type(), file.content().getBytes(StandardCharsets.UTF_8));
            send(exchange, ifRead(exchange, () -> whole));
        } else if ("/api/events".equals(path) && exchange.getRequestMethod().equals("GET")) {
            stream(exchange, deadline);
        } else if (ProfileRequests.PATH.equals(path)) {
            profile(exchange, deadline);
        } else {
            send(exchange, api(exchange, path == null ? "" : path, deadline));
        }
    }

    private static void setHeaders(Headers headers) {
        headers.set("Content-Security-Policy", POLICY);
        headers.set("Cache-Control", "no-store");
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
    }

    private void stream(HttpExchange exchange, ResponseDeadline deadline) throws IOException {
        if (events.enter()) {
            events.send(exchange, deadline);
        } else {
            send(exchange, Answer.error(503, "there are " + EventStream.MOST_READERS + " readers of events already"));
        }
    }

    private void profile(HttpExchange exchange, ResponseDeadline deadline) throws IOException {
        if (!exchange.getRequestMethod().equals("GET")) {
            exchange.getResponseHeaders().set("Allow", "GET");
            send(exchange, Answer.error(405, "only GET"));
            return;
        }
        if (!ProfileRequests.enter()) {
            send(exchange, Answer.error(409, "other profiles are still being sent: ask again in some seconds"));
            return;
        }
        try {
            // Suspend the deadline: nothing is sent during the recording.
            deadline.stop();
            ProfileRequests.Outcome outcome =
                    ProfileRequests.record(exchange.getRequestURI().getRawQuery());
            deadline.restart();
            send(exchange, Answer.json(outcome.status(), outcome.json()));
        } finally {
            ProfileRequests.leave();
        }
    }

    private Answer api(HttpExchange exchange, String path, ResponseDeadline deadline) {
        try {
            return switch (path) {
                case "/api/state" -> ifRead(exchange, () -> Answer.json(subject.now()));
                case "/api/events" -> ifRead(exchange, () -> Answer.json(200, "{}"));
                case "/api/trend" -> ifRead(exchange, () -> Answer.json(subject.trend()));
                case HeapRequests.PATH -> heap(exchange, deadline);
                case "/api/timeline" ->
                    ifRead(exchange, () -> {
                        List<TimelineEntry> entries = subject.timeline();
                        return Answer.inParts(json -> Json.writeTimeline(json, entries));
                    });
                case "/api/control" -> control(exchange, deadline);
                default ->
                    Answer.error(
                            404,
                            "here are /, /api/state, /api/events, /api/trend, /api/timeline, /api/profile, /api/heap"
                                    + " and /api/control");
            };
        } catch (RuntimeException e) {
            LOG.warn("cannot answer {}", path, e);
            return Answer.error(500, "this request failed; the log says why");
        }
    }

    /** Creates the response to a read-only request. */
    @FunctionalInterface
    private interface Making {
        Answer make();
    }

    private static Answer ifRead(HttpExchange exchange, Making answer) {
        String method = exchange.getRequestMethod();
        if (method.equals("GET") || method.equals("HEAD")) {
            return answer.make();
        }
        exchange.getResponseHeaders().set("Allow", "GET, HEAD");
        return Answer.error(405, "only GET and HEAD");
    }

    private static Answer heap(HttpExchange exchange, ResponseDeadline deadline) {
        if (!exchange.getRequestMethod().equals("GET")) {
            exchange.getResponseHeaders().set("Allow", "GET");
            return Answer.error(405, "only GET");
        }
        // Suspend the deadline: nothing is sent while objects are counted.
        deadline.stop();
        try {
            ProfileRequests.Outcome outcome = HeapRequests.count();
            return Answer.json(outcome.status(), outcome.json());
        } finally {
            deadline.restart();
        }
    }

    private Answer control(HttpExchange exchange, ResponseDeadline deadline) {
        if (!exchange.getRequestMethod().equals("POST")) {
            exchange.getResponseHeaders().set("Allow", "POST");
            return Answer.error(405, "only POST");
        }
        try {
            byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
            if (body.length > MAX_BODY_BYTES) {
                return Answer.error(413, "a change has at most " + MAX_BODY_BYTES + " bytes");
            }
            Map<String, String> wanted = Json.settings(body);
            String by = exchange.getRequestHeaders().containsKey("Origin") ? "page" : "command";
            // Suspend the deadline: nothing is sent while the change is applied.
            deadline.stop();
            try {
                ControlReport report = subject.set(wanted, by);
                return Answer.inParts(json -> Json.writeReport(json, report));
            } finally {
                deadline.restart();
            }
        } catch (InterruptedException e) { // The console is being closed.
            Thread.currentThread().interrupt();
            return Answer.error(503, "the console is being closed");
        } catch (IOException e) {
            return Answer.error(
                    400, String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
        }
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        if (answer.parts != null) {
            sendParts(exchange, answer, answer.parts);
            return;
        }
        byte[] body = answer.body;
        exchange.getResponseHeaders().set("Content-Type", answer.type);
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().set("Content-Length", Integer.toString(body.length));
            exchange.sendResponseHeaders(answer.status, -1);
            return;
        }
        exchange.sendResponseHeaders(answer.status, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    private static void sendParts(HttpExchange exchange, Answer answer, Json.Fields parts) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", answer.type);
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(answer.status, -1);
            return;
        }
        exchange.sendResponseHeaders(answer.status, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            Json.write(out, parts);
        }
    }
}
