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
     * @throws IllegalStateException if the pipeline does not have exactly one consumer; use
     *     {@link RunningPipeline#handles} to get the handles of all its consumers
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
     * Requests a new snapshot from the consumer's owner thread and waits for the result, so that the values are current
     * when this method returns. If the thread does not respond within the given time, for example because it is busy
     * with a rebalance or has ended, this method returns the last snapshot instead. Suitable for displays, but too slow
     * to be called for every record.
     */
    ConsumerSnapshot snapshot(Duration within);

    /**
     * Returns the size of the unfinished records in bytes, or -1 if unknown. This size counts towards
     * {@link ConsumerSettings#bufferBytes}. The returned value is about a tenth of a second old.
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
     * Returns a dump like {@link #dump}, but without the location of each partition's oldest unfinished record in the
     * pipeline. Only the record's offset and age are included. Suitable for frequent calls. {@link #dump} is more
     * expensive, because it searches all stages of the pipeline for these records, which requires locks.
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
     * @param stall how long the consumer may have unfinished records without finishing any of them. After this time, it
     *     is reported as not progressing. Choose a longer time than the slowest handler call takes
     */
    ConsumerHealth health(Duration stall);

    /**
     * Stops emitting records until {@link #resume()} is called. Only records that the pipeline has already pulled are
     * still processed. The consumer stays in its group and keeps the records that it has fetched, so a pause costs
     * almost nothing. The pause also applies to partitions assigned later.
     *
     * @return a stage that is already completed. All methods that pause or resume return such a stage
     */
    CompletionStage<Void> pause();

    /**
     * Pauses all partitions except the given ones. The pause also applies to partitions assigned later. It is replaced
     * by the next call of {@link #pause()} or {@code pauseAllBut}, and ended by {@link #resume()}. A given partition
     * remains paused if it or its topic has been paused by another method.
     */
    CompletionStage<Void> pauseAllBut(Collection<TopicPartition> partitions);

    /** Pauses the partitions of a topic until {@link #resume(String)} is called. */
    CompletionStage<Void> pause(String topic);

    /**
     * Pauses individual partitions until {@link #resume(Collection)} is called. A partition that is not assigned yet is
     * paused when it is assigned.
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
     * Continues reading the given partitions at new positions. Drops records that were fetched but not yet pulled. Does
     * not wait for records pulled earlier, and ignores their acknowledgements. When the seek is done, the new positions
     * are committed for the group, even if they are before the committed offsets.
     *
     * @return a stage that completes when each partition is at its new position, without waiting for the next record.
     *     The stage fails if a partition is not assigned or is revoked before the seek is done, or if the consumer has
     *     stopped. Even if the stage fails, some partitions may have reached their new positions, and those partitions
     *     continue from there
     */
    CompletionStage<Void> seek(Map<TopicPartition, Position> positions);
}
