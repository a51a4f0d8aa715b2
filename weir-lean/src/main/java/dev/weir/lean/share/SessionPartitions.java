package dev.weir.lean.share;

import dev.weir.lean.share.PendingAcknowledgements.Packet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
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
 * The partitions of a share session: partitions to read, partitions that the broker has listed, and acquired ranges.
 * Ranges are kept even if their partition is no longer read. Confined to the member's thread.
 *
 * <p>With a backlog, one partition fills a fetch, and brokers choose it unfairly: some partitions wait for several
 * hundred fetches ({@code PartitionRotateStrategy} and {@code ShareSessionContext} of Kafka 4.4). The partitions then
 * take turns: the broker lists only those few that have waited longest.
 */
final class SessionPartitions {

    /** Maximum wait of acknowledgements for other acknowledgements or the next fetch. */
    private static final long ACK_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Maximum wait of acknowledgements while the window of acquired offsets is almost full. */
    private static final long HURRIED_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Number of partitions that remain listed while partitions take turns. */
    private static final int LISTED_IN_TURNS = 4;

    private final Map<TopicIdPartition, AcquiredRanges> acquired = new LinkedHashMap<>();
    private final Set<TopicIdPartition> wanted = new LinkedHashSet<>();
    private final Set<TopicIdPartition> listed = new HashSet<>();

    /** Partitions that have had their turn and are not listed until others had theirs, in order of their turns. */
    private final Set<TopicIdPartition> turnsTaken = new LinkedHashSet<>();

    /** Changes to the session's partitions, reported to the broker by a fetch. */
    record Changes(List<TopicIdPartition> added, List<TopicIdPartition> forgotten) {}

    /** Sets the partitions to read from the next fetch on. Records acquired before are still acknowledged. */
    void want(Collection<TopicIdPartition> partitions) {
        wanted.clear();
        wanted.addAll(partitions);
        turnsTaken.retainAll(wanted);
        partitions.forEach(this::acquiredOf);
    }

    void wantNoMore(TopicIdPartition id) {
        wanted.remove(id);
        turnsTaken.remove(id);
    }

    /** Ends a partition's turn. The next fetches leave it out, until only a few partitions have waited longer. */
    void endTurn(TopicIdPartition id) {
        if (wanted.contains(id)) {
            turnsTaken.remove(id);
            turnsTaken.add(id);
        }
    }

    /** Reads all wanted partitions again. */
    void endTurns() {
        turnsTaken.clear();
    }

    /** Returns whether the last fetch left wanted partitions out. */
    boolean areTakingTurns() {
        return !listed.containsAll(wanted);
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
     * Ends the processing of a record. Returns false if it is not acquired here. Compares records by identity, because
     * a recreated topic may have a record with the same topic name, partition and offset.
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

    /** Forgets unread partitions without acquired records and pending acknowledgements. */
    void forgetOver() {
        acquired.values().removeIf(each -> each.isEmpty() && !wanted.contains(each.id));
    }

    /** Number of acquired records that are not finished. */
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

    /** Returns whether all partitions are at their limit. A fetch would only delay acknowledgements. */
    boolean areFull(long window) {
        return !wanted.isEmpty()
                && wanted.stream()
                        .allMatch(id -> (listed.contains(id) || turnsTaken.contains(id))
                                && acquiredOf(id).span() >= window);
    }

    /** Clears the listed partitions, because the broker's session is gone. */
    void unlist() {
        listed.clear();
        turnsTaken.clear();
    }

    /**
     * Lists the wanted partitions that have not just had their turn. Returns the changes to send to the broker.
     *
     * @param acknowledged partitions with acknowledgements in the fetch, which the broker would otherwise list
     */
    Changes list(Collection<AcquiredRanges> acknowledged) {
        Iterator<TopicIdPartition> longestWaiting = turnsTaken.iterator();
        while (turnsTaken.size() > Math.max(0, wanted.size() - LISTED_IN_TURNS)) {
            longestWaiting.next();
            longestWaiting.remove();
        }
        List<TopicIdPartition> added = new ArrayList<>();
        Set<TopicIdPartition> forgotten = new LinkedHashSet<>(listed);
        acknowledged.forEach(each -> forgotten.add(each.id));
        for (TopicIdPartition id : wanted) {
            if (!turnsTaken.contains(id)) {
                forgotten.remove(id);
                if (listed.add(id)) {
                    added.add(id);
                }
            }
        }
        listed.removeAll(forgotten);
        return new Changes(added, List.copyOf(forgotten));
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
