package dev.weir.kafka;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Snapshot of a consumer, at most a second old. */
public final class ConsumerSnapshot {

    private final Values values;

    private ConsumerSnapshot(Values values) {
        this.values = values;
    }

    /** Creates an instance for tests of code that reads it. In a run the engine creates it. */
    public static ConsumerSnapshot of(
            List<PartitionSnapshot> partitions, int bufferedRecords, long commits, long failedCommits, int rebalances) {
        return new ConsumerSnapshot(
                new Values(partitions, bufferedRecords, commits, failedCommits, rebalances, List.of(), List.of(), 0));
    }

    /** Returns a copy with other values of {@link #dropped}, {@link #skipped} and {@link #leftUndone}. */
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
     * Records pulled and left unfinished because their assignment ended. After {@code revoked} (unfinished at the
     * deadline), {@code lost} (session lost) and {@code seek} the partition's owner reads them again; after {@code
     * out-of-range} and {@code recreated} the log no longer has them. A record still being processed counts as in
     * flight, and is added here only when that ends. Empty with transactions and with at-most-once.
     */
    public List<RecordRange> dropped() {
        return values.dropped;
    }

    /**
     * Offsets skipped by the out-of-range policy, and unreadable batches that were skipped ({@code unreadable}). No
     * pipeline received records at these offsets.
     */
    public List<RecordRange> skipped() {
        return values.skipped;
    }

    /** Records pulled and left unfinished when the consumer ended, which are read again; 0 while it runs. */
    public long leftUndone() {
        return values.leftUndone;
    }

    /** A range of records of a partition, with one reason. */
    public static final class RecordRange {

        private final RangeValues values;

        private RecordRange(RangeValues values) {
            this.values = values;
        }

        /** Creates an instance for tests of code that reads it. In a run the engine creates it. */
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

        /** The number of these records, at most the number of offsets in the range. */
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

        /** Returns whether the log no longer has these records, at least not at these offsets. */
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

        /** Creates an instance for tests of code that reads it. In a run the engine creates it. */
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

        /** Records emitted or buffered since the first unfinished one. */
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

    /** Records in the pipeline: pulled and unfinished, or finished after an unfinished one. */
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
