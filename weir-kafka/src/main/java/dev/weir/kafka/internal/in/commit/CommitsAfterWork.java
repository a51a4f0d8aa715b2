package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import java.util.Collection;
import java.util.List;

/**
 * Commits the offset of each partition's first unfinished record, for at-least-once delivery. Confined to the owner
 * thread.
 */
final class CommitsAfterWork extends DeliveryCommits {

    CommitsAfterWork(OffsetCommits commits) {
        super(commits);
    }

    @Override
    public String guarantee() {
        return "at least once";
    }

    @Override
    void commitDue(List<AssignedPartition> assigned) {
        commits.commitIfDue(assigned);
    }

    @Override
    public long nanosUntilDue() {
        return commits.nanosUntilDue();
    }

    @Override
    public void commitNow(Collection<AssignedPartition> partitions, long timeoutNanos) {
        commits.commitNow(partitions, timeoutNanos);
    }

    @Override
    public boolean commitsStarts() {
        return true;
    }
}
