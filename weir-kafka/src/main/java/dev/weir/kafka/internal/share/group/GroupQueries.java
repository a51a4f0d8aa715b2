package dev.weir.kafka.internal.share.group;

import dev.weir.kafka.ShareGroupConfig;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.common.TopicPartition;

/** Queries about a share group and its topics. Each method blocks. Any thread may call the methods. */
public interface GroupQueries extends AutoCloseable {

    /** Reads the group's configuration. */
    ShareGroupConfig config();

    /**
     * Returns the group's start offset in each partition, and the lag if it is known. Leaves out partitions that the
     * group has not started to read.
     */
    Map<TopicPartition, SharePartitionOffsetInfo> offsets(Collection<TopicPartition> partitions);

    /** Returns the end offset of each partition, which is after the records of open transactions. */
    Map<TopicPartition, Long> ends(Collection<TopicPartition> partitions);

    /** Returns the last stable offset of each partition, up to which committed records can be read. */
    Map<TopicPartition, Long> stableEnds(Collection<TopicPartition> partitions);

    @Override
    void close();
}
