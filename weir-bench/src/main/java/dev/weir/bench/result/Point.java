package dev.weir.bench.result;

import java.util.Map;

/**
 * One place in the campaign's space: a scenario at one value for each dimension. Immutable, thread-safe.
 *
 * @param id unique in the campaign, fit for a file name: ASCII alphanumerics, dot, dash, underscore
 * @param dimensions name to value, in the order of the workload file
 */
public record Point(String id, String scenario, Map<String, String> dimensions) {

    public Point {
        Names.requireFileName("id", id);
        dimensions = Secrets.redact(dimensions);
    }

    /** The dimensions as readable text: {@code partitions=6 bytes=100}, or the scenario where there is none. */
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
