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
 * <p>A partition pauses when its outstanding records reach the limit, or when its outstanding bytes reach its share of
 * the budget. It may resume when both are down to half. There is a gap between the two thresholds because each pause
 * and resume costs the client some work. Records that the client has already fetched for a paused partition stay in the
 * client.
 *
 * <p>Partitions that may resume wait for each other, because one fetch request for many partitions costs little more
 * than one for a single partition. They resume together in three cases: when no paused partition is above half; when
 * one partition is down to a quarter and at most half of its peers (same outlet and priority) have waiting records, so
 * that the pipeline will soon have little to choose from; or when none of the peers of a partition that may resume has
 * waiting records, because stages hold them. A partition from which nothing was read yet, after a seek for example,
 * resumes immediately.
 *
 * <p>Records can be larger than a share, and shares have a minimum, so all shares together can exceed the budget.
 * Therefore all partitions pause when the whole budget is used, and resume when half of it is free. If that takes too
 * long because some partitions are stuck, the others resume when half of the remaining budget is free. See ADR 62.
 */
public final class FlowControl {

    /** Minimum share, so that even with very many partitions each one can hold a few records. */
    private static final long MIN_SHARE_BYTES = 16 * 1024;

    /** Maximum multiple of the lowest priority's share. Each priority has twice the share of the one below it. */
    private static final int MAX_SHARES = 16;

    /**
     * Divisors of a partition's limits. A partition may resume when at most 1/{@code LOW} of its limits is outstanding.
     * At 1/{@code URGENT}, it waits only while many of its peers have waiting records.
     */
    private static final int LOW = 2;

    private static final int URGENT = 4;

    /** Up to this number of partitions, the cost of their requests does not matter. */
    private static final int FEW = 4;

    /**
     * After all partitions have been paused for this time, the records still held count as stuck, and the other
     * partitions resume.
     */
    static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int recordsPerToken;
    private final long fetchBytes;
    private final OwnerClock clock;
    private final Runnable wake;

    /** In tokens. Each token may stand for several records. */
    private volatile int highRecords;

    private volatile long budgetBytes;
    private int partitions;
    private long shares;
    private boolean allPaused;
    private long allPausedNanos;

    /**
     * Outstanding bytes at which all partitions resume although more than half of the budget is used; 0 while nothing
     * is stuck.
     */
    private long goOnBytes;

    /**
     * Creates a flow control for trackers that count {@code recordsPerToken} records as one.
     *
     * @param fetchBytes maximum number of bytes per partition in a fetch, unless its first batch is larger
     * @param wake called by any thread when {@link #resumeLow} may have something to do
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
     * Sets the number of outstanding records at which a partition pauses. The trackers must have that capacity. Any
     * thread.
     */
    public void maxOutstandingRecords(int records) {
        highRecords = Math.max(1, records / recordsPerToken);
        wake.run();
    }

    /** Sets the budget. Any thread. */
    public void bufferBytes(long bytes) {
        budgetBytes = bytes;
        wake.run();
    }

    /** Returns the number of budget shares that a partition's priority gives it. */
    static int shares(Priorities priorities, TopicPartition id) {
        int below = priorities.countBelow(priorities.of(id));
        return below >= Integer.numberOfTrailingZeros(MAX_SHARES) ? MAX_SHARES : 1 << below;
    }

    /** Recomputes the shares. Call after partitions were added or removed. */
    void divide(Collection<AssignedPartition> assigned) {
        partitions = assigned.size();
        shares = 0;
        for (AssignedPartition partition : assigned) {
            shares += partition.shares();
        }
    }

    private long shareBytes(AssignedPartition partition) {
        long beyondMinimum = Math.max(0, budgetBytes - partitions * MIN_SHARE_BYTES);
        return MIN_SHARE_BYTES + beyondMinimum / Math.max(1, shares) * partition.shares();
    }

    private boolean isOvercommitted() {
        return partitions * MIN_SHARE_BYTES > budgetBytes;
    }

    /**
     * Returns the number of outstanding bytes at which all partitions pause. This is more than the budget, unless the
     * budget {@linkplain #isOvercommitted is overcommitted}: an ordinary fetch that exceeds its partition's share must
     * not pause the other partitions. Otherwise a few stuck partitions above their shares would stop all others.
     */
    private long stopBytes() {
        return isOvercommitted() ? budgetBytes : budgetBytes + Math.min(partitions * fetchBytes, budgetBytes / 2);
    }

    /**
     * Pauses all partitions if the budget is used up, which is possible even though each partition has a share. Call
     * after each poll that returned records.
     */
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
        // Includes partitions that were added after all others were paused.
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
        for (int i = 0; i < assignment.size(); i++) { // no iterator, because this runs in every turn
            bytes += assignment.get(i).tracker().outstandingBytes();
        }
        return bytes;
    }

    /**
     * Returns whether enough of the budget is free for all partitions to resume. If not, a tracker makes a callback
     * when that may have changed.
     */
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

    /** Returns the limit that a paused partition exceeded. Its outstanding records may have decreased since. */
    public Paused reason(AssignedPartition partition) {
        return allPaused || partition.isFullOfBytes() ? Paused.BUDGET : Paused.WINDOW;
    }

    private boolean isFull(AssignedPartition partition) {
        return partition.tracker().outstanding() >= highRecords
                || partition.tracker().outstandingBytes() >= shareBytes(partition);
    }

    /**
     * Resumes partitions that are low again. The trackers of the other paused partitions make a callback when these
     * partitions may be low. Call before each poll.
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
     * The paused partitions with one outlet and one priority.
     *
     * @param paused the number of these partitions
     * @param ready the number of these partitions that have waiting records
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
     * Returns whether at most 1/{@code part} of the partition's limits is outstanding. If not, its tracker makes a
     * callback when that may have changed.
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
