package dev.weir.cli.metrics;

import dev.weir.cli.terminal.CliFailure;
import dev.weir.metrics.MetricsServer;
import dev.weir.stream.RunningPipeline;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The server of metrics and probes of one command, or none. Thread-safe. Close it after the pipeline. */
public final class MetricsEndpoint implements AutoCloseable {

    private final @Nullable MetricsServer server;

    private MetricsEndpoint(@Nullable MetricsServer server) {
        this.server = server;
    }

    /** Starts one at {@code address}, which answers to {@code names} too; without an address it does nothing. */
    static MetricsEndpoint start(@Nullable ListenAddress address, List<String> names) {
        if (address == null) {
            return new MetricsEndpoint(null);
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
        return new MetricsEndpoint(started);
    }

    /** Where it is scraped, or null if there is none. */
    public @Nullable URI uri() {
        return server == null ? null : server.uri();
    }

    /** Shows the pipeline of the command. */
    public void show(RunningPipeline running) {
        if (server != null) {
            server.add(running);
        }
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
    }
}
