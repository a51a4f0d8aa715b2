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
 * Commits where partitions begin before anything of them is read, so that whoever has them next, after a crash or a
 * rebalance, begins there too. Confined to the owner thread.
 */
public final class StartCommits {

    private record Place(AssignedPartition partition, long offset, Runnable then, Runnable gone) {}

    private final PartitionAssignment assignment;
    private final OffsetCommits commits;
    private final Executor owner;
    private final List<Place> waiting = new ArrayList<>();

    /** Creates what continues on {@code owner}, the owner thread. */
    public StartCommits(PartitionAssignment assignment, OffsetCommits commits, Executor owner) {
        this.assignment = assignment;
        this.commits = commits;
        this.owner = owner;
    }

    /** Commits the offset soon; then calls {@code then}, or {@code gone} if the partition is not assigned any more. */
    public void add(AssignedPartition partition, long offset, Runnable then, Runnable gone) {
        waiting.add(new Place(partition, offset, then, gone));
    }

    /** The time for which {@link #commitIfDue} has nothing to do. */
    public long nanosUntilDue() {
        // Asked twice in each turn, when nothing waits almost always.
        return waiting.isEmpty() || waiting.stream().allMatch(place -> commits.isGone(place.partition.id()))
                ? Long.MAX_VALUE
                : commits.nanosUntilFree();
    }

    /**
     * Sends what waits, but not beside another commit or just after a failed one. The answer arrives in a later poll.
     */
    public void commitIfDue() {
        if (nanosUntilDue() > 0) {
            return;
        }
        // One that is gone would never be answered, nor what is sent with it.
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
            // Continued outside of the client's poll.
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
