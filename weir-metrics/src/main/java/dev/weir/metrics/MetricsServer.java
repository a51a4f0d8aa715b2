package dev.weir.metrics;

import dev.weir.metrics.http.HostRule;
import dev.weir.metrics.http.HttpEndpoint;
import dev.weir.metrics.http.HttpLimits;
import dev.weir.stream.RunningPipeline;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP endpoint for Prometheus and health probes, read-only and without authentication. {@code /metrics} returns the
 * meters in Prometheus' text format; {@code /health/live} and {@code /health/ready} return 200 or 503 and the reason.
 * Thread-safe. Requires {@code micrometer-registry-prometheus}.
 *
 * <pre>{@code
 * MetricsServer server = MetricsServer.builder().port(9400).start(running);
 * }</pre>
 *
 * <p>By default, the server listens on loopback. Limits: 64 connections, 8 KiB for the request line and headers, and 10
 * seconds for a request or a response. Probes always get a response: an additional connection replaces the one that has
 * waited longest. Requests with an unknown server name are rejected with status 403; see {@link Builder#serverName}.
 * Requests never affect a pipeline.
 *
 * <p>Close the server after the pipelines.
 */
public final class MetricsServer implements AutoCloseable {

    private final PrometheusMeterRegistry registry;
    private final boolean ownRegistry;

    /** Meters of the garbage collector in this server's own registry; null for a registry of the caller. */
    private final @Nullable JvmGcMetrics collector;

    /** Meters of the Kafka clients, bound only to the server's own registry. */
    private final KafkaClientMeters clients = KafkaClientMeters.create();

    private final List<PipelineMetrics> shown = new CopyOnWriteArrayList<>();
    private final HttpEndpoint http;

    private MetricsServer(Builder settings) throws IOException {
        this.http = HttpEndpoint.open("weir-metrics", settings.host, settings.port, settings.patience);
        this.ownRegistry = settings.registry == null;
        this.registry =
                settings.registry == null ? new PrometheusMeterRegistry(PrometheusConfig.DEFAULT) : settings.registry;
        this.collector = ownRegistry ? bindProcess() : null;
        MetricsHandler handler =
                new MetricsHandler(new Scrapes(registry::scrape), this::health, HostRule.ofAddresses(settings.names()));
        http.start((exchange, deadline) -> handler.handle(exchange));
    }

    /** Binds the process meters for a dashboard. */
    private JvmGcMetrics bindProcess() {
        new UptimeMetrics().bindTo(registry); // Includes the start time, so that dashboards can detect a restart.
        new ProcessorMetrics().bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        DispatcherMetrics.of().bindTo(registry);
        clients.bindTo(registry);
        JvmGcMetrics pauses = new JvmGcMetrics();
        pauses.bindTo(registry);
        return pauses;
    }

    /** Returns settings for a server that listens on loopback and any free port, and has its own registry. */
    public static Builder builder() {
        return new Builder();
    }

    /** Adds a pipeline. */
    public void add(RunningPipeline pipeline) {
        add(PipelineMetrics.of(pipeline));
    }

    /**
     * Adds a pipeline whose metrics have custom settings. The metrics must not yet be bound to this server's registry.
     * The server closes the metrics when it closes. If the caller closes the metrics earlier, the pipeline no longer
     * affects the server's health.
     */
    public void add(PipelineMetrics metrics) {
        metrics.bindTo(registry);
        shown.add(metrics);
    }

    /** Adds further meters, for example the meters of dispatchers. */
    public void bind(MeterBinder meters) {
        meters.bindTo(registry);
    }

    /** Returns the port on which the server listens. */
    public int port() {
        return uri().getPort();
    }

    /** Returns the server's address, without a path, for clients on this machine. */
    public URI uri() {
        return http.uri();
    }

    private HealthReport health() {
        shown.removeIf(PipelineMetrics::isClosed);
        return HealthReport.of(shown.stream().map(PipelineMetrics::pipeline).toList());
    }

    /**
     * Closes the port, all connections and the metrics of the pipelines, and stops all threads. The pipelines continue.
     */
    @Override
    public void close() {
        http.close();
        shown.forEach(PipelineMetrics::close);
        clients.close();
        if (collector != null) {
            collector.close();
        }
        if (ownRegistry) {
            registry.close();
        }
    }

    @Override
    public String toString() {
        return "metrics at " + uri();
    }

    /** A builder of server settings. Not thread-safe. */
    public static final class Builder {

        private @Nullable String host;
        private int port;
        private @Nullable PrometheusMeterRegistry registry;
        private Duration patience = HttpLimits.MAX_RESPONSE;
        private final List<String> names = new ArrayList<>();

        private Builder() {}

        /**
         * Sets the address to listen on: a host name or IP address of this machine, or {@code 0.0.0.0} for all
         * addresses. Default: loopback.
         */
        public Builder host(String newHost) {
            this.host = Objects.requireNonNull(newHost, "host");
            return this;
        }

        /** Sets the port to listen on, 0 to 65535. Default: 0, any free port. */
        public Builder port(int newPort) {
            this.port = HttpEndpoint.checkPort(newPort);
            return this;
        }

        /**
         * Accepts an additional name in the {@code Host} header, for scrapers and probes that address the server by
         * name. By default, the server accepts IP addresses, {@code localhost}, the machine's own name and the name set
         * with {@link #host}. May be called several times.
         *
         * @param name a name without a port, such as {@code weir.example.com}, or {@code *.example.com} for each name
         *     that ends with {@code .example.com}
         * @throws IllegalArgumentException if the name is not a valid server name
         */
        public Builder serverName(String name) {
            names.add(HostRule.checkName(Objects.requireNonNull(name, "name")));
            return this;
        }

        private List<String> names() {
            List<String> all = new ArrayList<>(names);
            if (host != null) {
                all.add(host);
            }
            return all;
        }

        /** Sets the time limit for a request and a response, for tests. */
        Builder patience(Duration limit) {
            this.patience = limit;
            return this;
        }

        /**
         * Sets the application's registry, which the caller owns and closes. By default, the server has its own
         * registry with meters of CPUs, memory, threads, garbage collection, the shared dispatchers and the Kafka
         * clients.
         */
        public Builder registry(PrometheusMeterRegistry newRegistry) {
            this.registry = Objects.requireNonNull(newRegistry, "registry");
            return this;
        }

        /**
         * Starts a server for the given pipelines, to which more may be added. Without pipelines, the server is live
         * but not ready.
         *
         * @throws IOException if the address is unknown or the port is in use
         */
        public MetricsServer start(RunningPipeline... pipelines) throws IOException {
            for (RunningPipeline pipeline : Objects.requireNonNull(pipelines, "pipelines")) {
                Objects.requireNonNull(pipeline, "pipelines");
            }
            MetricsServer server = new MetricsServer(this);
            try {
                for (RunningPipeline pipeline : pipelines) {
                    server.add(pipeline);
                }
                return server;
            } catch (RuntimeException e) {
                server.close();
                throw e;
            }
        }
    }
}
