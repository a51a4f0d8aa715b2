package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.commit.OffsetCommits;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import dev.weir.kafka.internal.in.lookup.ConsumerPhase;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import dev.weir.kafka.internal.in.position.StartPositions;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** Adds partitions that the group, or the consumer itself, has assigned. Confined to the owner thread. */
final class PartitionArrivals {

    private final OwnerThread owner;
    private final RecordFetcher fetcher;
    private final PartitionAssignment assignment;
    private final OffsetCommits commits;
    private final StartPositions positions;
    private final RebalanceHooks hooks;
    private final ConsumerObserver observer;

    /** Partitions revoked or lost after the end of a bounded read. */
    private final Set<TopicPartition> withdrawnAtEnd = new HashSet<>();

    private final Set<TopicPartition> returned = new HashSet<>();

    PartitionArrivals(
            OwnerThread owner,
            RecordFetcher fetcher,
            PartitionAssignment assignment,
            OffsetCommits commits,
            StartPositions positions,
            RebalanceHooks hooks,
            ConsumerObserver observer) {
        this.owner = owner;
        this.fetcher = fetcher;
        this.assignment = assignment;
        this.commits = commits;
        this.positions = positions;
        this.hooks = hooks;
        this.observer = observer;
    }

    /**
     * Returns the partitions that were withdrawn after the end of a bounded read and assigned again. Their buffered
     * records will not be emitted.
     */
    Set<TopicPartition> returned() {
        return Set.copyOf(returned);
    }

    /** Called before the partitions are removed from the assignment. */
    void withdraws(Collection<TopicPartition> ids) {
        returned.removeAll(ids);
        if (owner.phase() == ConsumerPhase.DRAINING) {
            ids.stream().filter(assignment.byId()::containsKey).forEach(withdrawnAtEnd::add);
        }
    }

    void assigned(Collection<TopicPartition> ids) {
        fetcher.assigned(ids);
        if (!owner.isEmitting()) {
            // Nothing of these partitions will be emitted or committed.
            fetcher.pause(ids);
            ids.stream().filter(withdrawnAtEnd::contains).forEach(returned::add);
            return;
        }
        assignment.add(ids, observer.assigned());
        observer.runLog().assigned(ids, assignment.ids().size());
        commits.assigned(ids);
        hooks.assigned(Set.copyOf(ids));
        positions.assigned(assignment.current(ids));
    }
}
