package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import java.util.Collection;
import java.util.List;

/** Commits nothing. */
final class NoCommits extends DeliveryCommits {

    NoCommits(OffsetCommits commits) {
        super(commits);
    }

    @Override
    public String guarantee() {
        return "without commits";
    }

    @Override
    void commitDue(List<AssignedPartition> assigned) {}

    @Override
    public long nanosUntilDue() {
        return Long.MAX_VALUE;
    }

    @Override
    public void commitNow(Collection<AssignedPartition> partitions, long timeoutNanos) {}
}
