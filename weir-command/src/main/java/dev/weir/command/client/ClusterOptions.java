package dev.weir.command.client;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that give a command access to a cluster. picocli sets them on the command's thread. */
public final class ClusterOptions {

    @Option(
            names = "--bootstrap-server",
            required = true,
            paramLabel = "HOST:PORT[,...]",
            description = "Addresses of the brokers.")
    private String bootstrapServers;

    @Option(
            names = "--connect-timeout",
            paramLabel = "TIME",
            defaultValue = ClusterClients.DEFAULT_PATIENCE,
            description = "How long the brokers may take to answer a question (default: ${DEFAULT-VALUE}).")
    private Duration connectTimeout;

    @Option(
            names = "--client-config",
            paramLabel = "FILE",
            description = "Properties for all Kafka clients: security, timeouts.")
    private @Nullable Path clientConfig;

    /** Settings of the file; null until clients are requested. A pipe is read only once. */
    private volatile @Nullable SettingsFile settings;

    /** The time limit for each request to the brokers. */
    public Duration connectTimeout() {
        return connectTimeout;
    }

    /**
     * Returns clients without a consumer group. Throws {@link dev.weir.command.terminal.CliFailure} for options out of
     * bounds.
     */
    public ClusterClients clients() {
        return clients(null);
    }

    /** Returns clients in a consumer group, or in none if {@code group} is null, as {@link #clients()} does. */
    public ClusterClients clients(@Nullable String group) {
        OptionChecks.requireAddresses(bootstrapServers);
        SettingsFile read = settings;
        if (clientConfig != null && (read == null || Files.isRegularFile(clientConfig))) {
            read = SettingsFile.read(clientConfig);
            settings = read;
        }
        return new ClusterClients(bootstrapServers, group, connectTimeout, read);
    }
}
