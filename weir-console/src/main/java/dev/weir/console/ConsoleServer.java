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
 * A web page that shows and controls a running pipeline, served by the pipeline's process. Thread-safe.
 *
 * <pre>{@code
 * ConsoleServer console = ConsoleServer.builder().port(9500).start(running);
 * }</pre>
 *
 * <p>It listens on loopback by default; other addresses require a token. It reads the pipeline once a second, keeps
 * readings for 15 minutes, and accepts at most 64 connections. Requests affect the pipeline only through the changes
 * that {@link #set} lists.
 *
 * <p>The system property {@value #ADDRESS_PROPERTY} contains its address, so that {@code weir console PID} finds it.
 * Close it after the pipeline.
 */
public final class ConsoleServer implements AutoCloseable {

    /** The system property with the address of the console that was started last. */
    public static final String ADDRESS_PROPERTY = "weir.console.address";

    /** Smallest length of a token. */
    public static final int MIN_TOKEN = 16;

    private final HttpEndpoint http;
    private final Controls controls;
    private final Looker looker;

    private ConsoleServer(Builder settings) throws IOException {
        this.http = settings.open();
        this.controls = new Controls(settings.breakers);
        this.looker = new Looker(controls);
        http.start(ConsoleHandler.ofPipeline(http.isLoopback(), settings.token, looker));
        System.setProperty(ADDRESS_PROPERTY, http.uri().toString());
    }

    /** Settings of a console: loopback, any free port, no token. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Shows what the process is doing until there is a pipeline, for example {@code Starting the brokers}. May be
     * called again for the next step.
     */
    public void announce(String step) {
        looker.announce(Objects.requireNonNull(step, "step"));
    }

    /**
     * Switches to this pipeline and shows its limiter. The console starts a {@link LimiterProbe} for it, and closes the
     * probe when it shows another pipeline or is closed.
     */
    public void show(RunningPipeline pipeline) {
        looker.show(Objects.requireNonNull(pipeline, "pipeline"));
    }

    /**
     * Switches to this pipeline, with a limiter from the caller, for instance from a {@link LimiterProbe} that a
     * summary needs too. The caller closes the probe.
     *
     * @param limiter called once a second, on the console's thread; returns null while the limiter is unknown
     */
    public void show(RunningPipeline pipeline, Supplier<@Nullable Limiter> limiter) {
        looker.show(Objects.requireNonNull(pipeline, "pipeline"), Objects.requireNonNull(limiter, "limiter"));
    }

    /**
     * Changes settings of the running pipeline, as the page and {@code weir console --set} do. No restart is needed,
     * and no record is lost or duplicated. The {@linkplain #timeline timeline} lists each change.
     *
     * @param settings by key: {@code source.paused}, {@code source.rate} (records a second; 0 or off for no limit),
     *     {@code partition.TOPIC-N.paused}, {@code stage.NAME.parallelism}, {@code dispatcher.NAME.size},
     *     {@code breaker.NAME} (open or closed), {@code log.LOGGER}
     */
    public ControlReport set(Map<String, String> settings) {
        return controls.set(new LinkedHashMap<>(Objects.requireNonNull(settings, "settings")), "code");
    }

    /** The last 10,000 requested changes, oldest first. */
    public List<TimelineEntry> timeline() {
        return controls.timeline().entries();
    }

    /**
     * A {@code client.id} from which {@code weir console --group} finds this console: {@code PREFIX.console-PORT}. The
     * host is the one that the brokers see, so the console must listen on a reachable address.
     *
     * @param prefix of the ID, for example the name of the service
     */
    public String clientId(String prefix) {
        return Objects.requireNonNull(prefix, "prefix") + ".console-"
                + http.uri().getPort();
    }

    /** The address of the page on this machine. */
    public URI uri() {
        return http.uri();
    }

    /** Closes the port and all connections and ends all threads. The pipeline continues with its current settings. */
    @Override
    public void close() {
        boolean ignored =
                System.getProperties().remove(ADDRESS_PROPERTY, http.uri().toString());
        looker.close();
        http.close();
    }

    @Override
    public String toString() {
        return "console at " + uri();
    }

    /** Settings of a console. Not thread-safe. */
    public static final class Builder {

        private @Nullable String host;
        private int port;
        private @Nullable String token;
        private final Map<String, CircuitBreaker> breakers = new LinkedHashMap<>();

        private Builder() {}

        /**
         * The address to listen on: a host name or IP address of this machine, {@code 0.0.0.0} for all. Default:
         * loopback. Other addresses need a {@link #token}.
         */
        public Builder host(String newHost) {
            this.host = Objects.requireNonNull(newHost, "host");
            return this;
        }

        /** The port to listen on, 0 to 65535. Default: 0, any free port. */
        public Builder port(int newPort) {
            this.port = HttpEndpoint.checkPort(newPort);
            return this;
        }

        /**
         * Sets the token required by each request except for the page itself, as {@code Authorization: Bearer TOKEN}.
         * Never shown or logged.
         *
         * @param newToken at least {@value ConsoleServer#MIN_TOKEN} characters without blanks
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

        /** Lets users of the console open and close a breaker. */
        public Builder breaker(String name, CircuitBreaker breaker) {
            breakers.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(breaker, "breaker"));
            return this;
        }

        /**
         * Refuses invalid settings before a console is started. Opens no port. An unknown host passes, because it may
         * be known when the console starts.
         *
         * @return this
         * @throws IllegalArgumentException if the address is beyond loopback and there is no token
         */
        public Builder check() {
            try {
                checkToken(host == null || InetAddress.getByName(host).isLoopbackAddress());
            } catch (UnknownHostException unknown) {
                // The start reports it.
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
         * Starts a console for benchmark runs, which shows the figures passed to it.
         *
         * @param name of the benchmark
         * @param orders executes requests from the page or {@code weir console --set}
         * @throws IOException if the address is unknown or the port taken
         * @throws IllegalArgumentException if it is beyond loopback and there is no token
         */
        public RunConsole startForRuns(String name, RunConsole.Orders orders) throws IOException {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(orders, "orders");
            return new RunConsole(open(), token, name, orders);
        }

        /**
         * Starts a page for many pipelines, which shows the views passed to it. Breakers do not apply.
         *
         * @throws IOException if the address is unknown or the port taken
         * @throws IllegalArgumentException if it is beyond loopback and there is no token
         */
        public FleetConsole startForFleet() throws IOException {
            return new FleetConsole(open(), token);
        }

        /**
         * Starts a console that shows no pipeline yet.
         *
         * @throws IOException if the address is unknown or the port taken
         * @throws IllegalArgumentException if it is beyond loopback and there is no token
         */
        public ConsoleServer start() throws IOException {
            ConsoleServer console = new ConsoleServer(this);
            console.looker.start();
            return console;
        }

        /**
         * Starts a console that shows this pipeline and its limiter.
         *
         * @throws IOException if the address is unknown or the port taken
         * @throws IllegalArgumentException if it is beyond loopback and there is no token
         */
        public ConsoleServer start(RunningPipeline pipeline) throws IOException {
            Objects.requireNonNull(pipeline, "pipeline");
            ConsoleServer console = new ConsoleServer(this);
            console.show(pipeline); // Before the first reading.
            console.looker.start();
            return console;
        }
    }
}
