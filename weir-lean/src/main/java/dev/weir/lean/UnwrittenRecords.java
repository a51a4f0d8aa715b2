package dev.weir.lean;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/** The number of unacknowledged records per partition. Immutable. */
public final class UnwrittenRecords {

    private final Map<TopicPartition, Long> byPartition;

    /** @param byPartition the number of records in each partition; every number must be above 0 */
    public UnwrittenRecords(Map<TopicPartition, Long> byPartition) {
        this.byPartition = Map.copyOf(Objects.requireNonNull(byPartition, "byPartition"));
    }

    /** Returns whether there are no unacknowledged records. */
    public boolean isEmpty() {
        return byPartition.isEmpty();
    }

    /** The total number of unacknowledged records. */
    public long records() {
        return byPartition.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The number of unacknowledged records per partition; contains only partitions with at least one such record. */
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
