package dev.weir.lean.share;

import dev.weir.lean.share.PendingAcknowledgements.Packet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of a share session. Keeps track of the partitions to read, of the partitions that the broker knows to
 * be in the session, and of the acquired ranges. Acquired ranges are kept even if the member no longer reads their
 * partition. Confined to the member's thread.
 */
final class SessionPartitions {

    /** Maximum time that acknowledgements wait, so that several can be sent together or with the next fetch. */
    private static final long ACK_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Maximum time that acknowledgements wait if the window of acquired offsets is almost full. */
    private static final long HURRIED_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Map<TopicIdPartition, AcquiredRanges> acquired = new LinkedHashMap<>();
    private final Set<TopicIdPartition> wanted = new LinkedHashSet<>();
    private final Set<TopicIdPartition> listed = new HashSet<>();

    /** The changes to the session's partitions, which a fetch reports to the broker. */
    record Changes(List<TopicIdPartition> added, List<TopicIdPartition> forgotten) {}

    /**
     * Sets the partitions to read, starting with the next fetch. Records already acquired from other partitions are
     * still processed and acknowledged.
     */
    void want(Collection<TopicIdPartition> partitions) {
        wanted.clear();
        wanted.addAll(partitions);
        partitions.forEach(this::acquiredOf);
    }

    /** Stops reading a partition from this broker. */
    void wantNoMore(TopicIdPartition id) {
        wanted.remove(id);
    }

    int wanted() {
        return wanted.size();
    }

    boolean areWanted() {
        return !wanted.isEmpty();
    }

    private AcquiredRanges acquiredOf(TopicIdPartition id) {
        return acquired.computeIfAbsent(id, AcquiredRanges::new);
    }

    Collection<AcquiredRanges> acquired() {
        return acquired.values();
    }

    @Nullable
    AcquiredRanges find(Uuid topic, int partition) {
        for (AcquiredRanges each : acquired.values()) {
            if (each.id.partition() == partition && each.id.topicId().equals(topic)) {
                return each;
            }
        }
        return null;
    }

    /**
     * Ends the processing of a record. Returns false if the record is not acquired in any of these partitions. Records
     * are compared by object identity, because a recreated topic may have records with the same topic name, partition
     * and offset.
     */
    boolean end(LockedRecord locked, byte type, long nowNanos) {
        for (AcquiredRanges each : acquired.values()) {
            if (each.id.partition() == locked.partition() && each.id.topic().equals(locked.topic())) {
                AcquiredRange range = each.find(locked.offset());
                if (range != null && range.end(locked, type, nowNanos)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Forgets partitions that are no longer read and have neither acquired records nor pending acknowledgements. */
    void forgetOver() {
        acquired.values().removeIf(each -> each.isEmpty() && !wanted.contains(each.id));
    }

    /** Returns the number of records that are acquired and not finished. */
    int open() {
        int open = 0;
        for (AcquiredRanges each : acquired.values()) {
            open += each.open();
        }
        return open;
    }

    /** Returns whether nothing is acquired and no acknowledgement is pending. */
    boolean areQuiet() {
        return acquired.values().stream().allMatch(AcquiredRanges::isEmpty);
    }

    /**
     * Returns whether every partition has reached its limit on acquired offsets. In this state, a fetch would return
     * nothing, and would only delay the acknowledgements that free locks.
     */
    boolean areFull(long window) {
        return !wanted.isEmpty()
                && listed.containsAll(wanted)
                && wanted.stream().allMatch(id -> acquiredOf(id).span() >= window);
    }

    /** Clears the list of partitions, because the broker's session is gone. */
    void unlist() {
        listed.clear();
    }

    /** Replaces the listed partitions with the wanted ones. Returns the differences, to be sent to the broker. */
    Changes list() {
        List<TopicIdPartition> added = new ArrayList<>();
        List<TopicIdPartition> forgotten = new ArrayList<>();
        for (TopicIdPartition id : wanted) {
            if (listed.add(id)) {
                added.add(id);
            }
        }
        listed.removeIf(id -> {
            if (wanted.contains(id)) {
                return false;
            }
            forgotten.add(id);
            return true;
        });
        return new Changes(added, forgotten);
    }

    boolean haveRenewals() {
        return acquired.values().stream().anyMatch(each -> each.pending.hasRenewals());
    }

    boolean haveAcks() {
        return acquired.values().stream().anyMatch(each -> each.pending.hasAcks());
    }

    /**
     * Returns whether any acknowledgements are due.
     *
     * @param flush true to send acknowledgements without delay
     * @param unwanted true to check only partitions that are no longer read
     */
    boolean haveDueAcks(long nowNanos, boolean flush, boolean unwanted) {
        for (AcquiredRanges each : acquired.values()) {
            long age = each.pending.isHurried() ? HURRIED_AGE_NANOS : ACK_AGE_NANOS;
            if (each.pending.hasAcks()
                    && (flush || nowNanos - each.pending.sinceNanos() >= age)
                    && !(unwanted && wanted.contains(each.id))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Removes and returns the next packet of acknowledgements of each partition.
     *
     * @param wantedOnly true to include only partitions that are still read
     */
    Map<AcquiredRanges, Packet> takeAcks(boolean wantedOnly) {
        Map<AcquiredRanges, Packet> all = new LinkedHashMap<>();
        for (AcquiredRanges each : acquired.values()) {
            Packet packet = !wantedOnly || wanted.contains(each.id) ? each.pending.take() : null;
            if (packet != null) {
                all.put(each, packet);
            }
        }
        return all;
    }

    Map<AcquiredRanges, Packet> takeRenewals() {
        Map<AcquiredRanges, Packet> all = new LinkedHashMap<>();
        for (AcquiredRanges each : acquired.values()) {
            Packet packet = each.pending.takeRenewals();
            if (packet != null) {
                all.put(each, packet);
            }
        }
        return all;
    }
}
