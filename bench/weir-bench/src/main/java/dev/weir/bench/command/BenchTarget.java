package dev.weir.bench.command;

import dev.weir.bench.cluster.ExistingCluster;
import dev.weir.bench.environment.BenchEnvironment;
import dev.weir.bench.environment.EnvironmentFile;
import dev.weir.command.client.ClusterClients;
import dev.weir.command.client.OptionChecks;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.ExitCode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that choose where a campaign runs. Confined to the main thread. */
final class BenchTarget {

    /** The keys of an environment file that replace options. */
    private static final Map<String, String> KEYS = Map.of(
            "--bootstrap-server",
            "bootstrapServers",
            "--client-config",
            "clientConfig",
            "--topic-prefix",
            "topicPrefix");

    @Option(
            names = "--bootstrap-server",
            paramLabel = "HOST:PORT[,...]",
            description = "Run on the brokers there instead of forking some. Their CPU and fetches are not counted.")
    private @Nullable String bootstrapServers;

    @Option(
            names = "--environment",
            paramLabel = "NAME|FILE",
            description = "Run in the environment of environments/NAME.yaml, or of that file: workers by ssh or in"
                    + " Kubernetes, brokers of a cluster (default: all on this machine).")
    private @Nullable String environmentName;

    @Option(
            names = "--client-config",
            paramLabel = "FILE",
            description =
                    "Properties for all Kafka clients of --bootstrap-server, the drivers' too: security, timeouts."
                            + " Secrets among them are shown nowhere.")
    private @Nullable Path clientConfig;

    @Option(
            names = "--topic-prefix",
            paramLabel = "TEXT",
            description = "Prefix of the names of all topics and groups that are created at --bootstrap-server"
                    + " (default: " + ExistingCluster.PREFIX + "). One campaign at a time may use it.")
    private @Nullable String prefix;

    @Option(
            names = "--keep-topics",
            description =
                    "Leave filled topics at --bootstrap-server for the next campaign; without it, they are deleted"
                            + " at the end.")
    private boolean keepTopics;

    @Option(
            names = "--connect-timeout",
            paramLabel = "TIME",
            defaultValue = ClusterClients.DEFAULT_PATIENCE,
            description =
                    "How long the brokers of --bootstrap-server may take to answer before the start (default: ${DEFAULT-VALUE}).")
    private Duration connectTimeout;

    BenchEnvironment environment() {
        return environmentName == null
                ? BenchEnvironment.HERE
                : EnvironmentFile.named(environmentName, BenchCampaign.root());
    }

    /** Sets the broker options from the environment file. Throws if the user also gave one of these options. */
    private void takeFrom(BenchEnvironment environment) {
        if (environmentName == null) {
            return;
        }
        if (bootstrapServers != null || clientConfig != null || prefix != null || keepTopics) {
            throw CliFailure.usage(
                    "--environment names the brokers too: leave --bootstrap-server and the options that go with it out",
                    "They are bootstrapServers, clientConfig, topicPrefix and keepTopics of its section brokers.");
        }
        BenchEnvironment.BrokersAt brokers = environment.brokers();
        if (brokers != null) {
            bootstrapServers = brokers.bootstrapServers();
            clientConfig = brokers.clientConfig();
            prefix = brokers.topicPrefix().isEmpty() ? null : brokers.topicPrefix();
            keepTopics = brokers.keepsTopics();
        }
    }

    /**
     * Returns the cluster after checking that it answers; null if the campaign must start its own brokers. Call it
     * once.
     */
    @Nullable
    ExistingCluster cluster(BenchEnvironment environment) throws InterruptedException {
        takeFrom(environment);
        try {
            return checked();
        } catch (CliFailure e) {
            throw environmentName == null ? e : ofFile(e);
        }
    }

    /** Returns a failure that names the keys of the environment file instead of the options. */
    private CliFailure ofFile(CliFailure failure) {
        String message = "the environment " + environmentName + ": " + withKeys(String.valueOf(failure.getMessage()));
        String wayOut = withKeys(failure.wayOut());
        return failure.exitCode() == ExitCode.WRONG_USAGE
                ? CliFailure.usage(message, wayOut)
                : CliFailure.work(message, wayOut, failure.getCause());
    }

    private static String withKeys(String text) {
        String named = text;
        for (Map.Entry<String, String> each : KEYS.entrySet()) {
            named = named.replace(each.getKey(), each.getValue());
        }
        return named;
    }

    private @Nullable ExistingCluster checked() throws InterruptedException {
        if (bootstrapServers == null) {
            if (clientConfig != null || prefix != null || keepTopics) {
                throw CliFailure.usage(
                        "--client-config, --topic-prefix and --keep-topics go with --bootstrap-server",
                        "Without it, brokers are forked.");
            }
            return null;
        }
        OptionChecks.requireAddresses(bootstrapServers);
        ExistingCluster cluster;
        ClusterClients clients = new ClusterClients(bootstrapServers, "weir-bench", clientConfig, connectTimeout);
        var ignored = clients.consumer(); // refuses misspelt keys
        try {
            cluster = new ExistingCluster(
                    bootstrapServers, clients.ofKafka(), prefix == null ? ExistingCluster.PREFIX : prefix, keepTopics);
        } catch (IllegalArgumentException e) {
            throw CliFailure.usage("--topic-prefix: " + e.getMessage(), "");
        }
        clients.check(List.of());
        return cluster;
    }
}
