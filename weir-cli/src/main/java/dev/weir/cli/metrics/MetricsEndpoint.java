package dev.weir.cli.metrics;

import dev.weir.cli.terminal.CliFailure;
import dev.weir.cli.terminal.CommandContext;
import dev.weir.metrics.MetricsServer;
import dev.weir.stream.RunningPipeline;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The server of metrics and probes of one command, or none. Thread-safe. Close it after the pipeline. */
public final class MetricsEndpoint implements AutoCloseable {

    private final @Nullable MetricsServer server;

    private MetricsEndpoint(@Nullable MetricsServer server) {
        this.server = server;
    }

    /**
     * Starts one at {@code address} and tells where: a note, and with {@code json} the line that programs wait for. Without an
     * address it does and tells nothing.
     */
    static MetricsEndpoint start(@Nullable ListenAddress address, CommandContext weir, boolean json) {
        if (address == null) {
            return new MetricsEndpoint(null);
        }
        MetricsServer.Builder settings = MetricsServer.builder().port(address.port());
        if (address.host() != null) {
            settings.host(address.host());
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
        weir.terminal().note("weir: metrics " + started.uri());
        if (json) {
            weir.json().write(line -> {
                line.writeStringField("event", "started");
                line.writeNumberField("pid", ProcessHandle.current().pid());
                line.writeNullField("console");
                line.writeStringField("metrics", started.uri().toString());
            });
        }
        return new MetricsEndpoint(started);
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
