package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import java.util.Collection;
import java.util.concurrent.TimeUnit;

/**
 * Handles gaps between finished offsets that are too many for a commit's metadata. With the intake stopped, gaps close
 * by themselves where the pipeline works on them. Gaps that an operator holds until more elements arrive or the stream
 * ends do not close, so the intake is stopped only while there is progress. Confined to the owner thread.
 */
final class CommitGaps {

    /** The time without progress after which the intake resumes. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private boolean there;
    private long heads;
    private long movedNanos;

    /** Returns whether to stop the intake, given that the finished offsets do not fit into a commit. */
    boolean isWorthHolding(Collection<AssignedPartition> partitions, long nowNanos) {
        long now = partitions.stream()
                .mapToLong(partition -> partition.tracker().firstUnfinished())
                .sum();
        if (!there || now != heads) {
            there = true;
            heads = now;
            movedNanos = nowNanos;
        }
        return nowNanos - movedNanos < PATIENCE_NANOS;
    }

    /** Reports that the finished offsets fit. */
    void end() {
        there = false;
    }

    boolean isThere() {
        return there;
    }
}
