package dev.weir.cli.console;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.command.terminal.CliFailure;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A client of a process's console. Confined to one thread. */
public final class ConsoleClient implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Time limit for a change. A benchmark's change can pause a member process for ten minutes. */
    private static final Duration LONGEST_CHANGE = Duration.ofMinutes(11);

    private static final String STATE = "/api/state";

    private static final ObjectMapper JSON = new ObjectMapper();

    private final URI console;
    private final @Nullable String token;
    private final Duration patience;
    private final HttpClient http;

    /**
     * Creates a client.
     *
     * @param token the console's token, if it requires one
     */
    public ConsoleClient(URI console, @Nullable String token) {
        this(console, token, PATIENCE);
    }

    /** Creates a client with a time limit for an answer that takes the console no time to make. */
    ConsoleClient(URI console, @Nullable String token, Duration patience) {
        this.console = console;
        this.token = token;
        this.patience = patience;
        this.http = HttpClient.newBuilder()
                .proxy(HttpClient.Builder.NO_PROXY)
                .connectTimeout(patience)
                .build();
    }

    /** Requests a JSON answer. */
    public JsonNode get(String path) throws InterruptedException {
        return get(path, Duration.ZERO);
    }

    /** Requests a JSON answer. The server has {@code making} in addition to the usual time. */
    public JsonNode get(String path, Duration making) throws InterruptedException {
        JsonNode answer =
                send(HttpRequest.newBuilder(URI.create(console + path)).GET(), patience.plus(making));
        // Any server may answer with JSON. A console names its pipeline or lists the members of its fleet.
        if (path.equals(STATE)
                && !answer.path("pipeline").isTextual()
                && !answer.path("members").isArray()) {
            throw noConsole(null);
        }
        return answer;
    }

    /** Requests changes. The values are JSON strings, which the console parses. */
    JsonNode set(Map<String, String> settings) throws InterruptedException {
        // Read the state first: if the console does not answer, this fails sooner than the change.
        JsonNode ignored = get(STATE);
        ObjectNode body = JSON.createObjectNode();
        ObjectNode set = body.putObject("set");
        settings.forEach(set::put);
        JsonNode report = send(
                HttpRequest.newBuilder(URI.create(console + "/api/control"))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body.toString())),
                patience.plus(LONGEST_CHANGE));
        if (!report.path("applied").isObject()) {
            throw noConsole(null);
        }
        return report;
    }

    private JsonNode send(HttpRequest.Builder request, Duration limit) throws InterruptedException {
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        HttpResponse<String> answer = answer(request.build(), limit);
        JsonNode body;
        try {
            body = JSON.readTree(answer.body());
        } catch (JacksonException e) {
            throw noConsole(e);
        }
        if (answer.statusCode() == 401) {
            throw CliFailure.work(
                    "the console at " + console + " demands its token", "Name its file with --token-file.");
        }
        if (answer.statusCode() != 200) {
            throw CliFailure.work(
                    "the console at " + console + " refused with " + answer.statusCode() + ": "
                            + body.path("error").asText("no reason given"),
                    "");
        }
        if (!body.isObject()) {
            throw noConsole(null);
        }
        return body;
    }

    /** Limits the time for the whole answer. The timeout of a request ends with the headers of its answer. */
    private HttpResponse<String> answer(HttpRequest request, Duration limit) throws InterruptedException {
        CompletableFuture<HttpResponse<String>> answer = http.sendAsync(request, BodyHandlers.ofString());
        try {
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (!(cause instanceof IOException || cause instanceof TimeoutException)) {
                throw CliFailure.unexpected(cause);
            }
            throw CliFailure.work(
                    "no console answers at " + console + ": "
                            + (!(cause instanceof IOException io)
                                    ? "no answer within " + limit.toMillis() + " ms"
                                    : io instanceof ConnectException ? "nothing listens there" : CliFailure.reason(io)),
                    "Is the process still running?",
                    cause);
        } finally {
            boolean ignored = answer.cancel(true); // otherwise close() waits for it
        }
    }

    private CliFailure noConsole(@Nullable Exception cause) {
        return CliFailure.work(console + " is not a Weir console", "Use the address that the process printed.", cause);
    }

    @Override
    public void close() {
        http.close();
    }
}
