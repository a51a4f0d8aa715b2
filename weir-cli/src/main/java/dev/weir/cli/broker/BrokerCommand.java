package dev.weir.cli.broker;

import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.CommandContext;
import dev.weir.command.terminal.ExitCode;
import dev.weir.testkit.Broker;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/**
 * {@code weir broker}: runs a development cluster until a stop signal. A single broker runs in this process, which is
 * fastest. Several brokers have a process each, so that any of them can be killed.
 */
@Command(
        name = "broker",
        sortOptions = false,
        description = {
            "Run a Kafka cluster for development on the loopback interface, without Docker.",
            "Prints its bootstrap address on standard output when it is ready. Ctrl-C stops it.",
            "Share groups are enabled, with room for a thousand members in each."
        })
public final class BrokerCommand implements Callable<Integer> {

    private static final int MAX_BROKERS = 16;
    private static final int MAX_PORT = 65_535;

    // The log manager references loggers weakly, and a garbage-collected logger loses its level.
    private static final List<Logger> SERVER_LOGGERS =
            List.of(Logger.getLogger("kafka"), Logger.getLogger("org.apache.kafka"));

    @ParentCommand
    private CommandContext weir;

    @Option(
            names = "--brokers",
            paramLabel = "N",
            defaultValue = "1",
            description = "How many brokers, 1 to " + MAX_BROKERS + " (default: ${DEFAULT-VALUE}). With 3 or more, the"
                    + " cluster survives the loss of any one.")
    private int brokers;

    @Option(
            names = "--port",
            paramLabel = "P",
            defaultValue = "9092",
            description = "Port of the first broker; the next ones follow (default: ${DEFAULT-VALUE}). 0 for any free.")
    private int port;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description =
                    "Folder that keeps topics and offsets for the next start. Without it they end with the command.")
    private @Nullable Path data;

    @Option(
            names = "--topic",
            paramLabel = "NAME:PARTITIONS",
            description = "Create this topic if there is none of that name. May be repeated.")
    private List<String> topics = new ArrayList<>();

    @Option(
            names = "--auto-create-topics",
            description = "Create a topic with one partition when a client asks for one that does not exist. Without it"
                    + " a misspelt name is an error of that client, as with most production clusters.")
    private boolean autoCreate;

    @Option(names = "--json", description = "Print a JSON object instead of the address.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        List<WantedTopic> wanted = check();
        CompletableFuture<Void> end = new CompletableFuture<>();
        // From here on, a signal does not end the process, so that a starting cluster is closed too.
        weir.shutdown().onStop(() -> end.complete(null));
        // Pass INFO messages to the log files. The terminal has its own level.
        SERVER_LOGGERS.forEach(logger -> logger.setLevel(Level.INFO));
        try (KafkaCluster cluster = start()) {
            wanted.forEach(topic -> topic.createIn(cluster, weir.terminal()));
            announce(cluster);
            if (brokers > 1) {
                for (Broker broker : cluster.brokers()) {
                    var ignored = broker.exit().thenAccept(status -> ended(cluster, broker, status, end));
                }
            }
            end.get();
        } catch (KafkaClusterException e) {
            throw CliFailure.work(String.valueOf(e.getMessage()), "", e);
        } catch (ExecutionException e) {
            throw CliFailure.unexpected(e);
        }
        if (weir.shutdown().isRequested()) {
            return ExitCode.DONE;
        }
        weir.tellError("all brokers have ended"); // each broker's end has already been reported
        return ExitCode.FAILED;
    }

    /** Reports that a broker has exited by itself. The command ends with the last broker. */
    private void ended(KafkaCluster cluster, Broker broker, int status, CompletableFuture<Void> end) {
        if (weir.shutdown().isRequested()) {
            return;
        }
        long left = cluster.brokers().stream().filter(Broker::isRunning).count();
        weir.terminal()
                .note("weir broker: " + broker + " has ended with status " + status + ", " + left + " of " + brokers
                        + (left == 1 ? " continues" : " continue") + "; its log is " + broker.logFile());
        if (left == 0) {
            end.complete(null);
        }
    }

    private List<WantedTopic> check() {
        if (brokers < 1 || brokers > MAX_BROKERS) {
            throw CliFailure.badValue("--brokers", brokers, "1 to " + MAX_BROKERS);
        }
        int highest = MAX_PORT - brokers + 1;
        if (port < 0 || port > highest) {
            throw CliFailure.badValue("--port", port, "0 to " + highest);
        }
        List<WantedTopic> wanted = topics.stream().map(WantedTopic::parse).toList();
        Map<String, WantedTopic> byName = new HashMap<>();
        for (WantedTopic topic : wanted) {
            WantedTopic other = byName.putIfAbsent(topic.name(), topic);
            if (other != null) {
                throw CliFailure.usage(
                        "--topic names " + topic.name() + " twice: " + other.name() + ":" + other.partitions() + " and "
                                + topic.name() + ":" + topic.partitions(),
                        "");
            }
        }
        return wanted;
    }

    private KafkaCluster start() {
        KafkaCluster.Builder builder = KafkaCluster.builder()
                .brokers(brokers)
                .port(port)
                .brokerConfig("auto.create.topics.enable", Boolean.toString(autoCreate));
        if (data != null) {
            builder.dataFolder(data);
        }
        if (brokers > 1) {
            builder.forked();
        }
        return builder.start();
    }

    private void announce(KafkaCluster cluster) {
        if (json) {
            weir.json().write(out -> {
                out.writeStringField("bootstrap_servers", cluster.bootstrapServers());
                out.writeNumberField("brokers", brokers);
                out.writeStringField("cluster_id", cluster.clusterId());
                out.writeStringField("folder", cluster.folder().toString());
            });
        } else {
            weir.out().println(cluster.bootstrapServers());
        }
        if (weir.terminal().isLive()) {
            weir.terminal()
                    .note("ready; logs are in " + cluster.logs() + (data == null ? ", data ends with this command" : "")
                            + "; Ctrl-C stops it");
        }
    }
}
