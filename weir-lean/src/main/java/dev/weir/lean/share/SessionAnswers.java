package dev.weir.lean.share;

import java.net.InetSocketAddress;
import java.util.List;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** Receives the contents of a session's responses. Called on the member's thread. */
interface SessionAnswers {

    /** The part of a fetch response that belongs to one partition, with the partition's acquired ranges. */
    record PartitionAnswer(AcquiredRanges of, ShareFetchResponseData.PartitionData data) {}

    /**
     * Reads the acquired records and passes them on. Returns the number of records. The response's buffer is reused
     * after the call.
     */
    int handOn(List<PartitionAnswer> partitionAnswers, long askedNanos, long nowNanos);

    /** Returns the duration of new and renewed locks, as reported in the last response. */
    long lockNanos();

    /** Notes that a fetch of the partition was refused. Returns whether this justifies a warning. */
    boolean isNews(TopicIdPartition partition, Errors error);

    /** Reports that the broker does not lead the partition. */
    void moved(TopicIdPartition partition);

    /**
     * Reports the leader that a broker has named because it does not lead the partition itself.
     *
     * @param node the leader's id; negative if the broker does not know it
     * @param address the leader's address, or null if the broker did not report it
     */
    void leads(TopicIdPartition partition, int node, int epoch, @Nullable InetSocketAddress address);

    /** Reports that the connection was lost or a fetch failed, so the broker may no longer lead its partitions. */
    void moved();
}
