package dev.weir.bench.environment;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The environment in which a campaign runs. Immutable.
 *
 * @param name name of the environment's file, without its extension
 * @param brokers the brokers to read from; null to fork brokers on this machine, reached through loopback
 * @param workers the workers, in the order in which processes are assigned to them
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
     * @param clientConfig file with properties for all Kafka clients; null for none
     * @param topicPrefix empty for the default prefix
     */
    public record BrokersAt(
            String bootstrapServers, @Nullable Path clientConfig, String topicPrefix, boolean keepsTopics) {}

    /** Returns whether all workers are on this machine. */
    public boolean isHere() {
        return workers.stream().allMatch(Worker::isHere);
    }

    /** Describes where the processes run. The description is the same for all runs of a campaign. */
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
