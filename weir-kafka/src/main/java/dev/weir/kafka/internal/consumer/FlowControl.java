package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ConsumerSettings;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * Decides which partitions pause. Confined to the owner thread.
 *
 * <p>A partition pauses when its outstanding records reach the high mark, or its outstanding bytes its share of the
 * budget, and goes on when both are down to half. Between the marks nothing happens, because each pause and resume costs
 * the client something. What the client has fetched for a paused partition stays in the client.
 *
 * <p>With so many partitions that the smallest shares exceed the budget, all pause when the whole budget is used, and go
 * on when half of it is free.
 */
final class FlowControl {

    /** So that with very many partitions each can still hold a few records. */
    private static final long MIN_SHARE_BYTES = 16 * 1024;

    private final int highRecords;
    private final long budgetBytes;
    private boolean allPaused;

    /** Creates a control over trackers that count {@code recordsPerToken} records as one. */
    FlowControl(ConsumerSettings<?, ?> settings, int recordsPerToken) {
        this.highRecords = Math.max(1, settings.maxOutstandingRecords() / recordsPerToken);
        this.budgetBytes = settings.bufferBytes();
    }

    private long share(int partitions) {
        return Math.max(MIN_SHARE_BYTES, budgetBytes / Math.max(1, partitions));
    }

    private boolean isOvercommitted(int partitions) {
        return partitions * MIN_SHARE_BYTES > budgetBytes;
    }

    /** Pauses all if the budget is used up, which shares alone do not prevent. Call after each poll that brought records. */
    void afterPoll(Map<TopicPartition, AssignedPartition> assignment, Fetcher fetcher) {
        if (allPaused || !isOvercommitted(assignment.size()) || outstandingBytes(assignment) < budgetBytes) {
            return;
        }
        assignment.values().forEach(AssignedPartition::advance);
        if (outstandingBytes(assignment) >= budgetBytes) {
            allPaused = true;
            Collection<TopicPartition> running = new ArrayList<>();
            for (AssignedPartition partition : assignment.values()) {
                if (!partition.paused) {
                    partition.paused = true;
                    running.add(partition.id);
                }
            }
            fetcher.pause(running);
        }
    }

    private static long outstandingBytes(Map<TopicPartition, AssignedPartition> assignment) {
        long bytes = 0;
        for (AssignedPartition partition : assignment.values()) {
            bytes += partition.tracker.outstandingBytes();
        }
        return bytes;
    }

    /** Whether enough of the budget is free for all to go on; if not, some tracker will call when that may have changed. */
    private boolean isFreeAgain(Map<TopicPartition, AssignedPartition> assignment) {
        boolean looksAgain;
        do {
            assignment.values().forEach(AssignedPartition::advance);
            if (outstandingBytes(assignment) <= budgetBytes / 2) {
                return true;
            }
            looksAgain = false;
            for (AssignedPartition partition : assignment.values()) {
                looksAgain |= !partition.tracker.isIdle() && !partition.tracker.watch(0, 0);
            }
        } while (looksAgain);
        return false;
    }

    /** Pauses the partition if it is full. */
    void afterFetch(AssignedPartition partition, int assigned, Fetcher fetcher) {
        if (!partition.paused && isFull(partition, assigned)) {
            partition.advance();
            if (isFull(partition, assigned)) {
                partition.paused = true;
                fetcher.pause(List.of(partition.id));
            }
        }
    }

    /** Which of the two marks a paused partition is above, or was. */
    Paused reason(AssignedPartition partition, int assigned) {
        boolean manyBytes = partition.tracker.outstandingBytes() > share(assigned) / 2;
        boolean manyRecords = partition.tracker.outstanding() > highRecords / 2;
        return allPaused || (manyBytes && !manyRecords) ? Paused.BUDGET : Paused.WINDOW;
    }

    private boolean isFull(AssignedPartition partition, int assigned) {
        return partition.tracker.outstanding() >= highRecords
                || partition.tracker.outstandingBytes() >= share(assigned);
    }

    /**
     * Resumes partitions that are low again and asks the others' trackers to call when they may be. Call before each
     * poll.
     */
    void resumeLow(Map<TopicPartition, AssignedPartition> assignment, Fetcher fetcher) {
        if (allPaused && isOvercommitted(assignment.size()) && !isFreeAgain(assignment)) {
            return;
        }
        allPaused = false;
        Collection<TopicPartition> low = new ArrayList<>();
        for (AssignedPartition partition : assignment.values()) {
            if (partition.paused
                    && !partition.atEnd
                    && !partition.held
                    && !partition.parked
                    && becomesLow(partition, assignment.size())) {
                partition.paused = false;
                low.add(partition.id);
            }
        }
        if (!low.isEmpty()) {
            fetcher.resume(low);
        }
    }

    private boolean becomesLow(AssignedPartition partition, int assigned) {
        int lowRecords = highRecords / 2;
        long lowBytes = share(assigned) / 2;
        do {
            partition.advance();
            if (partition.tracker.outstanding() <= lowRecords && partition.tracker.outstandingBytes() <= lowBytes) {
                partition.tracker.unwatch();
                return true;
            }
        } while (!partition.tracker.watch(lowRecords, lowBytes));
        return false;
    }
}
