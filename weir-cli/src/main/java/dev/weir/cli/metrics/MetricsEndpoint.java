package dev.weir.cli.metrics;

import dev.weir.command.console.ListenAddress;
import dev.weir.command.terminal.CliFailure;
import dev.weir.metrics.MetricsServer;
import dev.weir.metrics.PipelineMetrics;
import dev.weir.stream.RunningPipeline;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The metrics server of one command, if requested. Thread-safe. Close it after the pipeline. */
public final class MetricsEndpoint implements AutoCloseable {

    private final @Nullable MetricsServer server;
    private final boolean partitions;

    private MetricsEndpoint(@Nullable MetricsServer server, boolean partitions) {
        this.server = server;
        this.partitions = partitions;
    }

    /**
     * Starts a server at {@code address}, or none if it is null. Requests may address it by {@code names}.
     *
     * @param partitions whether the server exports metrics for each partition
     */
    static MetricsEndpoint start(@Nullable ListenAddress address, List<String> names, boolean partitions) {
        if (address == null) {
            return new MetricsEndpoint(null, false);
        }
        MetricsServer.Builder settings = MetricsServer.builder().port(address.port());
        if (address.host() != null) {
            settings.host(address.host());
        }
        for (String name : names) {
            try {
                settings.serverName(name);
            } catch (IllegalArgumentException e) {
                throw CliFailure.badValue("--metrics-name", name, "a name as in a URL, without a port");
            }
        }
        MetricsServer started;
        try {
            started = settings.start();
        } catch (IOException e) {
            throw CliFailure.work(
                    "cannot listen on --metrics=" + address + ": " + CliFailure.reason(e),
                    "Choose an address of this machine and a port that is free; 0 is any.",
                    e);
        }
        return new MetricsEndpoint(started, partitions);
    }

    /** Returns the address from which the metrics are scraped; null if there is no server. */
    public @Nullable URI uri() {
        return server == null ? null : server.uri();
    }

    /** Exposes the command's pipeline. */
    public void show(RunningPipeline running) {
        if (server != null) {
            PipelineMetrics metrics = PipelineMetrics.of(running);
            server.add(partitions ? metrics.withPartitionTags() : metrics);
        }
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
    }
}
