package dev.weir.kafka;

import java.util.List;

/**
 * A consumer at one moment, at most a second old.
 *
 * @param partitions the assigned partitions in order
 * @param bufferedRecords records fetched that the pipeline has not yet pulled
 * @param commits commits that succeeded so far
 * @param failedCommits commits that failed so far, each of them retried
 * @param rebalances times that partitions were revoked or lost
 */
public record ConsumerSnapshot(
        List<PartitionSnapshot> partitions, int bufferedRecords, long commits, long failedCommits, int rebalances) {

    /**
     * One assigned partition.
     *
     * @param topic its topic
     * @param partition its number
     * @param paused whether fetching pauses because the pipeline cannot keep up
     * @param outstanding records emitted or buffered from the first unfinished one on
     * @param committed the offset last committed in this assignment, or -1
     * @param lag records between the first unfinished one and the end of the partition, or -1 if not yet known
     */
    public record PartitionSnapshot(
            String topic, int partition, boolean paused, int outstanding, long committed, long lag) {}

    /** Records in the pipeline: pulled and not finished, or finished after one that is not. */
    public long inFlight() {
        return Math.max(
                0, partitions.stream().mapToLong(PartitionSnapshot::outstanding).sum() - bufferedRecords);
    }

    public long pausedPartitions() {
        return partitions.stream().filter(PartitionSnapshot::paused).count();
    }

    /** The lag in records, over the partitions whose lag is known. */
    public long lag() {
        return partitions.stream()
                .mapToLong(partition -> Math.max(0, partition.lag()))
                .sum();
    }
}
