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
 * An HTTP endpoint for Prometheus and for health probes, read-only and without a token: {@code /metrics} in Prometheus'
 * text format; {@code /health/live} and {@code /health/ready}, which answer 200 or 503 and say why. Thread-safe. Needs
 * {@code micrometer-registry-prometheus}.
 *
 * <pre>{@code
 * MetricsServer server = MetricsServer.builder().port(9400).start(running);
 * }</pre>
 *
 * <p>It listens on loopback by default. Limits: 64 connections, 8 KiB of request line and headers, 10 seconds for a
 * request or a response. Probes are always answered: an additional connection replaces the one that has waited longest.
 * Requests under an unknown server name are refused with 403; see {@link Builder#serverName}. Requests never affect a
 * pipeline.
 *
 * <p>Close it after the pipelines.
 */
public final class MetricsServer implements AutoCloseable {

    private final PrometheusMeterRegistry registry;
    private final boolean ownRegistry;

    /** Meters of the garbage collector in this server's own registry; null if the registry is the caller's. */
    private final @Nullable JvmGcMetrics collector;

    /** Bound only to this server's own registry. */
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

    /** Binds the process meters that a dashboard needs. */
    private JvmGcMetrics bindProcess() {
        new UptimeMetrics().bindTo(registry); // a new start time means a restart
        new ProcessorMetrics().bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        DispatcherMetrics.of().bindTo(registry);
        clients.bindTo(registry);
        JvmGcMetrics pauses = new JvmGcMetrics();
        pauses.bindTo(registry);
        return pauses;
    }

    /** Settings of a server: loopback, any free port, a registry of its own. */
    public static Builder builder() {
        return new Builder();
    }

    /** Adds a pipeline. */
    public void add(RunningPipeline pipeline) {
        add(PipelineMetrics.of(pipeline));
    }

    /**
     * Adds a pipeline whose metrics have custom settings and are not yet bound to this server's registry. The server
     * closes them. If they are closed earlier, the pipeline no longer counts for health.
     */
    public void add(PipelineMetrics metrics) {
        metrics.bindTo(registry);
        shown.add(metrics);
    }

    /** Adds further meters, for instance of dispatchers. */
    public void bind(MeterBinder meters) {
        meters.bindTo(registry);
    }

    /** The port that it listens on. */
    public int port() {
        return uri().getPort();
    }

    /** The address on this machine, without a path. */
    public URI uri() {
        return http.uri();
    }

    private HealthReport health() {
        shown.removeIf(PipelineMetrics::isClosed);
        return HealthReport.of(shown.stream().map(PipelineMetrics::pipeline).toList());
    }

    /** Closes the port, all connections and the metrics of the pipelines; ends all threads. The pipelines continue. */
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

    /** Settings of a server. Not thread-safe. */
    public static final class Builder {

        private @Nullable String host;
        private int port;
        private @Nullable PrometheusMeterRegistry registry;
        private Duration patience = HttpLimits.MAX_RESPONSE;
        private final List<String> names = new ArrayList<>();

        private Builder() {}

        /**
         * The address to listen on: a host name or IP address of this machine, {@code 0.0.0.0} for all. Default:
         * loopback.
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
         * Also accepts this name in the {@code Host} header, for scrapers and probes that address the server by name.
         * Default: IP addresses, {@code localhost}, the machine's own name and {@link #host}'s. May be called
         * several times.
         *
         * @param name without a port, such as {@code weir.example.com}, or {@code *.example.com} for each name that
         *     ends in {@code .example.com}
         * @throws IllegalArgumentException if it is not a valid server name
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

        /** Sets the time for a request and a response; for tests. */
        Builder patience(Duration limit) {
            this.patience = limit;
            return this;
        }

        /**
         * Sets the application's registry, which the caller keeps and closes. Default: a registry of the server, with
         * meters of processors, memory, threads, garbage collector, the shared dispatchers and the Kafka clients.
         */
        public Builder registry(PrometheusMeterRegistry newRegistry) {
            this.registry = Objects.requireNonNull(newRegistry, "registry");
            return this;
        }

        /**
         * Starts a server that shows these pipelines; more may be added. Without pipelines it is live but not ready.
         *
         * @throws IOException if the address is unknown or the port taken
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
