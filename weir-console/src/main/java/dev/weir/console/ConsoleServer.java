package dev.weir.console;

import dev.weir.console.internal.control.Controls;
import dev.weir.console.internal.http.ConsoleHandler;
import dev.weir.console.internal.state.Looker;
import dev.weir.kafka.CircuitBreaker;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.LimiterProbe;
import dev.weir.metrics.http.HttpEndpoint;
import dev.weir.stream.RunningPipeline;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves a web page that shows and controls a running pipeline, in the pipeline's process. Thread-safe.
 *
 * <pre>{@code
 * ConsoleServer console = ConsoleServer.builder().port(9500).start(running);
 * }</pre>
 *
 * <p>By default, the server listens on loopback; any other address requires a token. It reads the pipeline's state once
 * a second, keeps the readings of the last 15 minutes, and accepts at most 64 connections. Requests can change only the
 * settings listed at {@link #set}.
 *
 * <p>The system property {@value #ADDRESS_PROPERTY} contains the server's address, so that {@code weir console PID}
 * finds it. Close the server after the pipeline.
 */
public final class ConsoleServer implements AutoCloseable {

    /** The system property that contains the address of the console that was started last and is still open. */
    public static final String ADDRESS_PROPERTY = "weir.console.address";

    /** The minimum length of a token. */
    public static final int MIN_TOKEN = 16;

    private final HttpEndpoint http;
    private final Controls controls;
    private final Looker looker;

    private ConsoleServer(Builder settings) throws IOException {
        this.http = settings.open();
        this.controls = new Controls(settings.breakers);
        this.looker = new Looker(controls);
        http.start(ConsoleHandler.ofPipeline(http.isLoopback(), settings.token, looker));
        OpenConsoles.add(http.uri());
    }

    /** Returns a builder with the default settings: loopback, any free port, no token. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Sets the text that the page shows as long as the console has no pipeline, for example
     * {@code Starting the brokers}. May be called again for each step.
     */
    public void announce(String step) {
        looker.announce(Objects.requireNonNull(step, "step"));
    }

    /**
     * Shows another pipeline and its limiter. The console starts a {@link LimiterProbe} for the pipeline, and closes
     * the probe when it shows another pipeline or is closed.
     */
    public void show(RunningPipeline pipeline) {
        looker.show(Objects.requireNonNull(pipeline, "pipeline"));
    }

    /**
     * Shows another pipeline, with a limiter that the caller provides, for example from a {@link LimiterProbe} that is
     * also used for a summary. The caller closes the probe.
     *
     * @param limiter called once a second on the console's thread; returns null while the limiter is unknown
     */
    public void show(RunningPipeline pipeline, Supplier<@Nullable Limiter> limiter) {
        looker.show(Objects.requireNonNull(pipeline, "pipeline"), Objects.requireNonNull(limiter, "limiter"));
    }

    /**
     * Changes settings of the running pipeline, as the page and {@code weir console --set} do. Changes need no restart,
     * and do not lose or duplicate records. The {@linkplain #timeline timeline} lists every change.
     *
     * @param settings the new values by key: {@code source.paused}, {@code source.rate} (records per second; 0 or off
     *     for no limit), {@code source.maxOutstandingRecords}, {@code source.bufferBytes},
     *     {@code partition.TOPIC-N.paused}, {@code stage.NAME.parallelism}, {@code dispatcher.NAME.size},
     *     {@code breaker.NAME} (open or closed), {@code log.LOGGER}
     */
    public ControlReport set(Map<String, String> settings) {
        return controls.set(new LinkedHashMap<>(Objects.requireNonNull(settings, "settings")), "code");
    }

    /** Returns the last 10,000 requested changes, oldest first. */
    public List<TimelineEntry> timeline() {
        return controls.timeline().entries();
    }

    /**
     * Returns a {@code client.id} with which {@code weir console --group} finds this console: {@code
     * PREFIX.console-PORT}. The command connects to the host that the brokers see. The console must listen on an
     * address of that host, and the command must be able to reach it.
     */
    public String clientId(String prefix) {
        return Objects.requireNonNull(prefix, "prefix") + ".console-"
                + http.uri().getPort();
    }

    /** The page's address on this machine. */
    public URI uri() {
        return http.uri();
    }

    /**
     * Closes the port and all connections, and stops all threads of the console. The pipeline continues with its
     * current settings.
     */
    @Override
    public void close() {
        OpenConsoles.remove(http.uri());
        looker.close();
        http.close();
    }

    @Override
    public String toString() {
        return "console at " + uri();
    }

    /** Builds and starts a console. Not thread-safe. */
    public static final class Builder {

        private @Nullable String host;
        private int port;
        private @Nullable String token;
        private final Map<String, CircuitBreaker> breakers = new LinkedHashMap<>();

        private Builder() {}

        /**
         * Sets the address to listen on: a host name or IP address of this machine, or {@code 0.0.0.0} for all
         * addresses. The default is loopback. Any other address requires a {@link #token}.
         */
        public Builder host(String newHost) {
            this.host = Objects.requireNonNull(newHost, "host");
            return this;
        }

        /** Sets the port to listen on: 0 to 65535. The default is 0, which selects a free port. */
        public Builder port(int newPort) {
            this.port = HttpEndpoint.checkPort(newPort);
            return this;
        }

        /**
         * Sets the token that each request must contain as {@code Authorization: Bearer TOKEN}, except for requests for
         * the page itself. The token is never shown or logged.
         *
         * @param newToken at least {@value ConsoleServer#MIN_TOKEN} ASCII characters without blanks
         */
        public Builder token(String newToken) {
            Objects.requireNonNull(newToken, "token");
            if (newToken.length() < MIN_TOKEN || newToken.chars().anyMatch(c -> c <= ' ' || c > '~')) {
                throw new IllegalArgumentException("a token must be at least " + MIN_TOKEN
                        + " letters, digits and signs of ASCII, without blanks: it has " + newToken.length());
            }
            this.token = newToken;
            return this;
        }

        /** Adds a circuit breaker that users of the console may open and close. */
        public Builder breaker(String name, CircuitBreaker breaker) {
            breakers.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(breaker, "breaker"));
            return this;
        }

        /**
         * Rejects invalid settings before a console is started, without opening a port. An unknown host name is
         * accepted here, because it may be resolvable by the time the console is started.
         *
         * @return this
         * @throws IllegalArgumentException if the address is not loopback and there is no token
         */
        public Builder check() {
            try {
                checkToken(host == null || InetAddress.getByName(host).isLoopbackAddress());
            } catch (UnknownHostException unknown) {
                // If the host is still unknown at the start, start() reports it.
            }
            return this;
        }

        private void checkToken(boolean isLoopback) {
            if (!isLoopback && token == null) {
                throw new IllegalArgumentException("a console beyond loopback needs a token: host=" + host);
            }
        }

        private HttpEndpoint open() throws IOException {
            HttpEndpoint http = HttpEndpoint.open("weir-console", host, port);
            try {
                checkToken(http.isLoopback());
            } catch (IllegalArgumentException refused) {
                http.close();
                throw refused;
            }
            return http;
        }

        /**
         * Starts a console for benchmark runs, which shows the metrics passed to it.
         *
         * @param name the name of the benchmark
         * @param orders executes commands from the page or {@code weir console --set}
         * @throws IOException if the address is unknown or the port is in use
         * @throws IllegalArgumentException if the address is not loopback and there is no token
         */
        public RunConsole startForRuns(String name, RunConsole.Orders orders) throws IOException {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(orders, "orders");
            return new RunConsole(open(), token, name, orders);
        }

        /**
         * Starts a page for several pipelines. The page shows the views passed to the returned console. Circuit
         * breakers of this builder are ignored.
         *
         * @throws IOException if the address is unknown or the port is in use
         * @throws IllegalArgumentException if the address is not loopback and there is no token
         */
        public FleetConsole startForFleet() throws IOException {
            return new FleetConsole(open(), token);
        }

        /**
         * Starts a console that does not show a pipeline yet.
         *
         * @throws IOException if the address is unknown or the port is in use
         * @throws IllegalArgumentException if the address is not loopback and there is no token
         */
        public ConsoleServer start() throws IOException {
            ConsoleServer console = new ConsoleServer(this);
            console.looker.start();
            return console;
        }

        /**
         * Starts a console that shows the given pipeline and its limiter.
         *
         * @throws IOException if the address is unknown or the port is in use
         * @throws IllegalArgumentException if the address is not loopback and there is no token
         */
        public ConsoleServer start(RunningPipeline pipeline) throws IOException {
            Objects.requireNonNull(pipeline, "pipeline");
            ConsoleServer console = new ConsoleServer(this);
            try {
                console.show(pipeline); // before the first reading
                console.looker.start();
                return console;
            } catch (RuntimeException | Error e) {
                console.close();
                throw e;
            }
        }
    }
}
