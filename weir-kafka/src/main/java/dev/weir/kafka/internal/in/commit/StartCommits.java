package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Commits the start positions of partitions before any record is read. The next member to read a partition then starts
 * at the same position. Confined to the owner thread.
 */
public final class StartCommits {

    private record Place(AssignedPartition partition, long offset, Runnable then) {}

    private final PartitionAssignment assignment;
    private final OffsetCommits commits;
    private final Executor owner;
    private final List<Place> waiting = new ArrayList<>();

    /** Creates an instance that runs its callbacks on {@code owner}, the owner thread. */
    public StartCommits(PartitionAssignment assignment, OffsetCommits commits, Executor owner) {
        this.assignment = assignment;
        this.commits = commits;
        this.owner = owner;
    }

    /**
     * Schedules a commit. Runs {@code then} once the offset is committed, unless the partition is no longer assigned.
     */
    public void add(AssignedPartition partition, long offset, Runnable then) {
        waiting.add(new Place(partition, offset, then));
    }

    /** Returns the time until {@link #commitIfDue} must be called again. */
    public long nanosUntilDue() {
        // Checks for an empty list first, because this method runs twice per loop iteration.
        return waiting.isEmpty() || waiting.stream().allMatch(place -> commits.isGone(place.partition.id()))
                ? Long.MAX_VALUE
                : commits.nanosUntilFree();
    }

    /** Sends waiting commits, unless a commit is in flight or has just failed. */
    public void commitIfDue() {
        if (nanosUntilDue() > 0) {
            return;
        }
        waiting.removeIf(place -> !assignment.isCurrent(place.partition));
        // Leave out deleted partitions. A commit that contains one never completes.
        List<Place> sent = waiting.stream()
                .filter(place -> !commits.isGone(place.partition.id()))
                .toList();
        waiting.removeAll(sent);
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        sent.forEach(
                place -> offsets.put(place.partition.id(), commits.texts().commitAhead(place.partition, place.offset)));
        if (!offsets.isEmpty()) {
            // Process the result outside the client's poll.
            commits.send(offsets, made -> owner.execute(() -> answered(sent, made)));
        }
    }

    private void answered(List<Place> sent, boolean made) {
        for (Place place : sent) {
            if (!made) {
                waiting.add(place);
            } else if (assignment.isCurrent(place.partition)) {
                place.then.run();
            }
        }
    }
}
