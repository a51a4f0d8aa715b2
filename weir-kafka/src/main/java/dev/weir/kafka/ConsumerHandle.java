package dev.weir.kafka;

import dev.weir.stream.RunningPipeline;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;

/**
 * Access to a running consumer, to inspect and control it; obtained from {@link #of} or
 * {@link RunningPipeline#handles}. Thread-safe. After the pipeline has ended, the handle keeps returning the last
 * state.
 */
public interface ConsumerHandle {

    /**
     * Returns the handle of a pipeline that has exactly one consumer.
     *
     * @throws IllegalStateException if the pipeline has no consumer or several; {@link RunningPipeline#handles} lists
     *     them
     */
    static ConsumerHandle of(RunningPipeline running) {
        List<ConsumerHandle> handles =
                Objects.requireNonNull(running, "running").handles(ConsumerHandle.class);
        if (handles.size() != 1) {
            throw new IllegalStateException("pipeline " + running.name() + " has " + handles.size()
                    + " consumers, not one; handles(ConsumerHandle.class) has them all");
        }
        return handles.getFirst();
    }

    ConsumerSnapshot snapshot();

    /**
     * Makes the consumer's owner thread take a snapshot, so that the snapshot can be compared with other counters read
     * at the same time. Returns the last snapshot if the thread does not respond within the given time, because it is
     * busy (for example with a rebalance) or has ended. Suitable for displays, but not for a call per record.
     */
    ConsumerSnapshot snapshot(Duration within);

    /**
     * Returns the size of the unfinished records in bytes, which counts towards {@link ConsumerSettings#bufferBytes};
     * about a tenth of a second old. -1 if unknown.
     */
    default long outstandingBytes() {
        return -1;
    }

    /**
     * Returns a dump of the consumer's state, about a tenth of a second old. If the consumer is stuck, the dump
     * explains why.
     */
    ConsumerDump dump();

    /**
     * Returns the dump without the location of the oldest records; it contains only their offset and age. Suitable for
     * frequent calls, unlike {@link #dump}, which locates the records and for that scans the tables of stages under
     * their locks.
     */
    default ConsumerDump outline() {
        return dump();
    }

    /** Calls {@link #health(Duration)} with one minute. */
    default ConsumerHealth health() {
        return health(Duration.ofMinutes(1));
    }

    /**
     * Returns the values for health probes.
     *
     * @param stall the longest time without a finished record, while there is work to do, for which the consumer still
     *     counts as progressing; set it longer than the slowest handler call
     */
    ConsumerHealth health(Duration stall);

    /**
     * Stops emitting records until {@link #resume()} is called. Only records that the pipeline has already pulled are
     * still processed. The consumer stays in its group and keeps the records that it has fetched, so a pause costs
     * almost nothing. The pause also applies to partitions assigned later.
     *
     * @return a stage that is already complete, so there is no need to wait for it; the other methods that pause or
     *     resume return such a stage too
     */
    CompletionStage<Void> pause();

    /**
     * Pauses all partitions except the given ones, including partitions assigned later. The next {@link #pause()} or
     * {@code pauseAllBut} replaces this pause, and {@link #resume()} ends it. If one of the given partitions is paused
     * separately, it remains paused.
     */
    CompletionStage<Void> pauseAllBut(Collection<TopicPartition> partitions);

    /** Pauses the partitions of a topic until {@link #resume(String)} is called. */
    CompletionStage<Void> pause(String topic);

    /**
     * Pauses individual partitions, which may be assigned now or later, until {@link #resume(Collection)} is called.
     */
    CompletionStage<Void> pause(Collection<TopicPartition> partitions);

    /** Ends all pauses. */
    CompletionStage<Void> resume();

    /**
     * Ends the pauses of a topic and of its partitions, but not a pause of all partitions. A partition remains paused
     * while any pause covers it.
     */
    CompletionStage<Void> resume(String topic);

    /** Ends the pauses of individual partitions, but not pauses of their topics or of all partitions. */
    CompletionStage<Void> resume(Collection<TopicPartition> partitions);

    /**
     * Continues reading at other positions. Records that were fetched but not yet pulled are dropped. Acknowledgements
     * of records pulled earlier are ignored, and the seek does not wait for them. When the seek is done, the new
     * positions are committed for the group, even if they are before the committed ones.
     *
     * @return a stage that completes when each partition is at its new position; it does not wait for the next record.
     *     The stage fails if a partition is not assigned, or is revoked before the seek is done. Partitions that are
     *     already at their new position then stay there
     */
    CompletionStage<Void> seek(Map<TopicPartition, Position> positions);
}
