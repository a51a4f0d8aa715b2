package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import java.util.Collection;
import java.util.concurrent.TimeUnit;

/**
 * Decides whether the pipeline should stop reading because its finished offsets do not fit into a commit's metadata.
 * Reading stops only while the gaps between these offsets are closing. Confined to the thread that owns the consumer.
 */
final class CommitGaps {

    /** The time without progress after which the pipeline reads again. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private boolean there;
    private long heads;
    private long movedNanos;

    /** Returns whether the pipeline should stop reading. Called when the finished offsets do not fit into a commit. */
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

    /** Reports that the finished offsets fit into a commit. */
    void end() {
        there = false;
    }

    boolean isThere() {
        return there;
    }
}
