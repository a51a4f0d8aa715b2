package dev.weir.bench.result;

import dev.weir.command.terminal.Secrets;
import java.util.Map;

/**
 * A point in the campaign's parameter space: a scenario with one value for each dimension. Immutable, thread-safe.
 *
 * @param id unique in the campaign and usable in a file name: ASCII alphanumerics, dot, dash, underscore
 * @param dimensions the value of each dimension by name, in the order of the workload file
 */
public record Point(String id, String scenario, Map<String, String> dimensions) {

    public Point {
        Names.requireFileName("id", id);
        dimensions = Secrets.redact(dimensions);
    }

    /**
     * The dimensions as readable text, for example {@code partitions=6 bytes=100}; the scenario if there are no
     * dimensions.
     */
    public String label() {
        if (dimensions.isEmpty()) {
            return scenario;
        }
        StringBuilder label = new StringBuilder();
        dimensions.forEach((name, value) -> label.append(label.isEmpty() ? "" : " ")
                .append(name)
                .append('=')
                .append(value));
        return label.toString();
    }
}
