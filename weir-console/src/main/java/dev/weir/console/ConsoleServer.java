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
 * A page that shows a running pipeline and steers it, served by the process that runs it. Thread-safe.
 *
 * <pre>{@code
 * ConsoleServer console = ConsoleServer.builder().port(9500).start(running);
 * }</pre>
 *
 * <p>It listens on loopback unless told otherwise; beyond that it demands a token. It looks at the pipeline once a
 * second, keeps 15 minutes of looks, and takes at most 64 connections. What is sent to the port never reaches a
 * pipeline, but for the changes that {@link #set} lists.
 *
 * <p>Its address stands in the system property {@value #ADDRESS_PROPERTY}, so that {@code weir console PID} finds it.
 * Close it after the pipeline.
 */
public final class ConsoleServer implements AutoCloseable {

    /** The system property that has the address of the console that was started last. */
    public static final String ADDRESS_PROPERTY = "weir.console.address";

    /** Characters of a token at least. */
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
     * Says what the process is doing until there is a pipeline to show, for example {@code Starting the brokers}. May
     * be called again for the next step.
     */
    public void announce(String step) {
        looker.announce(Objects.requireNonNull(step, "step"));
    }

    /**
     * Shows this pipeline from now on, instead of the one before, and what limits it. The console starts a
     * {@link LimiterProbe} for it, and closes that when it shows another pipeline or is closed itself.
     */
    public void show(RunningPipeline pipeline) {
        looker.show(Objects.requireNonNull(pipeline, "pipeline"));
    }

    /**
     * Shows this pipeline from now on, with a limiter that the caller finds, such as a {@link LimiterProbe} that is
     * needed for a summary as well. The caller closes that.
     *
     * @param limiter asked once a second, on the console's thread; null as long as that is not known
     */
    public void show(RunningPipeline pipeline, Supplier<@Nullable Limiter> limiter) {
        looker.show(Objects.requireNonNull(pipeline, "pipeline"), Objects.requireNonNull(limiter, "limiter"));
    }

    /**
     * Changes the pipeline while it runs, as the page and {@code weir console --set} do; without a restart, and
     * nothing is lost or doubled. Each change stands in the {@linkplain #timeline timeline}.
     *
     * @param settings by key: {@code source.paused}, {@code source.rate} (records a second; 0 or off for no limit),
     *     {@code partition.TOPIC-N.paused}, {@code stage.NAME.parallelism}, {@code dispatcher.NAME.size},
     *     {@code breaker.NAME} (open or closed), {@code log.LOGGER}
     */
    public ControlReport set(Map<String, String> settings) {
        return controls.set(new LinkedHashMap<>(Objects.requireNonNull(settings, "settings")), "code");
    }

    /** The changes that were asked for, oldest first; the last 10,000. */
    public List<TimelineEntry> timeline() {
        return controls.timeline().entries();
    }

    /**
     * A {@code client.id} that tells {@code weir console --group} where this console is: {@code PREFIX.console-PORT}.
     * The host is the one that the brokers see, so the console must listen on an address that others reach.
     *
     * @param prefix of the id, for example the name of the service
     */
    public String clientId(String prefix) {
        return Objects.requireNonNull(prefix, "prefix") + ".console-"
                + http.uri().getPort();
    }

    /** The address of the page on this machine. */
    public URI uri() {
        return http.uri();
    }

    /** Closes the port and all connections and ends all threads. The pipeline goes on, as it was set. */
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
         * The address to listen on: a name or a number of this machine, {@code 0.0.0.0} for all. Default: loopback.
         * Any other needs a {@link #token}.
         */
        public Builder host(String newHost) {
            this.host = Objects.requireNonNull(newHost, "host");
            return this;
        }

        /** The port to listen on, 0 to 65535. Default: 0, any that is free. */
        public Builder port(int newPort) {
            this.port = HttpEndpoint.checkPort(newPort);
            return this;
        }

        /**
         * Demanded of each request but for the page itself, as {@code Authorization: Bearer TOKEN}. Never shown or
         * logged.
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
         * Refuses settings that no console may have, before one is started. Opens no port. A host that is not known
         * here passes: it may be known when the console starts.
         *
         * @return this
         * @throws IllegalArgumentException if the address is beyond loopback and there is no token
         */
        public Builder check() {
            try {
                checkToken(host == null || InetAddress.getByName(host).isLoopbackAddress());
            } catch (UnknownHostException unknown) {
                // Whoever starts it is told.
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
         * Starts a console of the runs of a benchmark, which shows what it is told.
         *
         * @param name of what is run
         * @param orders does what the page or {@code weir console --set} asks for
         * @throws IOException if the address is unknown or the port taken
         * @throws IllegalArgumentException if it is beyond loopback and there is no token
         */
        public RunConsole startForRuns(String name, RunConsole.Orders orders) throws IOException {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(orders, "orders");
            return new RunConsole(open(), token, name, orders);
        }

        /**
         * Starts a page over many pipelines, which shows what it is given. Breakers have no meaning for it.
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
         * Starts a console that shows this pipeline and what limits it.
         *
         * @throws IOException if the address is unknown or the port taken
         * @throws IllegalArgumentException if it is beyond loopback and there is no token
         */
        public ConsoleServer start(RunningPipeline pipeline) throws IOException {
            Objects.requireNonNull(pipeline, "pipeline");
            ConsoleServer console = new ConsoleServer(this);
            console.show(pipeline); // Before the first look.
            console.looker.start();
            return console;
        }
    }
}
