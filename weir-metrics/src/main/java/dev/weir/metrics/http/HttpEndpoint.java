package dev.weir.metrics.http;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An HTTP/1.1 server port with one platform thread per connection. New connections are always accepted, so that a probe
 * always gets a response. Once there are {@link HttpLimits#MAX_CONNECTIONS} connections, each new connection replaces
 * an existing one, preferably an idle one. Thread-safe. The caller of {@code open} closes the endpoint.
 */
public final class HttpEndpoint implements AutoCloseable {

    /** The highest port number. */
    public static final int MAX_PORT = 65_535;

    private static final Logger LOG = LoggerFactory.getLogger(HttpEndpoint.class);

    private static final int BACKLOG = 128;
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int CLOSE_SECONDS = 10;

    /** Handles requests, each on the thread of its connection. */
    @FunctionalInterface
    public interface Handler {

        /**
         * Handles one request. The exchange is closed afterwards.
         *
         * @param deadline the deadline for the response, which has already started; a streaming handler restarts it
         *     before each write and stops it afterwards
         */
        void handle(HttpExchange exchange, ResponseDeadline deadline) throws IOException;
    }

    private final String name;
    private final Duration patience;
    private final ServerSocket port;
    private final InetAddress address;
    private final URI uri;
    private final Connections connections = new Connections(HttpLimits.MAX_CONNECTIONS);
    private final ExecutorService requests;
    private final ScheduledThreadPoolExecutor timer;
    private volatile @Nullable Thread acceptor;

    private HttpEndpoint(String name, @Nullable String host, int port, Duration patience, ThreadFactory threads)
            throws IOException {
        this.name = name;
        this.patience = patience;
        this.address = host == null ? InetAddress.getLoopbackAddress() : InetAddress.getByName(host);
        this.port = new ServerSocket(port, BACKLOG, address);
        this.uri = uriOf(address, this.port.getLocalPort());
        this.requests = Executors.newThreadPerTaskExecutor(threads);
        this.timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name(name + "-deadlines").factory());
        timer.setRemoveOnCancelPolicy(true);
        timer.prestartCoreThread(); // the process may later have too many threads to start one
    }

    /**
     * Binds a port. Requests are handled only after {@link #start} is called.
     *
     * @param name the prefix of the endpoint's thread names
     * @param host a host name or IP address of this machine; null for loopback
     * @param port 0 to 65535; 0 for any free port
     * @throws IOException if the address is unknown or the port is in use
     */
    public static HttpEndpoint open(String name, @Nullable String host, int port) throws IOException {
        return open(name, host, port, HttpLimits.MAX_RESPONSE);
    }

    /** Binds a port like {@link #open(String, String, int)}, with a different time limit for requests and responses. */
    public static HttpEndpoint open(String name, @Nullable String host, int port, Duration patience)
            throws IOException {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(patience, "patience");
        // Use platform threads. Virtual threads would not run while computing handlers occupy all processors, and
        // Kubernetes restarts a pod whose probe gets no response.
        return open(
                name,
                host,
                port,
                patience,
                Thread.ofPlatform().daemon().name(name + "-request-", 0).factory());
    }

    /** Binds a port with the given threads for its connections. Tests pass threads that cannot be started. */
    static HttpEndpoint open(String name, @Nullable String host, int port, Duration patience, ThreadFactory threads)
            throws IOException {
        return new HttpEndpoint(name, host, port, patience, threads);
    }

    /** Starts handling requests on daemon threads, which do not keep the JVM alive. Must be called once. */
    public void start(Handler handler) {
        Connection.Service service = new Connection.Service(
                Objects.requireNonNull(handler, "handler"), timer, patience, patience, connections);
        acceptor = Thread.ofPlatform().daemon().name(name + "-accept").start(() -> accept(service));
    }

    private void accept(Connection.Service service) {
        boolean failing = false;
        while (!port.isClosed()) {
            try {
                serve(new Connection(port.accept(), service));
                failing = false;
            } catch (IOException | RuntimeException | Error e) { // nothing restarts this thread
                if (!port.isClosed()) {
                    recover(e, !failing);
                    failing = true;
                }
            }
        }
    }

    private void serve(Connection connection) {
        boolean isServed = false;
        try {
            connections.add(connection);
            requests.execute(connection);
            isServed = true;
        } finally {
            if (!isServed) {
                connection.cut();
                connections.remove(connection);
            }
        }
    }

    /**
     * Closes a connection to free a thread, file descriptor or memory for a probe, and waits a moment. Logs only the
     * first of several failures. Throws nothing.
     */
    private void recover(Throwable failure, boolean isFirst) {
        try {
            connections.makeRoom();
            if (isFirst) {
                LOG.warn("{} cannot accept a connection", this, failure);
            }
        } catch (RuntimeException | Error again) {
            // Without memory, logging fails too.
        }
        LockSupport.parkNanos(RETRY_NANOS);
    }

    private static URI uriOf(InetAddress address, int port) {
        // Clients cannot connect to the wildcard address; loopback reaches the same endpoint.
        InetAddress reached = address.isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : address;
        String host = reached.getHostAddress();
        return URI.create("http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
    }

    /** Returns the URI for connecting to this endpoint from the same machine. The URI has no path. */
    public URI uri() {
        return uri;
    }

    /** Returns whether the endpoint can be reached only from this machine. */
    public boolean isLoopback() {
        return address.isLoopbackAddress();
    }

    /** Rejects a port that is out of range. */
    public static int checkPort(int port) {
        if (port < 0 || port > MAX_PORT) {
            throw new IllegalArgumentException("port must be 0 to " + MAX_PORT + ": port=" + port);
        }
        return port;
    }

    /** Closes the port and all connections, interrupts current requests, and waits for their threads. */
    @Override
    public void close() {
        try {
            port.close();
        } catch (IOException e) {
            LOG.debug("cannot close the port of {}", this, e);
        }
        connections.close();
        requests.shutdownNow();
        timer.shutdownNow();
        boolean interrupted = false;
        try {
            Thread accepts = acceptor;
            if (accepts != null) {
                accepts.join(Duration.ofSeconds(CLOSE_SECONDS));
            }
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
