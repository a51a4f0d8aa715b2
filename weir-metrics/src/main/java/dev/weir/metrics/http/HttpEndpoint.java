package dev.weir.metrics.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A port of the JDK's HTTP server. Each request has a virtual thread and {@link HttpLimits#MAX_RESPONSE} to be answered
 * and read. Thread-safe. Its opener closes it.
 */
public final class HttpEndpoint implements AutoCloseable {

    /** The highest port there is. */
    public static final int MAX_PORT = 65_535;

    private static final int BACKLOG = 64;
    private static final int CLOSE_SECONDS = 10;

    /** Answers requests, each on its own thread. */
    @FunctionalInterface
    public interface Handler {

        /**
         * Answers one request. The exchange is closed afterwards.
         *
         * @param deadline runs already; a stream restarts it before each write and stops it after
         */
        void handle(HttpExchange exchange, ResponseDeadline deadline) throws IOException;
    }

    private final String name;
    private final Duration maxResponse;
    private final HttpServer http;
    private final InetAddress address;
    private final URI uri;
    private final ExecutorService requests;
    private final ScheduledThreadPoolExecutor timer;

    private HttpEndpoint(String name, @Nullable String host, int port, Duration maxResponse) throws IOException {
        HttpLimits.set();
        this.name = name;
        this.maxResponse = maxResponse;
        this.address = host == null ? InetAddress.getLoopbackAddress() : InetAddress.getByName(host);
        this.http = HttpServer.create(new InetSocketAddress(address, port), BACKLOG);
        this.uri = uriOf(address, http.getAddress().getPort());
        this.requests = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name(name + "-request-", 0).factory());
        this.timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name(name + "-deadlines").factory());
        timer.setRemoveOnCancelPolicy(true);
    }

    /**
     * Takes a port; nothing is answered before {@link #start}.
     *
     * @param name begins the names of its threads
     * @param host a name or number of this machine; null for loopback
     * @param port 0 to 65535; 0 is any that is free
     * @throws IOException if the address is unknown or the port taken
     */
    public static HttpEndpoint open(String name, @Nullable String host, int port) throws IOException {
        return open(name, host, port, HttpLimits.MAX_RESPONSE);
    }

    /** Takes a port as {@link #open(String, String, int)}, with another time for a response. */
    public static HttpEndpoint open(String name, @Nullable String host, int port, Duration maxResponse)
            throws IOException {
        return new HttpEndpoint(
                Objects.requireNonNull(name, "name"), host, port, Objects.requireNonNull(maxResponse, "maxResponse"));
    }

    /** Begins to answer. Once. */
    public void start(Handler handler) {
        Objects.requireNonNull(handler, "handler");
        http.setExecutor(requests);
        http.createContext("/", exchange -> {
            ResponseDeadline deadline = new ResponseDeadline(timer, maxResponse);
            try (exchange) {
                handler.handle(exchange, deadline);
            } finally {
                deadline.stop();
            }
        });
        startDispatcher();
    }

    /**
     * Its thread is a daemon if it is started by one, so that a server which nobody closes keeps no JVM from ending.
     */
    private void startDispatcher() {
        FutureTask<Void> start = new FutureTask<>(http::start, null);
        Thread starter = Thread.ofPlatform().daemon().name(name + "-start").start(start);
        boolean interrupted = false;
        while (true) {
            try {
                starter.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        start.resultNow();
    }

    private static URI uriOf(InetAddress address, int port) {
        // Nobody can connect to "any address"; loopback is one of those it stands for.
        InetAddress reached = address.isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : address;
        String host = reached.getHostAddress();
        return URI.create("http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
    }

    /** Where it is reached from this machine, without a path. */
    public URI uri() {
        return uri;
    }

    /** Whether only this machine reaches it. */
    public boolean isLoopback() {
        return address.isLoopbackAddress();
    }

    /** Refuses a port out of bounds. */
    public static int checkPort(int port) {
        if (port < 0 || port > MAX_PORT) {
            throw new IllegalArgumentException("port must be 0 to " + MAX_PORT + ": port=" + port);
        }
        return port;
    }

    /** Closes the port and all connections, interrupts the requests under way and awaits their threads. */
    @Override
    public void close() {
        http.stop(0);
        requests.shutdownNow();
        timer.shutdownNow();
        boolean interrupted = false;
        try {
            requests.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return name + " at " + uri;
    }
}
