package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import java.util.Collection;
import java.util.concurrent.TimeUnit;

/**
 * Holes among what is finished, too many to be noted in a commit. Without intake they close by themselves where the
 * pipeline works on them. Those that an operator holds, until more elements come or the stream ends, do not: so the
 * intake is held only while something moves. Confined to the owner thread.
 */
final class CommitGaps {

    /** The time without progress. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private boolean there;
    private long heads;
    private long movedNanos;

    /**
     * Returns true if the finished offsets do not fit into a commit; whether to hold the intake so that it soon may.
     */
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

    /** It fits. */
    void end() {
        there = false;
    }

    boolean isThere() {
        return there;
    }
}
