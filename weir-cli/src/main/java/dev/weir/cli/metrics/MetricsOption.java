package dev.weir.cli.metrics;

import dev.weir.command.console.ListenAddress;
import dev.weir.command.terminal.CliFailure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --metrics}, for commands that run a pipeline. Only picocli sets the fields. */
public final class MetricsOption {

    @Option(
            names = "--metrics",
            paramLabel = "[HOST:]PORT",
            converter = ListenAddress.Converter.class,
            description = "Serve /metrics for Prometheus, /health/live and /health/ready there; port 0 is any that is"
                    + " free. Read-only and without a token, so on loopback unless a host is given.")
    private @Nullable ListenAddress address;

    @Option(
            names = "--metrics-name",
            paramLabel = "NAME",
            description = "A name under which scrapers and probes call the server of --metrics, such as"
                    + " weir.example.com or *.example.com; can be repeated. Addresses in numbers, localhost and the"
                    + " machine's own name need none.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--metrics-partitions",
            description = "Serve meters of each partition too, at --metrics: one series of each per partition. The"
                    + " dashboard has panels for them.")
    private boolean partitions;

    /** Returns whether an address was given. */
    public boolean isGiven() {
        return address != null;
    }

    /** Starts the server if an address was given. */
    public MetricsEndpoint start() {
        if (address == null && (partitions || !names.isEmpty())) {
            throw CliFailure.usage(
                    (partitions ? "--metrics-partitions" : "--metrics-name") + " needs --metrics, which is not given",
                    "Add --metrics [HOST:]PORT.");
        }
        return MetricsEndpoint.start(address, names, partitions);
    }
}
