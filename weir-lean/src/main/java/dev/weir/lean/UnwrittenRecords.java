package dev.weir.lean;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/** The number of records of each partition are not acknowledged. Immutable. */
public final class UnwrittenRecords {

    private final Map<TopicPartition, Long> byPartition;

    /** @param byPartition more than 0 for each */
    public UnwrittenRecords(Map<TopicPartition, Long> byPartition) {
        this.byPartition = Map.copyOf(Objects.requireNonNull(byPartition, "byPartition"));
    }

    /** Returns whether there are none. */
    public boolean isEmpty() {
        return byPartition.isEmpty();
    }

    /** Number of records over all partitions. */
    public long records() {
        return byPartition.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Only partitions that have some. */
    public Map<TopicPartition, Long> byPartition() {
        return byPartition;
    }

    @Override
    public String toString() {
        Map<String, Long> sorted = new TreeMap<>();
        byPartition.forEach((partition, count) -> sorted.put(partition.toString(), count));
        return sorted.entrySet().stream()
                .map(each -> each.getKey() + ": " + each.getValue())
                .collect(Collectors.joining(", ", records() + " records (", ")"));
    }
}
