package dev.weir.kafka.internal.in.commit;

import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Commits as the group's member that the client is, beside the client. Confined to the owner thread. */
@FunctionalInterface
public interface MemberCommit {

    /** A commit for tests without brokers. */
    MemberCommit NONE = (offsets, nanos) -> false;

    /**
     * Commits all of these offsets at a time when the client refuses to send a commit, or says that they are not
     * committed, not all of them, or not for sure. Blocks for so long at most; on the owner thread.
     */
    boolean commit(Map<TopicPartition, OffsetAndMetadata> offsets, long nanos);

    /**
     * Sends an ordinary commit, whose answer comes within a later {@link #poll}; false if it cannot now, and the client
     * is to commit.
     *
     * @param then told why it failed, or null
     */
    default boolean send(Map<TopicPartition, OffsetAndMetadata> offsets, Consumer<@Nullable Exception> then) {
        return false;
    }

    /** Returns whether one that was sent has no answer yet. */
    default boolean isUnderWay() {
        return false;
    }

    /** Takes answers. */
    default void poll() {}

    /** Waits for the answer of one that was sent, for so long at most: then it is given up, and told so. */
    default void await(long nanos) {}

    /** Lets go of connections. */
    default void close() {}
}
