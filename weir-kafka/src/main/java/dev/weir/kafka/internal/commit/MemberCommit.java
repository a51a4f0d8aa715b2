package dev.weir.kafka.internal.commit;

import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** A commit as the group's member that the client is, at a time when the client itself refuses to send one. */
@FunctionalInterface
public interface MemberCommit {

    /** A commit for tests without brokers. */
    MemberCommit NONE = (offsets, nanos) -> false;

    /**
     * Commits all of these offsets, or says that they are not committed, not all of them, or not for sure. Blocks for
     * so long at most; on the owner thread.
     */
    boolean commit(Map<TopicPartition, OffsetAndMetadata> offsets, long nanos);
}
