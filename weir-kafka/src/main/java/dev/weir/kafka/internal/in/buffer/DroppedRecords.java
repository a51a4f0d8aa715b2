package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.ConsumerSnapshot.RecordRange;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.TopicPartition;

/**
 * Keeps track of dropped and skipped records. Dropped records were pulled by the pipeline but were not finished when
 * their assignment ended. Skipped records were never emitted. Thread-safe; only the owner thread adds records.
 *
 * <p>Work in progress continues when an assignment ends. A record therefore counts as dropped only if it is unfinished
 * and no stage works on it.
 */
public final class DroppedRecords {

    /** Maximum number of separate ranges. Later ranges are merged by partition and reason. */
    private static final int MAX_RANGES = 1_000;

    /** Number of ended assignments at which the list is cleaned up. */
    private static final int MANY_ENDED = 16;

    /** Reasons why records are dropped; {@link RecordRange#reason} contains their labels. */
    public enum Reason {
        REVOKED("revoked"),
        LOST("lost"),
        SEEK("seek"),
        OUT_OF_RANGE("out-of-range"),
        RECREATED("recreated"),
        ABORTED("aborted"),
        UNREADABLE("unreadable");

        private final String label;

        Reason(String label) {
            this.label = label;
        }
    }

    private record Ended(TopicPartition id, OffsetTracker tracker, Reason reason) {

        RecordRange range(long from, long to, long count) {
            return RecordRange.of(id.topic(), id.partition(), from, to, count, reason.label);
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final boolean counts;

    // Guarded by the lock.
    private final List<Ended> ended = new ArrayList<>();
    private final List<RecordRange> settled = new ArrayList<>();
    private final List<RecordRange> skipped = new ArrayList<>();
    private List<OffsetTracker> left = List.of();

    /**
     * Creates an instance without any records.
     *
     * @param counts whether to count dropped records; false if records are not tracked until they are finished
     */
    public DroppedRecords(boolean counts) {
        this.counts = counts;
    }

    /** Adds partitions whose assignment has ended. Their buffered records must already be withdrawn. */
    public void add(Collection<AssignedPartition> partitions, Reason reason) {
        lock.lock();
        try {
            if (!counts) {
                return;
            }
            if (ended.size() >= MANY_ENDED) {
                var ignored = settle(false);
            }
            for (AssignedPartition partition : partitions) {
                partition.advance();
                if (!partition.tracker().isIdle()) {
                    ended.add(new Ended(partition.id(), partition.tracker(), reason));
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Changes the reason {@link Reason#OUT_OF_RANGE} to {@link Reason#RECREATED}, once the partition's topic turns out
     * to be recreated.
     */
    public void wasRecreated(TopicPartition id) {
        lock.lock();
        try {
            ended.replaceAll(each -> each.id.equals(id) && each.reason == Reason.OUT_OF_RANGE
                    ? new Ended(id, each.tracker, Reason.RECREATED)
                    : each);
            settled.replaceAll(each -> each.topic().equals(id.topic())
                            && each.partition() == id.partition()
                            && each.reason().equals(Reason.OUT_OF_RANGE.label)
                    ? RecordRange.of(
                            each.topic(),
                            each.partition(),
                            each.from(),
                            each.to(),
                            each.count(),
                            Reason.RECREATED.label)
                    : each);
        } finally {
            lock.unlock();
        }
    }

    /** Adds skipped offsets: the partition continues at {@code to} instead of {@code from}. */
    public void skip(TopicPartition id, long from, long to, Reason reason) {
        lock.lock();
        try {
            RecordRange range = RecordRange.of(id.topic(), id.partition(), from, to, to - from, reason.label);
            if (from < to && !skipped.contains(range)) {
                add(skipped, range);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Reports that the consumer ends and the unfinished records of these partitions will not be finished. */
    public void leave(Collection<AssignedPartition> partitions) {
        lock.lock();
        try {
            if (counts) {
                partitions.forEach(AssignedPartition::advance);
                left = partitions.stream().map(AssignedPartition::tracker).toList();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the records dropped so far.
     *
     * @param all whether to include records that a stage still works on; true once the consumer has ended
     */
    public List<RecordRange> dropped(boolean all) {
        lock.lock();
        try {
            if (ended.isEmpty()) {
                return List.copyOf(settled); // does not allocate if nothing was dropped
            }
            List<RecordRange> ranges = settle(all);
            ranges.addAll(0, settled);
            return List.copyOf(ranges);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Moves the dropped records of ended assignments to {@link #settled} once no stage works on them. Returns the
     * dropped records of assignments with work in progress.
     */
    private List<RecordRange> settle(boolean all) {
        List<RecordRange> ranges = new ArrayList<>();
        for (Ended each : List.copyOf(ended)) {
            OffsetTracker.Leftover leftover = each.tracker.leftover();
            if (leftover.held() == 0) {
                ended.remove(each);
                if (leftover.dropped() > 0) {
                    add(settled, each.range(leftover.from(), leftover.to(), leftover.dropped()));
                }
            } else {
                int count = leftover.dropped() + (all ? leftover.held() : 0);
                if (count > 0) {
                    ranges.add(each.range(leftover.from(), leftover.to(), count));
                }
            }
        }
        return ranges;
    }

    /** Returns the offsets that were never emitted because a policy skipped them. */
    public List<RecordRange> skipped() {
        lock.lock();
        try {
            return List.copyOf(skipped);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of records that were pulled but unfinished when the consumer ended; 0 before the end. */
    public long leftUndone() {
        lock.lock();
        try {
            return left.stream()
                    .map(OffsetTracker::leftover)
                    .mapToLong(leftover -> leftover.held() + leftover.dropped())
                    .sum();
        } finally {
            lock.unlock();
        }
    }

    private static void add(List<RecordRange> ranges, RecordRange next) {
        if (ranges.size() >= MAX_RANGES) {
            for (int i = 0; i < ranges.size(); i++) {
                RecordRange each = ranges.get(i);
                if (each.topic().equals(next.topic())
                        && each.partition() == next.partition()
                        && each.reason().equals(next.reason())) {
                    ranges.set(
                            i,
                            RecordRange.of(
                                    next.topic(),
                                    next.partition(),
                                    Math.min(each.from(), next.from()),
                                    Math.max(each.to(), next.to()),
                                    each.count() + next.count(),
                                    next.reason()));
                    return;
                }
            }
        }
        ranges.add(next);
    }
}
