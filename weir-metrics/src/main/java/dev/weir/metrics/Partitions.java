package dev.weir.metrics;

import dev.weir.kafka.ConsumerDump.Oldest;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats partitions for use in sentences. Stateless. */
final class Partitions {

    private Partitions() {}

    static String name(PartitionDump partition) {
        return partition.topic() + "-" + partition.partition();
    }

    /** Returns the partition with the oldest unfinished record, or null if no partition has one. */
    static @Nullable PartitionDump withOldest(List<PartitionDump> partitions) {
        PartitionDump found = null;
        Duration longest = Duration.ZERO;
        for (PartitionDump partition : partitions) {
            Oldest oldest = partition.oldest();
            if (oldest != null && (found == null || oldest.age().compareTo(longest) > 0)) {
                found = partition;
                longest = oldest.age();
            }
        }
        return found;
    }

    /** Returns words on the oldest unfinished record for the end of a sentence; empty if there is none. */
    static String oldest(List<PartitionDump> partitions) {
        PartitionDump partition = withOldest(partitions);
        Oldest oldest = partition == null ? null : partition.oldest();
        return partition == null || oldest == null
                ? ""
                : String.format(
                        Locale.ROOT,
                        "; %s@%d is unfinished for %.1f s",
                        name(partition),
                        oldest.offset(),
                        oldest.age().toMillis() / 1e3);
    }

    /** Returns {@link #oldest(List)} of the latest reading with an oldest record. Most readings have none. */
    static String oldest(Interval interval) {
        return interval.looks.reversed().stream()
                .map(look -> oldest(Interval.partitions(look)))
                .filter(words -> !words.isEmpty())
                .findFirst()
                .orElse("");
    }
}
