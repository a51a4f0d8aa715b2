package dev.weir.kafka;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A snapshot of a consumer, at most a second old. Immutable. */
public final class ConsumerSnapshot {

    private final Values values;

    private ConsumerSnapshot(Values values) {
        this.values = values;
    }

    /** Creates an instance, for tests. */
    public static ConsumerSnapshot of(
            List<PartitionSnapshot> partitions, int bufferedRecords, long commits, long failedCommits, int rebalances) {
        return new ConsumerSnapshot(
                new Values(partitions, bufferedRecords, commits, failedCommits, rebalances, List.of(), List.of(), 0));
    }

    /** Returns a copy with different values for {@link #dropped}, {@link #skipped} and {@link #leftUndone}. */
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

    /** The assigned partitions, in order. */
    public List<PartitionSnapshot> partitions() {
        return values.partitions;
    }

    /** The number of fetched records that the pipeline has not yet pulled. */
    public int bufferedRecords() {
        return values.bufferedRecords;
    }

    /** The number of successful commits since the consumer started. */
    public long commits() {
        return values.commits;
    }

    /** The number of failed commits since the consumer started. Failed commits are retried. */
    public long failedCommits() {
        return values.failedCommits;
    }

    /** The number of times that partitions were revoked or lost. */
    public int rebalances() {
        return values.rebalances;
    }

    /**
     * The records that the pipeline had pulled but not finished when their partition's assignment ended. Empty with
     * at-most-once delivery. The reasons are:
     *
     * <ul>
     *   <li>{@code revoked} for records unfinished at the deadline of a revocation, {@code lost} after the member's
     *       session was lost, {@code seek} after a seek, and {@code aborted} after an aborted transaction. The
     *       partition's owner reads these records again, unless a seek has skipped them;
     *   <li>{@code out-of-range} and {@code recreated} for records that the log no longer contains.
     * </ul>
     *
     * <p>A record being processed is counted by {@link #inFlight}, and listed here when its processing has ended.
     * Records with output in an aborted transaction are counted by {@link TransactionHandle.Snapshot#rewoundRecords}
     * instead.
     */
    public List<RecordRange> dropped() {
        return values.dropped;
    }

    /**
     * The offsets skipped by the out-of-range policy, and the offsets of skipped unreadable batches
     * ({@code unreadable}).
     */
    public List<RecordRange> skipped() {
        return values.skipped;
    }

    /**
     * The number of records pulled but not finished when the consumer ended; 0 before that. They will be read again.
     */
    public long leftUndone() {
        return values.leftUndone;
    }

    /** A range of records in a partition, with a reason. Immutable. */
    public static final class RecordRange {

        private final RangeValues values;

        private RecordRange(RangeValues values) {
            this.values = values;
        }

        /** Creates an instance, for tests. */
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

        /** The offset of the first record. */
        public long from() {
            return values.from;
        }

        /** The end of the range, exclusive: the offset after the last record. */
        public long to() {
            return values.to;
        }

        /** The number of records, which may be lower than the number of offsets. */
        public long count() {
            return values.count;
        }

        /**
         * The reason: {@code revoked}, {@code lost}, {@code seek}, {@code out-of-range}, {@code recreated},
         * {@code aborted} or {@code unreadable}.
         */
        public String reason() {
            return values.reason;
        }

        /** Returns whether the log no longer contains these records at these offsets. */
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

    /** A snapshot of one assigned partition. Immutable. */
    public static final class PartitionSnapshot {

        private final PartitionValues values;

        private PartitionSnapshot(
                String topic, int partition, boolean paused, int outstanding, long committed, long lag) {
            this.values = new PartitionValues(topic, partition, paused, outstanding, committed, lag);
        }

        /** Creates an instance, for tests. */
        public static PartitionSnapshot of(
                String topic, int partition, boolean paused, int outstanding, long committed, long lag) {
            return new PartitionSnapshot(topic, partition, paused, outstanding, committed, lag);
        }

        /** The topic of the partition. */
        public String topic() {
            return values.topic;
        }

        /** The partition number. */
        public int partition() {
            return values.partition;
        }

        /** Returns whether fetching is paused because the pipeline cannot keep up. */
        public boolean paused() {
            return values.paused;
        }

        /**
         * The number of buffered and emitted records, starting with the first unfinished one. Includes later finished
         * records, because their offsets cannot be committed yet.
         */
        public int outstanding() {
            return values.outstanding;
        }

        /** The offset last committed during this assignment, or -1 if there was no commit. */
        public long committed() {
            return values.committed;
        }

        /** The number of records from the first unfinished one to the end of the partition, or -1 if unknown. */
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

    /**
     * Returns the number of pulled records, starting with the first unfinished one of each partition. Includes later
     * finished records, because their offsets cannot be committed yet.
     */
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

    /** Returns the lag in records, summed over the partitions whose lag is known. */
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
