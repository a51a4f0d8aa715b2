package dev.weir.kafka.internal.in.commit;

import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Commits on behalf of the client's group member, bypassing the client. Confined to the owner thread. */
@FunctionalInterface
public interface MemberCommit {

    /** A commit for tests without brokers. */
    MemberCommit NONE = (offsets, nanos) -> false;

    /**
     * Commits all of these offsets when the client refuses to send a commit, or reports it as failed, partial or
     * uncertain. Blocks the owner thread until the timeout at most.
     */
    boolean commit(Map<TopicPartition, OffsetAndMetadata> offsets, long nanos);

    /**
     * Sends an ordinary commit, whose answer arrives in a later {@link #poll}; returns false if the client must commit
     * instead.
     *
     * @param then receives the failure, or null
     */
    default boolean send(Map<TopicPartition, OffsetAndMetadata> offsets, Consumer<@Nullable Exception> then) {
        return false;
    }

    /** Returns whether a commit is in flight. */
    default boolean isUnderWay() {
        return false;
    }

    /** Processes answers that have arrived. */
    default void poll() {}

    /** Waits for the answer of the commit in flight until the timeout, then gives up on it and reports that. */
    default void await(long nanos) {}

    /** Closes the connections. */
    default void close() {}
}
