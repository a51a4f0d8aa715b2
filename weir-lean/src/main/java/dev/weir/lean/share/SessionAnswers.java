package dev.weir.lean.share;

import java.net.InetSocketAddress;
import java.util.List;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** Receives the contents of a session's responses. Called on the member's thread. */
interface SessionAnswers {

    /** One partition's part of a fetch response, with its acquired ranges. */
    record PartitionAnswer(AcquiredRanges of, ShareFetchResponseData.PartitionData data) {}

    /** Passes the acquired records on, and returns their number. The response's buffer is reused afterwards. */
    int handOn(List<PartitionAnswer> partitionAnswers, long askedNanos, long nowNanos);

    /** Duration of new and renewed locks, as in the last response. */
    long lockNanos();

    /** Notes a refused fetch of the partition. Returns whether to log a warning. */
    boolean isNews(TopicIdPartition partition, Errors error);

    /** Reports that the broker does not lead the partition. */
    void moved(TopicIdPartition partition);

    /**
     * Reports the leader named by a broker that does not lead the partition.
     *
     * @param node the leader's id; negative if the broker does not know it
     * @param address the leader's address, or null if the broker did not report it
     */
    void leads(TopicIdPartition partition, int node, int epoch, @Nullable InetSocketAddress address);

    /** Reports a lost connection or a failed fetch: the broker may no longer lead its partitions. */
    void moved();
}
