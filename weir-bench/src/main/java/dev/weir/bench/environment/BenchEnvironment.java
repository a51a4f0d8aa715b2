package dev.weir.bench.environment;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The environment in which a campaign runs. Immutable.
 *
 * @param name of its file
 * @param brokers the brokers to read from; null to fork brokers on this machine, reached through loopback
 * @param workers in the order in which they get processes
 */
public record BenchEnvironment(String name, @Nullable BrokersAt brokers, List<Worker> workers) {

    /** This machine alone. */
    public static final BenchEnvironment HERE = new BenchEnvironment("", null, List.of(Worker.here()));

    public BenchEnvironment {
        workers = List.copyOf(workers);
    }

    /**
     * An existing cluster.
     *
     * @param clientConfig properties of all Kafka clients; null for none
     * @param topicPrefix empty for the usual one
     */
    public record BrokersAt(
            String bootstrapServers, @Nullable Path clientConfig, String topicPrefix, boolean keepsTopics) {}

    /** Returns whether all of it is this machine. */
    public boolean isHere() {
        return workers.stream().allMatch(Worker::isHere);
    }

    /** The places of the processes as text; the same for all runs of a campaign. */
    public String described() {
        return workers.stream()
                .map(worker -> worker.label()
                        + worker.roles().stream()
                                .sorted()
                                .map(role -> role.name().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(" and ", " (", ")")))
                .collect(Collectors.joining(", "));
    }
}
