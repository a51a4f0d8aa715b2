package dev.weir.console.internal.http;

import com.sun.net.httpserver.HttpExchange;
import dev.weir.console.internal.state.History;
import dev.weir.metrics.http.ResponseDeadline;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Sends readings to clients as server-sent events (HTML standard, section 9.2). A client gets the history that it has
 * not seen, and then one reading per second. An event's id is the number of its reading. An event named {@code state}
 * with the full state follows the newest reading. Thread-safe.
 */
final class EventStream {

    /** Maximum number of clients. Some connections are left for other requests. */
    static final int MOST_READERS = 32;

    private static final byte[] STATE = "event: state\ndata: ".getBytes(StandardCharsets.UTF_8);

    /** Time without readings after which a comment is sent. It finds out whether the client is still there. */
    private static final Duration QUIET = Duration.ofSeconds(15);

    private static final byte[] COMMENT = ":\n\n".getBytes(StandardCharsets.UTF_8);

    private final History history;
    private final Duration quiet;
    private final Semaphore readers = new Semaphore(MOST_READERS);

    EventStream(History history) {
        this(history, QUIET);
    }

    /** Creates a stream with another time until a comment is sent, for tests. */
    EventStream(History history, Duration quiet) {
        this.history = history;
        this.quiet = quiet;
    }

    /** Reserves a slot for a client. If true, {@link #send} must be called. */
    boolean enter() {
        return readers.tryAcquire();
    }

    /** Sends events until the client disconnects or the console closes, and releases the slot of {@link #enter}. */
    void send(HttpExchange exchange, ResponseDeadline deadline) throws IOException {
        try {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
            exchange.sendResponseHeaders(200, 0);
            OutputStream out = exchange.getResponseBody();
            out.write("retry: 1000\n\n".getBytes(StandardCharsets.UTF_8));
            stream(out, seen(exchange.getRequestHeaders().getFirst("Last-Event-ID")), deadline);
            out.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            readers.release();
        }
    }

    private void stream(OutputStream out, long seenBefore, ResponseDeadline deadline)
            throws IOException, InterruptedException {
        long seen = seenBefore;
        while (true) {
            deadline.stop();
            History.News news = history.after(seen, quiet);
            if (news == null) {
                return;
            }
            deadline.restart();
            if (news.entries().isEmpty()) {
                out.write(COMMENT);
                out.flush();
                continue;
            }
            for (History.Entry entry : news.entries()) {
                out.write(("id: " + entry.number() + "\ndata: " + entry.text() + "\n\n")
                        .getBytes(StandardCharsets.UTF_8));
                seen = entry.number();
            }
            out.write(STATE);
            out.write(news.state());
            out.write('\n');
            out.flush();
        }
    }

    private static long seen(@Nullable String lastEventId) {
        return lastEventId != null && lastEventId.matches("[0-9]{1,18}") ? Long.parseLong(lastEventId) : 0;
    }
}
