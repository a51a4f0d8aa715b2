package dev.weir.metrics.http;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client connection. Reads requests one after the other and handles them, all on the connection's own thread.
 * {@link #cut}, {@link #state} and {@link #ageNanos} may be called by any thread.
 */
final class Connection implements Runnable {

    /** The state of a connection. */
    enum State {
        /** No complete request has arrived yet. */
        WAITING,
        /** A response is being written, as fast as the client reads it. */
        WRITING,
        /** A response is being prepared. */
        WORKING
    }

    /** Objects that all connections of an endpoint use. */
    record Service(
            HttpEndpoint.Handler handler,
            ScheduledExecutorService timer,
            Duration maxRequest,
            Duration maxResponse,
            Connections connections) {}

    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    /** Time for the client to read the last response and to close the connection. Then the server closes it. */
    private static final Duration LINGER = Duration.ofSeconds(1);

    private static final int MOST_LINGER_BYTES = 64 * 1024;

    private final Socket socket;
    private final Service service;

    private volatile State state = State.WAITING;
    private volatile long sinceNanos = System.nanoTime();
    private volatile boolean cut;
    private volatile @Nullable Thread thread;

    Connection(Socket socket, Service service) {
        this.socket = socket;
        this.service = service;
    }

    State state() {
        return state;
    }

    /** Returns the time since the current state was last entered. */
    long ageNanos() {
        return System.nanoTime() - sinceNanos;
    }

    void isNow(State newState) {
        sinceNanos = System.nanoTime();
        state = newState;
    }

    /** Closes the connection and interrupts its current work. */
    void cut() {
        cut = true;
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("cannot close a connection", e);
        }
        Thread runs = thread;
        if (runs != null) {
            runs.interrupt();
        }
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        try (socket) {
            socket.setTcpNoDelay(true);
            RequestReader requests = new RequestReader(socket);
            OutputStream out = new BufferedOutputStream(socket.getOutputStream());
            Duration idle = service.maxRequest;
            while (!cut && answerNext(requests, out, idle)) {
                isNow(State.WAITING);
                idle = HttpLimits.MAX_IDLE;
            }
        } catch (IOException e) { // The client is gone, was too slow, or was cut off.
            LOG.debug("a connection has ended", e);
        } finally {
            service.connections.remove(this);
        }
    }

    /** Handles one request. Returns whether another may follow. */
    private boolean answerNext(RequestReader requests, OutputStream out, Duration idle) throws IOException {
        Request request;
        try {
            request = requests.next(idle, service.maxRequest);
        } catch (RequestException e) {
            refuse(out, e);
            return false;
        }
        if (request == null) {
            return false;
        }
        Exchange exchange = new Exchange(socket, request, requests.body(request, out), out);
        ResponseDeadline deadline = new ResponseDeadline(service.timer, service.maxResponse, this);
        try (exchange) {
            service.handler.handle(exchange, deadline);
        } catch (RuntimeException e) {
            LOG.warn("cannot answer {}", request.target().getPath(), e);
            return false;
        } finally {
            deadline.stop();
        }
        boolean more = exchange.isReusable() && requests.skipBody(HttpLimits.MAX_SKIPPED_BYTES);
        if (!more) {
            linger();
        }
        return more;
    }

    private void refuse(OutputStream out, RequestException e) throws IOException {
        byte[] body = (e.getMessage() + "\n").getBytes(StandardCharsets.US_ASCII);
        out.write(("HTTP/1.1 " + e.status() + " " + Exchange.phrase(e.status())
                        + "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " + body.length
                        + "\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        out.write(body);
        out.flush();
        linger();
    }

    /**
     * Lets the client read the last response before the connection is closed. TCP resets a connection that is closed
     * with unread request bytes, and the client might lose the response.
     */
    private void linger() throws IOException {
        isNow(State.WAITING);
        socket.shutdownOutput();
        socket.setSoTimeout((int) LINGER.toMillis());
        InputStream in = socket.getInputStream();
        byte[] skipped = new byte[1024];
        long end = System.nanoTime() + LINGER.toNanos();
        int read;
        int total = 0;
        while (total < MOST_LINGER_BYTES && System.nanoTime() < end && (read = in.read(skipped)) >= 0) {
            total += read;
        }
    }
}
