package dev.weir.kafka.internal.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicIdPartition;
import org.jspecify.annotations.Nullable;

/** What one broker has lent of one partition, and what it is to be told about it. Confined to the member's thread. */
final class Lent {

    final TopicIdPartition id;
    final Outbox outbox = new Outbox();
    private final TreeMap<Long, LentRange> ranges = new TreeMap<>();

    Lent(TopicIdPartition id) {
        this.id = id;
    }

    /** Adds a range; returns the records of older ones that it overlaps: their locks have ended. */
    List<Loan> add(LentRange range) {
        List<Loan> lost = new ArrayList<>();
        for (LentRange older : overlapping(range)) {
            lost.addAll(older.loseOpen());
            ranges.remove(older.first);
        }
        ranges.put(range.first, range);
        return lost;
    }

    private List<LentRange> overlapping(LentRange range) {
        List<LentRange> found = new ArrayList<>();
        Map.Entry<Long, LentRange> before = ranges.floorEntry(range.first);
        if (before != null && before.getValue().contains(range.first)) {
            found.add(before.getValue());
        }
        found.addAll(ranges.subMap(range.first, false, range.last, true).values());
        return found;
    }

    @Nullable
    LentRange find(long offset) {
        Map.Entry<Long, LentRange> at = ranges.floorEntry(offset);
        return at == null || !at.getValue().contains(offset) ? null : at.getValue();
    }

    /** In the order of offsets; a copy. */
    List<LentRange> all() {
        return new ArrayList<>(ranges.values());
    }

    void removeOver() {
        ranges.values().removeIf(LentRange::isOver);
    }

    int open() {
        int open = 0;
        for (LentRange range : ranges.values()) {
            open += range.open();
        }
        return open;
    }

    /** Whether nothing is lent and nothing is to be told. */
    boolean isEmpty() {
        return ranges.isEmpty() && !outbox.hasAcks() && !outbox.hasRenewals();
    }

    /** Offsets from the first one that is not finished to the last one lent. */
    long span() {
        return ranges.isEmpty() ? 0 : ranges.lastEntry().getValue().last - ranges.firstKey() + 1;
    }

    /** All locks are gone: returns what was open and forgets it. */
    List<Loan> loseAll() {
        List<Loan> lost = new ArrayList<>();
        ranges.values().forEach(range -> lost.addAll(range.loseOpen()));
        ranges.clear();
        return lost;
    }

    @Override
    public String toString() {
        return id.topicPartition().toString();
    }
}
