package dev.weir.kafka.internal.in.commit;

import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Commits for the client's group member without using the client. Confined to the owner thread. */
@FunctionalInterface
public interface MemberCommit {

    /** Commits nothing. For tests without brokers. */
    MemberCommit NONE = (offsets, nanos) -> false;

    /**
     * Commits all of these offsets if the client cannot. Blocks the owner thread for at most {@code nanos}. Returns
     * whether all offsets were committed.
     */
    boolean commit(Map<TopicPartition, OffsetAndMetadata> offsets, long nanos);

    /**
     * Sends an ordinary commit; a later {@link #poll} processes the response. Returns false if the client must commit
     * instead.
     *
     * @param then receives the error, or null if the commit succeeded
     */
    default boolean send(Map<TopicPartition, OffsetAndMetadata> offsets, Consumer<@Nullable Exception> then) {
        return false;
    }

    default boolean isUnderWay() {
        return false;
    }

    /** Processes responses that have arrived. */
    default void poll() {}

    /** Waits at most {@code nanos} for the response to the commit in flight, then reports a failure. */
    default void await(long nanos) {}

    default void close() {}
}
