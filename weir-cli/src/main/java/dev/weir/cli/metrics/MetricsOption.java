package dev.weir.cli.metrics;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --metrics}, for commands that run a pipeline. Filled by picocli, then read only. */
public final class MetricsOption {

    @Option(
            names = "--metrics",
            paramLabel = "[HOST:]PORT",
            converter = ListenAddress.Converter.class,
            description = "Serve /metrics for Prometheus, /health/live and /health/ready there; port 0 is any that is"
                    + " free. Read-only and without a token, so on loopback unless a host is given.")
    private @Nullable ListenAddress address;

    /** Whether an address was given. */
    public boolean isGiven() {
        return address != null;
    }

    /** Starts what was asked for. */
    public MetricsEndpoint start() {
        return MetricsEndpoint.start(address);
    }
}
