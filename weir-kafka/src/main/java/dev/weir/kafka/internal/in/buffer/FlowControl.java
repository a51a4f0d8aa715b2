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
 * Decides which partitions pause. Confined to the owner thread, but for the two limits, which any thread may change.
 *
 * <p>A partition pauses when its outstanding records reach the high mark, or its outstanding bytes its share of the
 * budget, and may go on when both are down to half. Between the marks nothing happens, because each pause and resume
 * costs the client something. What the client has fetched for a paused partition stays in the client.
 *
 * <p>Those that may go on wait for each other, because a fetch request for many partitions costs the client and the
 * brokers little more than one for a single one: until none is above half, or the pipeline will soon have little to
 * choose from. That is so when one is down to a quarter, and of its peers (those that go the same way with the same
 * priority) at most half have something waiting; or when none of its peers has, because stages hold what was taken. For
 * one of which nothing was read yet, as after a seek, nobody waits.
 *
 * <p>Records can be larger than a share, and shares, which have a least size, can exceed the budget together. So all
 * pause when the whole budget is used, and go on when half of it is free. If that takes long, because some partitions
 * are stuck, the others go on when half of what those leave is free. See ADR 62.
 */
public final class FlowControl {

    /** Least share, so that with very many partitions each can still hold a few records. */
    private static final long MIN_SHARE_BYTES = 16 * 1024;

    /** Largest multiple of the lowest priority's share; each priority has twice the share of the one below it. */
    private static final int MAX_SHARES = 16;

    /** The parts of what a partition may hold below which it may go on, and must. */
    private static final int LOW = 2;

    private static final int URGENT = 4;

    /** Partitions that are too few for their requests to matter. */
    private static final int FEW = 4;

    /** The time for which all pause before the records still held count as stuck, and the others go on without them. */
    static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int recordsPerToken;
    private final long fetchBytes;
    private final OwnerClock clock;
    private final Runnable wake;

    /** Tokens, not records. */
    private volatile int highRecords;

    private volatile long budgetBytes;
    private int partitions;
    private long shares;
    private boolean allPaused;
    private long allPausedNanos;

    /** Down to which all go on though more than half is used; 0 as long as nothing is stuck. */
    private long goOnBytes;

    /**
     * Creates a control over trackers that count {@code recordsPerToken} records as one.
     *
     * @param fetchBytes what a fetch brings of a partition at most, unless its first batch is larger
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

    /** Changes the unfinished records at which a partition pauses; the trackers must have room for them. Any thread. */
    public void maxOutstandingRecords(int records) {
        highRecords = Math.max(1, records / recordsPerToken);
        wake.run();
    }

    /** Changes the budget. Any thread. */
    public void bufferBytes(long bytes) {
        budgetBytes = bytes;
        wake.run();
    }

    /** The shares of the budget that a partition has by its priority. */
    static int shares(Priorities priorities, TopicPartition id) {
        int below = priorities.countBelow(priorities.of(id));
        return below >= Integer.numberOfTrailingZeros(MAX_SHARES) ? MAX_SHARES : 1 << below;
    }

    /** Divides the budget anew. Call when partitions have come or gone. */
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
     * The number of bytes at which all pause. An ordinary fetch takes a partition past its share; that alone stops
     * nobody, or those that are stuck above their shares would stop the others.
     */
    private long stopBytes() {
        return isOvercommitted() ? budgetBytes : budgetBytes + Math.min(partitions * fetchBytes, budgetBytes / 2);
    }

    /**
     * Pauses all if the budget is used up, which shares alone do not prevent.
     * Call after each poll that brought records.
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
        // Those too that have come since all were paused.
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
        for (int i = 0; i < assignment.size(); i++) { // no iterator, for each turn
            bytes += assignment.get(i).tracker().outstandingBytes();
        }
        return bytes;
    }

    /**
     * Returns whether enough of the budget is free for all to go on; if not, some tracker will call when that may have
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

    /** The mark that a paused partition was above; what is outstanding may have gone down since. */
    public Paused reason(AssignedPartition partition) {
        return allPaused || partition.isFullOfBytes() ? Paused.BUDGET : Paused.WINDOW;
    }

    private boolean isFull(AssignedPartition partition) {
        return partition.tracker().outstanding() >= highRecords
                || partition.tracker().outstandingBytes() >= shareBytes(partition);
    }

    /**
     * Resumes partitions that are low again and asks the others' trackers to call when they may be. Call before each
     * poll.
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
     * The paused partitions that go out by one way with one priority: how many,
     * and how many of them have records waiting.
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
     * Returns whether so small a part of what it may hold is outstanding; if not, its tracker will call when that may
     * be.
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
