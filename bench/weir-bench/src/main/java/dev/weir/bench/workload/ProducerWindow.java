package dev.weir.bench.workload;

import dev.weir.driver.PassOptions;
import dev.weir.driver.Scenario;
import java.util.Map;
import java.util.Set;

/**
 * The number of bytes that may be in flight to the brokers, the same for all drivers. Clients receive it as
 * {@code buffer.memory}, or as a number of records if their limit is in records. Stateless.
 */
final class ProducerWindow {
    /** The name of the option in workload files. Drivers receive the settings derived from it. */
    static final String BYTES = "in.flight.bytes";

    static final long MOST_BYTES = 1 << 30;

    private static final String BUFFER = "buffer.memory";
    private static final String REQUEST = "max.request.size";
    private static final long DEFAULT_REQUEST_BYTES = 1 << 20;
    private static final Set<Scenario> PRODUCING = Set.of(Scenario.PRODUCE, Scenario.COPY);
    private static final int KEY_BYTES = Integer.BYTES;

    private ProducerWindow() {}

    static void check(WorkloadPoint point) {
        if (bytes(point) == 0) {
            return;
        }
        if (!PRODUCING.contains(point.scenario())) {
            throw new WorkloadException(
                    "options." + BYTES + " applies only to scenario produce or copy, whose drivers write");
        }
        String records = "options." + PassOptions.IN_FLIGHT;
        if (!"0".equals(point.settings().get(records))) {
            throw new WorkloadException(
                    "options." + BYTES + " and " + records + " both limit what is in flight: leave one out");
        }
        if (point.settings().containsKey("client." + BUFFER)) {
            throw new WorkloadException(
                    "options." + BYTES + " sets client." + BUFFER + " of libraries that count bytes: leave one out");
        }
        if (point.valueFile() != null) {
            throw new WorkloadException("options." + BYTES
                    + " is divided by the mean length of records, unknown with topic.valueFile: set " + records);
        }
    }

    private static long bytes(WorkloadPoint point) {
        return Long.parseLong(point.settings().getOrDefault("options." + BYTES, "0"));
    }

    /** Replaces the option with the corresponding limit for drivers that count records. */
    static void putOptions(WorkloadPoint point, Map<String, String> options) {
        options.remove(BYTES);
        if (bytes(point) > 0) {
            long records = (long) (bytes(point) / recordBytes(point));
            options.put(PassOptions.IN_FLIGHT, Long.toString(Math.max(1, records)));
        }
    }

    /**
     * Adds the limit for clients that count bytes. A small limit also becomes the maximum request size, unless the
     * workload sets one.
     */
    static void putClient(WorkloadPoint point, Map<String, String> client) {
        long bytes = bytes(point);
        if (bytes > 0) {
            client.put(BUFFER, Long.toString(bytes));
            if (bytes < DEFAULT_REQUEST_BYTES) {
                client.putIfAbsent(REQUEST, Long.toString(bytes));
            }
        }
    }

    private static double recordBytes(WorkloadPoint point) {
        ValueSizes sizes = point.valueSizes();
        double value = sizes.sizes().isEmpty()
                ? point.valueBytes()
                : sizes.sizes().stream()
                        .mapToDouble(size -> size.bytes() * size.share())
                        .sum();
        return value + (point.keys() > 0 ? KEY_BYTES : 0) + WorkloadPoint.RECORD_BYTES;
    }
}
