package dev.weir.kafka.internal.share.session;

import java.net.InetSocketAddress;
import java.util.List;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** Receives what a session hands on. Called on the member's thread. */
interface SessionAnswers {

    /** The acquired ranges of a partition at one broker. */
    record PartitionAnswer(AcquiredRanges of, ShareFetchResponseData.PartitionData data) {}

    /** Reads the records and hands them on; returns how many there are. Their buffer is reused after the call. */
    int handOn(List<PartitionAnswer> partitionAnswers, long askedNanos, long nowNanos);

    /** For which locks stand that are made or renewed by now, as the last answer says. */
    long lockNanos();

    /** A fetch of the partition was refused; whether that is worth a warning. */
    boolean isNews(TopicIdPartition partition, Errors error);

    /** The broker does not lead the partition. */
    void moved(TopicIdPartition partition);

    /**
     * The broker does not lead the partition, and says who does.
     *
     * @param node the leader; negative if the broker does not know it
     * @param address null if it does not say where that is
     */
    void leads(TopicIdPartition partition, int node, int epoch, @Nullable InetSocketAddress address);

    /** The broker is gone or hands out no records, and may no longer lead its partitions. */
    void moved();
}
