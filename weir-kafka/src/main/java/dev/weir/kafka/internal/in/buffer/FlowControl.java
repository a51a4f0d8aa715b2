package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.Subscription.Priorities;
import dev.weir.kafka.internal.in.buffer.AssignedPartition.PauseReason;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Decides which partitions to pause. Confined to the owner thread, except for the setters of the two limits, which any
 * thread may call.
 *
 * <p>A partition is paused when its outstanding records reach the limit, or when its outstanding bytes reach its share
 * of the budget. It may resume when both have fallen to half of their limits. The gap keeps pauses rare, because they
 * cost the client some work.
 *
 * <p>Partitions that may resume wait for each other, because one fetch request for many partitions costs little more
 * than a request for a single partition. They resume together in any of these cases:
 *
 * <ul>
 *   <li>All partitions that only flow control pauses have fallen to half of their limits.
 *   <li>One of these partitions has fallen to a quarter of its limits, and few of its peers (at most half of them, or
 *       at most four) have records in the buffer. Peers are the paused partitions with the same buffer and priority.
 *   <li>One of these partitions has no peer with records in the buffer.
 *   <li>Nothing has been read from one of these partitions yet, for example after a seek.
 * </ul>
 *
 * <p>The partitions together can exceed the budget, because a record can be larger than a share. All partitions are
 * therefore paused when the sum of their outstanding bytes reaches a common limit, and resume when it has fallen to
 * half of this limit. If a slow record keeps the sum above half for a second, the outstanding bytes count as stuck and
 * are subtracted from the limit. The other partitions then resume when half of the remaining limit is free. See ADR 62.
 */
public final class FlowControl {

    /** Minimum share of a partition, even if all shares together then exceed the budget. */
    private static final long MIN_SHARE_BYTES = 16 * 1024;

    /** Maximum weight of a partition when the budget is divided. The weight doubles with each higher priority. */
    private static final int MAX_WEIGHT = 16;

    /**
     * A partition may resume at 1/{@code LOW} of its limits, but usually waits for its peers. It stops waiting at
     * 1/{@code URGENT} of its limits if few peers have records in the buffer.
     */
    private static final int LOW = 2;

    private static final int URGENT = 4;

    /** A number of peers that always counts as few. */
    private static final int FEW = 4;

    /** Time after which outstanding bytes count as stuck if all partitions are paused. */
    static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int recordsPerToken;
    private final long fetchBytes;
    private final OwnerClock clock;
    private final Runnable wake;

    /** Limit of outstanding tokens per partition. A token may stand for several records. */
    private volatile int highRecords;

    private volatile long budgetBytes;
    private int partitions;
    private long weights;
    private boolean allPaused;
    private long allPausedNanos;

    /** Sum of outstanding bytes at which all partitions resume although some bytes are stuck; 0 if none are stuck. */
    private long goOnBytes;

    /**
     * Creates flow control with the limits in {@code settings}.
     *
     * @param recordsPerToken number of records that one acknowledgement token may represent; trackers count tokens
     * @param fetchBytes maximum number of bytes per partition in a fetch, unless the partition's first batch is larger
     * @param wake may be called by any thread; must make the owner thread call {@link #resumeLow}
     */
    public FlowControl(
            ConsumerSettings<?, ?> settings, int recordsPerToken, int fetchBytes, OwnerClock clock, Runnable wake) {
        this.fetchBytes = fetchBytes;
        this.clock = clock;
        this.recordsPerToken = recordsPerToken;
        this.highRecords = Math.max(1, settings.maxOutstandingRecords() / recordsPerToken);
        this.budgetBytes = settings.bufferBytes();
        this.wake = wake;
    }

    /**
     * Sets the number of outstanding records at which a partition is paused. Must not exceed the capacity of the
     * trackers. May be called from any thread.
     */
    public void maxOutstandingRecords(int records) {
        highRecords = Math.max(1, records / recordsPerToken);
        wake.run();
    }

    /** Sets the memory budget. May be called from any thread. */
    public void bufferBytes(long bytes) {
        budgetBytes = bytes;
        wake.run();
    }

    static int weight(Priorities priorities, TopicPartition id) {
        int below = priorities.countBelow(priorities.of(id));
        return below >= Integer.numberOfTrailingZeros(MAX_WEIGHT) ? MAX_WEIGHT : 1 << below;
    }

    /** Recomputes the shares after partitions were added or removed. */
    void divide(Collection<AssignedPartition> assigned) {
        partitions = assigned.size();
        weights = 0;
        for (AssignedPartition partition : assigned) {
            weights += partition.weight();
        }
    }

    private long shareBytes(AssignedPartition partition) {
        long beyondMinimum = Math.max(0, budgetBytes - partitions * MIN_SHARE_BYTES);
        return MIN_SHARE_BYTES + beyondMinimum / Math.max(1, weights) * partition.weight();
    }

    private boolean isOvercommitted() {
        return partitions * MIN_SHARE_BYTES > budgetBytes;
    }

    /**
     * Returns the sum of outstanding bytes at which all partitions are paused. This is the budget if the budget
     * {@linkplain #isOvercommitted is overcommitted}; otherwise it is more, because a fetch may exceed its partition's
     * share.
     */
    private long stopBytes() {
        return isOvercommitted() ? budgetBytes : budgetBytes + Math.min(partitions * fetchBytes, budgetBytes / 2);
    }

    /** Pauses all partitions if the budget is used up. Call after each poll that returned records. */
    public void afterPoll(List<AssignedPartition> assignment, RecordFetcher fetcher) {
        if (!allPaused) {
            if (outstandingBytes(assignment) < stopBytes()) {
                return;
            }
            assignment.forEach(AssignedPartition::advance);
            if (outstandingBytes(assignment) < stopBytes()) {
                return;
            }
            allPaused = true;
            allPausedNanos = clock.nanoTime();
        }
        // Also pauses partitions added since all others were paused.
        Collection<TopicPartition> running = new ArrayList<>();
        for (AssignedPartition partition : assignment) {
            if (partition.pauseForBytes()) {
                partition.standsStillFrom(clock.nanoTime());
                running.add(partition.id());
            }
        }
        fetcher.pause(running);
    }

    private static long outstandingBytes(List<AssignedPartition> assignment) {
        long bytes = 0;
        for (int i = 0; i < assignment.size(); i++) { // avoids allocating an iterator
            bytes += assignment.get(i).tracker().outstandingBytes();
        }
        return bytes;
    }

    /** Returns whether all partitions may resume. If not, the trackers wake the owner thread later to check again. */
    private boolean isFreeAgain(List<AssignedPartition> assignment) {
        boolean looksAgain;
        do {
            assignment.forEach(AssignedPartition::advance);
            if (isLow(outstandingBytes(assignment))) {
                return true;
            }
            looksAgain = false;
            for (AssignedPartition partition : assignment) {
                looksAgain |=
                        !partition.tracker().isIdle() && !partition.tracker().watch(0, 0);
            }
        } while (looksAgain);
        return false;
    }

    private boolean isLow(long bytes) {
        long stopBytes = stopBytes();
        if (bytes <= stopBytes / 2) {
            goOnBytes = 0;
        } else if (bytes < stopBytes && clock.nanoTime() - allPausedNanos >= STUCK_NANOS) {
            goOnBytes = bytes + (stopBytes - bytes) / 2;
        }
        return bytes <= Math.max(stopBytes / 2, Math.min(goOnBytes, stopBytes - 1));
    }

    /** Pauses the partition if it has reached one of its limits. */
    public void afterFetch(AssignedPartition partition, RecordFetcher fetcher) {
        if (!partition.isPaused() && isFull(partition)) {
            partition.advance();
            if (isFull(partition)) {
                boolean ignored = partition.tracker().outstanding() < highRecords
                        ? partition.pauseForBytes()
                        : partition.pause(PauseReason.FLOW);
                partition.standsStillFrom(clock.nanoTime());
                fetcher.pause(List.of(partition.id()));
            }
        }
    }

    /** Returns the limit for which the partition was paused. */
    public Paused reason(AssignedPartition partition) {
        return allPaused || partition.isFullOfBytes() ? Paused.BUDGET : Paused.WINDOW;
    }

    private boolean isFull(AssignedPartition partition) {
        return partition.tracker().outstanding() >= highRecords
                || partition.tracker().outstandingBytes() >= shareBytes(partition);
    }

    /**
     * Resumes partitions that have fallen to half of their limits. For the others, the trackers wake the owner thread
     * later to check again. Must be called before each poll.
     */
    public void resumeLow(List<AssignedPartition> assignment, RecordFetcher fetcher) {
        if (allPaused && !isFreeAgain(assignment)) {
            return;
        }
        allPaused = false;
        List<AssignedPartition> low = List.of();
        boolean allLow = true;
        boolean begins = false;
        for (int i = 0; i < assignment.size(); i++) {
            AssignedPartition partition = assignment.get(i);
            if (partition.mayResume()) {
                if (isDownTo(partition, LOW)) {
                    low = low.isEmpty() ? new ArrayList<>() : low;
                    low.add(partition);
                    begins |= partition.tracker().committableOffset() < 0;
                } else {
                    allLow = false;
                }
            }
        }
        boolean urgent = allLow || begins;
        @Nullable Peers peers = null;
        for (int i = 0; !urgent && i < low.size(); i++) {
            AssignedPartition partition = low.get(i);
            if (peers == null || !peers.include(partition)) {
                peers = Peers.of(partition, assignment);
            }
            int few = isDownTo(partition, URGENT) ? Math.max(FEW, peers.paused / 2) : 0;
            urgent = peers.ready <= few || !partition.outlet().watchReady(partition.buffered().priority, few, wake);
        }
        if (urgent && !low.isEmpty()) {
            Collection<TopicPartition> resumed = new ArrayList<>();
            for (AssignedPartition partition : low) {
                partition.tracker().unwatch();
                partition.resume(clock.nanoTime());
                resumed.add(partition.id());
            }
            fetcher.resume(resumed);
        }
    }

    /**
     * The paused partitions with the same buffer and priority.
     *
     * @param paused the number of these partitions
     * @param ready how many of them have records in the buffer
     */
    private record Peers(RecordBuffer outlet, int priority, int paused, int ready) {

        static Peers of(AssignedPartition one, Collection<AssignedPartition> assigned) {
            List<AssignedPartition> peers = new ArrayList<>();
            for (AssignedPartition partition : assigned) {
                if (partition.isPaused()
                        && partition.outlet() == one.outlet()
                        && partition.buffered().priority == one.buffered().priority) {
                    peers.add(partition);
                }
            }
            return new Peers(
                    one.outlet(),
                    one.buffered().priority,
                    peers.size(),
                    one.outlet().countReady(peers));
        }

        boolean include(AssignedPartition partition) {
            return partition.outlet() == outlet && partition.buffered().priority == priority;
        }
    }

    /**
     * Returns whether at most 1/{@code part} of the limits is outstanding. If not, the tracker wakes the owner thread
     * later to check again.
     */
    private boolean isDownTo(AssignedPartition partition, int part) {
        int records = highRecords / part;
        long bytes = shareBytes(partition) / part;
        do {
            partition.advance();
            if (partition.tracker().outstanding() <= records
                    && partition.tracker().outstandingBytes() <= bytes) {
                return true;
            }
        } while (!partition.tracker().watch(records, bytes));
        return false;
    }
}
