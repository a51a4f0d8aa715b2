package dev.weir.kafka;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A consumer at one moment, at most a second old. */
public final class ConsumerSnapshot {

    private final Values values;

    private ConsumerSnapshot(
            List<PartitionSnapshot> partitions, int bufferedRecords, long commits, long failedCommits, int rebalances) {
        this.values = new Values(partitions, bufferedRecords, commits, failedCommits, rebalances);
    }

    /** For tests of code that reads one; the engine makes those of a run. */
    public static ConsumerSnapshot of(
            List<PartitionSnapshot> partitions, int bufferedRecords, long commits, long failedCommits, int rebalances) {
        return new ConsumerSnapshot(partitions, bufferedRecords, commits, failedCommits, rebalances);
    }

    /** The assigned partitions in order. */
    public List<PartitionSnapshot> partitions() {
        return values.partitions;
    }

    /** Records fetched that the pipeline has not yet pulled. */
    public int bufferedRecords() {
        return values.bufferedRecords;
    }

    /** Commits that succeeded so far. */
    public long commits() {
        return values.commits;
    }

    /** Commits that failed so far, each of them retried. */
    public long failedCommits() {
        return values.failedCommits;
    }

    /** Times that partitions were revoked or lost. */
    public int rebalances() {
        return values.rebalances;
    }

    /** One assigned partition. */
    public static final class PartitionSnapshot {

        private final PartitionValues values;

        private PartitionSnapshot(
                String topic, int partition, boolean paused, int outstanding, long committed, long lag) {
            this.values = new PartitionValues(topic, partition, paused, outstanding, committed, lag);
        }

        /** For tests of code that reads one; the engine makes those of a run. */
        public static PartitionSnapshot of(
                String topic, int partition, boolean paused, int outstanding, long committed, long lag) {
            return new PartitionSnapshot(topic, partition, paused, outstanding, committed, lag);
        }

        /** Its topic. */
        public String topic() {
            return values.topic;
        }

        /** Its number. */
        public int partition() {
            return values.partition;
        }

        /** Whether fetching pauses because the pipeline cannot keep up. */
        public boolean paused() {
            return values.paused;
        }

        /** Records emitted or buffered from the first unfinished one on. */
        public int outstanding() {
            return values.outstanding;
        }

        /** The offset last committed in this assignment, or -1. */
        public long committed() {
            return values.committed;
        }

        /** Records between the first unfinished one and the end of the partition, or -1 if not yet known. */
        public long lag() {
            return values.lag;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof PartitionSnapshot that && values.equals(that.values);
        }

        @Override
        public int hashCode() {
            return values.hashCode();
        }

        @Override
        public String toString() {
            return values.toString().replaceFirst("PartitionValues", "PartitionSnapshot");
        }

        private record PartitionValues(
                String topic, int partition, boolean paused, int outstanding, long committed, long lag) {}
    }

    /** Records in the pipeline: pulled and not finished, or finished after one that is not. */
    public long inFlight() {
        return Math.max(
                0,
                values.partitions.stream()
                                .mapToLong(PartitionSnapshot::outstanding)
                                .sum()
                        - values.bufferedRecords);
    }

    public long pausedPartitions() {
        return values.partitions.stream().filter(PartitionSnapshot::paused).count();
    }

    /** The lag in records, over the partitions whose lag is known. */
    public long lag() {
        return values.partitions.stream()
                .mapToLong(partition -> Math.max(0, partition.lag()))
                .sum();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ConsumerSnapshot that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "ConsumerSnapshot");
    }

    private record Values(
            List<PartitionSnapshot> partitions,
            int bufferedRecords,
            long commits,
            long failedCommits,
            int rebalances) {}
}
