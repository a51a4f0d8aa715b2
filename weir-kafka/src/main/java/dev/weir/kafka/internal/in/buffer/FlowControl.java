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
 * Decides which partitions pause. Confined to the owner thread, except for the two limits, which any thread may change.
 *
 * <p>A partition pauses when its outstanding records reach the upper limit, or its outstanding bytes its share of the
 * budget, and may resume when both are down to half. In between nothing happens, because each pause and resume costs
 * the client something. Records that the client has already fetched for a paused partition stay in the client.
 *
 * <p>Partitions that may resume wait for each other, because one fetch request for many partitions costs little more
 * than one for a single partition. They resume together when none is above half, or when the pipeline will soon have
 * little to choose from: one partition is down to a quarter and at most half of its peers (same outlet and priority)
 * have waiting records, or none of its peers has any, because stages hold them. A partition that has not been read yet,
 * as after a seek, resumes at once.
 *
 * <p>Records can be larger than a share, and shares have a minimum, so together they can exceed the budget. All
 * partitions therefore pause when the whole budget is used, and resume when half of it is free. If that takes long
 * because some partitions are stuck, the others resume when half of the rest is free. See ADR 62.
 */
public final class FlowControl {

    /** Smallest share, so that each of very many partitions can still hold a few records. */
    private static final long MIN_SHARE_BYTES = 16 * 1024;

    /** Largest multiple of the lowest priority's share; each priority has twice the share of the one below it. */
    private static final int MAX_SHARES = 16;

    /**
     * Divisors of a partition's limits: at or below 1/{@code LOW} it may resume, at or below 1/{@code URGENT} it must.
     */
    private static final int LOW = 2;

    private static final int URGENT = 4;

    /** Number of partitions up to which the cost of their requests does not matter. */
    private static final int FEW = 4;

    /** The time for which all partitions pause before the records still held count as stuck, and the others resume. */
    static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int recordsPerToken;
    private final long fetchBytes;
    private final OwnerClock clock;
    private final Runnable wake;

    /** In tokens, not records. */
    private volatile int highRecords;

    private volatile long budgetBytes;
    private int partitions;
    private long shares;
    private boolean allPaused;
    private long allPausedNanos;

    /** Outstanding bytes at which all resume although more than half is used; 0 as long as nothing is stuck. */
    private long goOnBytes;

    /**
     * Creates a control over trackers that count {@code recordsPerToken} records as one.
     *
     * @param fetchBytes most bytes per partition in a fetch, unless its first batch is larger
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
     * Changes the number of unfinished records at which a partition pauses; the trackers must have that capacity. Any
     * thread.
     */
    public void maxOutstandingRecords(int records) {
        highRecords = Math.max(1, records / recordsPerToken);
        wake.run();
    }

    /** Changes the budget. Any thread. */
    public void bufferBytes(long bytes) {
        budgetBytes = bytes;
        wake.run();
    }

    /** The number of budget shares that a partition has by its priority. */
    static int shares(Priorities priorities, TopicPartition id) {
        int below = priorities.countBelow(priorities.of(id));
        return below >= Integer.numberOfTrailingZeros(MAX_SHARES) ? MAX_SHARES : 1 << below;
    }

    /** Recomputes the shares. Call when partitions were added or removed. */
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
     * The number of bytes at which all partitions pause. An ordinary fetch may exceed a partition's share without
     * pausing the others, or stuck partitions above their shares would stop them.
     */
    private long stopBytes() {
        return isOvercommitted() ? budgetBytes : budgetBytes + Math.min(partitions * fetchBytes, budgetBytes / 2);
    }

    /**
     * Pauses all partitions if the budget is used up, which shares alone do not prevent. Call after each poll with
     * records.
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
        // Includes partitions added since all were paused.
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
        for (int i = 0; i < assignment.size(); i++) { // no iterator per turn
            bytes += assignment.get(i).tracker().outstandingBytes();
        }
        return bytes;
    }

    /**
     * Returns whether enough of the budget is free for all to resume; if not, a tracker will call when that may have
     * changed.
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

    /** Pauses the partition if it is full. */
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

    /** The limit that a paused partition exceeded; its outstanding records may have decreased since. */
    public Paused reason(AssignedPartition partition) {
        return allPaused || partition.isFullOfBytes() ? Paused.BUDGET : Paused.WINDOW;
    }

    private boolean isFull(AssignedPartition partition) {
        return partition.tracker().outstanding() >= highRecords
                || partition.tracker().outstandingBytes() >= shareBytes(partition);
    }

    /**
     * Resumes partitions that are low again, and asks the trackers of the others to call when they may be. Call before
     * each poll.
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
     * The paused partitions with one outlet and one priority: how many there are, and how many have waiting records.
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
     * Returns whether at most this fraction of the partition's limits is outstanding; if not, its tracker will call
     * when that may be the case.
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
