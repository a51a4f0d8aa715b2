package dev.weir.kafka;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A consumer at one moment, at most a second old. */
public final class ConsumerSnapshot {

    private final Values values;

    private ConsumerSnapshot(Values values) {
        this.values = values;
    }

    /** Creates one for tests of code that reads it; in a run the engine creates it. */
    public static ConsumerSnapshot of(
            List<PartitionSnapshot> partitions, int bufferedRecords, long commits, long failedCommits, int rebalances) {
        return new ConsumerSnapshot(
                new Values(partitions, bufferedRecords, commits, failedCommits, rebalances, List.of(), List.of(), 0));
    }

    /** The same with other answers of {@link #dropped}, {@link #skipped} and {@link #leftUndone}. */
    public ConsumerSnapshot with(List<RecordRange> dropped, List<RecordRange> skipped, long leftUndone) {
        return new ConsumerSnapshot(new Values(
                values.partitions,
                values.bufferedRecords,
                values.commits,
                values.failedCommits,
                values.rebalances,
                List.copyOf(Objects.requireNonNull(dropped, "dropped")),
                List.copyOf(Objects.requireNonNull(skipped, "skipped")),
                leftUndone));
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

    /**
     * Records that the pipeline pulled and did not finish, because their assignment ended: {@code revoked} with work
     * unfinished at the deadline, {@code lost} with the session, {@code seek}; these are read again by whoever has the
     * partition. With {@code out-of-range} and {@code recreated} the log does not have them any more. A record whose
     * work goes on is not among them, and is in flight until that ends. Empty with transactions and at most once.
     */
    public List<RecordRange> dropped() {
        return values.dropped;
    }

    /**
     * Offsets that the out-of-range policy passed over, and batches that cannot be read and were left out ({@code
     * unreadable}): no pipeline got the records there, if there were any.
     */
    public List<RecordRange> skipped() {
        return values.skipped;
    }

    /** Records that were pulled and not finished when the consumer ended, and are read again; 0 while it runs. */
    public long leftUndone() {
        return values.leftUndone;
    }

    /** Range of records of a partition, with one reason. */
    public static final class RecordRange {

        private final RangeValues values;

        private RecordRange(RangeValues values) {
            this.values = values;
        }

        /** Creates one for tests of code that reads it; in a run the engine creates it. */
        public static RecordRange of(String topic, int partition, long from, long to, long count, String reason) {
            return new RecordRange(new RangeValues(
                    Objects.requireNonNull(topic, "topic"),
                    partition,
                    from,
                    to,
                    count,
                    Objects.requireNonNull(reason, "reason")));
        }

        /** Topic of the records. */
        public String topic() {
            return values.topic;
        }

        /** Partition of the records. */
        public int partition() {
            return values.partition;
        }

        /** The offset of the first one. */
        public long from() {
            return values.from;
        }

        /** Offset past the last record. */
        public long to() {
            return values.to;
        }

        /** The number of these records, at most that of the offsets between. */
        public long count() {
            return values.count;
        }

        /**
         * A word for the reason: {@code revoked}, {@code lost}, {@code seek}, {@code out-of-range}, {@code recreated}
         * or {@code unreadable}.
         */
        public String reason() {
            return values.reason;
        }

        /** Returns whether the log does not have these records any more, or not at these offsets. */
        public boolean isGone() {
            return values.reason.equals("out-of-range") || values.reason.equals("recreated");
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof RecordRange that && values.equals(that.values);
        }

        @Override
        public int hashCode() {
            return values.hashCode();
        }

        @Override
        public String toString() {
            return values.toString().replaceFirst("RangeValues", "RecordRange");
        }

        private record RangeValues(String topic, int partition, long from, long to, long count, String reason) {}
    }

    /** One assigned partition. */
    public static final class PartitionSnapshot {

        private final PartitionValues values;

        private PartitionSnapshot(
                String topic, int partition, boolean paused, int outstanding, long committed, long lag) {
            this.values = new PartitionValues(topic, partition, paused, outstanding, committed, lag);
        }

        /** Creates one for tests of code that reads it; in a run the engine creates it. */
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

        /** Returns whether fetching pauses because the pipeline cannot keep up. */
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
            int rebalances,
            List<RecordRange> dropped,
            List<RecordRange> skipped,
            long leftUndone) {}
}
