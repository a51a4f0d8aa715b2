package dev.weir.lean.share;

import dev.weir.lean.spi.InvariantException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicIdPartition;
import org.jspecify.annotations.Nullable;

/**
 * The acquired ranges of one partition at one broker, and the partition's pending acknowledgements. Confined to the
 * member's thread.
 */
final class AcquiredRanges {

    final TopicIdPartition id;
    final PendingAcknowledgements pending = new PendingAcknowledgements();
    private final TreeMap<Long, AcquiredRange> ranges = new TreeMap<>();

    /** Highest offset acquired so far, even if its record is finished. */
    private long lastAcquired = -1;

    AcquiredRanges(TopicIdPartition id) {
        this.id = id;
    }

    /**
     * Adds a newly acquired range. Removes the open records of older locks on its offsets, and returns them as lost.
     * Withdraws acknowledgements that would affect the new lock.
     */
    List<LockedRecord> add(AcquiredRange range) {
        List<LockedRecord> lost = new ArrayList<>();
        pending.withdraw(range.first, range.last);
        for (AcquiredRange older : touching(range.first, range.last)) {
            lost.addAll(older.loseOpen(range.first, range.last));
            ranges.remove(older.first);
            if (older.first < range.first) {
                ranges.put(older.first, older.part(older.first, range.first - 1));
            }
            if (older.last > range.last) {
                ranges.put(range.last + 1, older.part(range.last + 1, older.last));
            }
        }
        checkApart(range);
        ranges.put(range.first, range);
        lastAcquired = Math.max(lastAcquired, range.last);
        return lost;
    }

    /** Throws if the range overlaps with an existing one. */
    void checkApart(AcquiredRange range) {
        Map.Entry<Long, AcquiredRange> before = ranges.floorEntry(range.last);
        if (before != null && before.getValue().last >= range.first) {
            throw new InvariantException(
                    57,
                    "the acquired ranges of a partition do not overlap",
                    this + "@" + range.first + ".." + range.last + " beside " + before.getKey() + ".."
                            + before.getValue().last + " ranges=" + ranges.size());
        }
    }

    /** Returns a new list of the ranges with at least one of these offsets. */
    List<AcquiredRange> touching(long first, long last) {
        List<AcquiredRange> found = new ArrayList<>();
        Map.Entry<Long, AcquiredRange> before = ranges.floorEntry(first);
        if (before != null && before.getValue().contains(first)) {
            found.add(before.getValue());
        }
        found.addAll(ranges.subMap(first, false, last, true).values());
        return found;
    }

    @Nullable
    AcquiredRange find(long offset) {
        Map.Entry<Long, AcquiredRange> at = ranges.floorEntry(offset);
        return at == null || !at.getValue().contains(offset) ? null : at.getValue();
    }

    List<AcquiredRange> all() {
        return new ArrayList<>(ranges.values());
    }

    void removeOver() {
        ranges.values().removeIf(AcquiredRange::isOver);
    }

    int open() {
        int open = 0;
        for (AcquiredRange range : ranges.values()) {
            open += range.open();
        }
        return open;
    }

    /** Returns whether nothing is acquired and no acknowledgement is pending. */
    boolean isEmpty() {
        return ranges.isEmpty() && !pending.hasAcks() && !pending.hasRenewals();
    }

    /**
     * Returns the number of offsets from the first unfinished record to the last acquired offset. Finished records in
     * between still count for the broker's limit.
     */
    long span() {
        for (AcquiredRange range : ranges.values()) {
            if (range.open() > 0) {
                return lastAcquired - range.firstOpen() + 1;
            }
        }
        return 0;
    }

    /** Number of offsets from the first unacknowledged one to the last acquired one: the broker's span. */
    long unacknowledgedSpan() {
        return ranges.isEmpty()
                ? 0
                : lastAcquired - ranges.firstEntry().getValue().firstUnacknowledged() + 1;
    }

    /** Removes all ranges, because all locks are lost. Returns the open records. */
    List<LockedRecord> loseAll() {
        List<LockedRecord> lost = new ArrayList<>();
        ranges.values().forEach(range -> lost.addAll(range.loseOpen()));
        ranges.clear();
        lastAcquired = -1;
        return lost;
    }

    @Override
    public String toString() {
        return id.topicPartition().toString();
    }
}
