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
 * Commits the start positions of partitions before anything is read, so that the next owner, after a crash or a
 * rebalance, starts there too. Confined to the owner thread.
 */
public final class StartCommits {

    private record Place(AssignedPartition partition, long offset, Runnable then, Runnable gone) {}

    private final PartitionAssignment assignment;
    private final OffsetCommits commits;
    private final Executor owner;
    private final List<Place> waiting = new ArrayList<>();

    /** Creates start commits that continue on {@code owner}, the owner thread. */
    public StartCommits(PartitionAssignment assignment, OffsetCommits commits, Executor owner) {
        this.assignment = assignment;
        this.commits = commits;
        this.owner = owner;
    }

    /** Commits the offset soon, then calls {@code then}, or {@code gone} if the partition is no longer assigned. */
    public void add(AssignedPartition partition, long offset, Runnable then, Runnable gone) {
        waiting.add(new Place(partition, offset, then, gone));
    }

    /** The time until {@link #commitIfDue} has something to do. */
    public long nanosUntilDue() {
        // Called twice per turn, and nearly always nothing waits.
        return waiting.isEmpty() || waiting.stream().allMatch(place -> commits.isGone(place.partition.id()))
                ? Long.MAX_VALUE
                : commits.nanosUntilFree();
    }

    /**
     * Sends waiting commits, unless another commit is in flight or one just failed. The answer arrives in a later poll.
     */
    public void commitIfDue() {
        if (nanosUntilDue() > 0) {
            return;
        }
        // A commit with a deleted partition is never answered, nor are others in the same request.
        List<Place> sent = waiting.stream()
                .filter(place -> !commits.isGone(place.partition.id()))
                .toList();
        waiting.removeAll(sent);
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (Place place : sent) {
            if (assignment.isCurrent(place.partition)) {
                offsets.put(place.partition.id(), commits.texts().commitAhead(place.partition, place.offset));
            } else {
                place.gone.run();
            }
        }
        if (!offsets.isEmpty()) {
            // Continues outside the client's poll.
            commits.send(offsets, made -> owner.execute(() -> answered(sent, offsets, made)));
        }
    }

    private void answered(List<Place> sent, Map<TopicPartition, OffsetAndMetadata> offsets, boolean made) {
        for (Place place : sent) {
            if (!offsets.containsKey(place.partition.id())) {
                continue;
            }
            if (!assignment.isCurrent(place.partition)) {
                place.gone.run();
            } else if (made) {
                place.then.run();
            } else {
                waiting.add(place);
            }
        }
    }
}
