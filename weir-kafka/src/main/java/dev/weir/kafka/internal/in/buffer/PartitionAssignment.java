package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.internal.in.buffer.AssignedPartition.PauseReason;
import dev.weir.kafka.internal.in.fetch.LogPosition;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import dev.weir.kafka.internal.in.offsets.FinishedSet;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The partitions assigned to this member, and their positions. Confined to the owner thread. */
public final class PartitionAssignment {

    private final ConsumerPlan plan;
    private final RecordFetcher fetcher;
    private final RecordOutlets outlets;
    private final FlowControl flow;
    private final BatchEmission emission;
    private final PausedPartitions pauses;
    private final int trackerCapacity;
    private final OwnerThread owner;

    private final Map<TopicPartition, AssignedPartition> partitions = new LinkedHashMap<>();
    private final DroppedRecords dropped;

    /** The values of the map, cached for the owner thread's loop. Null after a change. */
    private @Nullable List<AssignedPartition> all;

    /**
     * Creates an empty assignment.
     *
     * @param trackerCapacity maximum number of outstanding records per partition
     * @param owner the owner thread, woken when partitions make progress
     * @param dropped receives the unfinished records of assignments that end
     */
    public PartitionAssignment(
            ConsumerPlan plan,
            RecordFetcher fetcher,
            RecordOutlets outlets,
            FlowControl flow,
            BatchEmission emission,
            PausedPartitions pauses,
            int trackerCapacity,
            OwnerThread owner,
            DroppedRecords dropped) {
        this.plan = plan;
        this.fetcher = fetcher;
        this.outlets = outlets;
        this.flow = flow;
        this.emission = emission;
        this.pauses = pauses;
        this.trackerCapacity = trackerCapacity;
        this.owner = owner;
        this.dropped = dropped;
    }

    /** Returns the dropped and skipped records. */
    public DroppedRecords dropped() {
        return dropped;
    }

    /** Returns an unmodifiable view. */
    public Map<TopicPartition, AssignedPartition> byId() {
        return Collections.unmodifiableMap(partitions);
    }

    /** Returns the current partitions as an immutable list. */
    public List<AssignedPartition> all() {
        List<AssignedPartition> known = all;
        if (known == null) {
            known = List.copyOf(partitions.values());
            all = known;
        }
        return known;
    }

    /** Returns a copy. */
    public Set<TopicPartition> ids() {
        return Set.copyOf(partitions.keySet());
    }

    /** Returns whether the fetcher {@linkplain RecordFetcher#fetchesByTopicId fetches by topic id}. */
    public boolean isFetchedByTopicId() {
        return fetcher.fetchesByTopicId();
    }

    @Nullable
    public AssignedPartition get(TopicPartition id) {
        return partitions.get(id);
    }

    /** Returns the partitions of {@code ids} that are assigned. */
    public List<AssignedPartition> current(Collection<TopicPartition> ids) {
        return ids.stream().map(partitions::get).filter(Objects::nonNull).toList();
    }

    /** Returns whether {@code partition} is still assigned and not replaced by a new object. */
    public boolean isCurrent(AssignedPartition partition) {
        return partitions.get(partition.id()) == partition;
    }

    /**
     * Adds partitions.
     *
     * @param epoch the number of this assignment
     */
    public void add(Collection<TopicPartition> ids, int epoch) {
        for (TopicPartition id : ids) {
            AssignedPartition partition = newPartition(id, epoch);
            outlets.open(partition);
            partitions.put(id, partition);
            pauses.assigned(partition);
            if (partition.isToBePaused()) {
                pause(partition, PauseReason.FLOW);
            }
        }
        all = null;
        flow.divide(all());
    }

    private AssignedPartition newPartition(TopicPartition id, int epoch) {
        long endOffset = plan.subscription().isBounded() ? plan.endOffsets().getOrDefault(id, 0L) : Long.MAX_VALUE;
        var priorities = plan.subscription().priorities();
        return new AssignedPartition(
                id, newTracker(), endOffset, priorities.of(id), FlowControl.weight(priorities, id), epoch);
    }

    private OffsetTracker newTracker() {
        return new OffsetTracker(trackerCapacity, owner::wake);
    }

    /**
     * Removes partitions. The pipeline then starts no work on their records, except for records committed before
     * emission, which no other member will receive.
     */
    public List<AssignedPartition> withdraw(Collection<TopicPartition> ids) {
        List<AssignedPartition> withdrawn =
                ids.stream().map(partitions::remove).filter(Objects::nonNull).toList();
        all = null;
        fetcher.withdrawn(ids);
        emission.takeBackUnpromised(withdrawn);
        pauses.withdrawn(withdrawn);
        outlets.withdrawn(withdrawn);
        withdrawn.forEach(partition -> partition.tracker().revoke());
        flow.divide(all());
        return withdrawn;
    }

    public void clear() {
        partitions.clear();
        all = null;
    }

    /** Stops fetching the partition until flow control resumes it. */
    public void pause(AssignedPartition partition, PauseReason reason) {
        if (partition.pause(reason)) {
            fetcher.pause(List.of(partition.id()));
        }
    }

    /** Stops fetching all current partitions for good. */
    public void fetchNoMore() {
        for (AssignedPartition partition : partitions.values()) {
            boolean ignored = partition.pause(PauseReason.END);
        }
        fetcher.pause(partitions.keySet());
    }

    /** Replaces a partition with a new object and discards its progress. */
    public AssignedPartition renew(AssignedPartition partition) {
        emission.takeBack(List.of(partition));
        partition.tracker().revoke();
        AssignedPartition renewed = partition.renewed(newTracker(), !owner.isEmitting());
        partitions.put(partition.id(), renewed);
        all = null;
        pauses.assigned(renewed);
        return renewed;
    }

    /** Returns whether emission has ended. */
    public boolean isEnding() {
        return !owner.isEmitting();
    }

    /** Stops fetching and committing the partitions until they are released. */
    public void hold(Collection<AssignedPartition> held) {
        for (AssignedPartition partition : held) {
            partition.hold();
            pause(partition, PauseReason.FLOW);
            fetcher.hold(partition.id());
        }
    }

    /** Continues the partition at a position chosen by this consumer. */
    public void release(AssignedPartition partition, LogPosition place) {
        seek(partition, place);
        partition.place();
        emission.placed(partition, place.offset());
    }

    /** Continues the partition at the group's committed offset. */
    public void goOn(AssignedPartition partition, LogPosition committed) {
        seek(partition, committed);
        partition.goOnAtCommit();
    }

    private void seek(AssignedPartition partition, LogPosition place) {
        partition.epochs().beginAt(place);
        fetcher.seek(partition.id(), place);
    }

    /** Seeks to the current position, which the fetcher then verifies again. */
    public void checkAgain(AssignedPartition partition) {
        if (!partition.isHeld()) {
            fetcher.seek(
                    partition.id(),
                    new LogPosition(fetcher.position(partition.id()), fetcher.leaderEpoch(partition.id())));
        }
    }

    /** Returns whether the next fetch of the partition starts at the offset. */
    public boolean isAt(AssignedPartition partition, long offset) {
        return !partition.isHeld() && fetcher.position(partition.id()) == offset;
    }

    /** Sets the start offset of a partition that nothing has been read from. */
    public void placeNew(TopicPartition id, long offset) {
        AssignedPartition partition = partitions.get(id);
        if (partition == null || partition.tracker().committableOffset() >= 0) {
            throw new IllegalStateException(
                    partition == null ? id + " is not assigned" : "records of " + id + " were read already");
        }
        partition.skip(FinishedSet.EMPTY);
        release(partition, LogPosition.at(offset));
    }

    /** Describes the unfinished records of the partitions. */
    public static String unfinished(Collection<AssignedPartition> partitions) {
        return partitions.stream()
                .filter(partition -> !partition.tracker().isIdle())
                .map(partition -> partition + "@" + partition.tracker().committableOffset() + " and "
                        + (partition.tracker().outstanding() - 1) + " after it")
                .collect(Collectors.joining(", "));
    }
}
