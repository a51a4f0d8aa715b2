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
 * Access to a running consumer, to inspect and control it; see {@link #of} and {@link RunningPipeline#handles}.
 * Thread-safe. After the end of the pipeline, the handle returns the last state.
 */
public interface ConsumerHandle {

    /**
     * Returns the handle of a pipeline that has exactly one consumer.
     *
     * @throws IllegalStateException if the pipeline does not have exactly one consumer; {@link RunningPipeline#handles}
     *     returns the handles of all its consumers
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
     * Requests a new snapshot from the consumer's owner thread and waits for it. If the thread does not respond in
     * time, for example during a rebalance, returns the last snapshot instead. Suitable for displays, but too slow for
     * every record.
     */
    ConsumerSnapshot snapshot(Duration within);

    /**
     * Returns the size of the unfinished records in bytes, or -1 if unknown, about a tenth of a second old. This size
     * counts towards {@link ConsumerSettings#bufferBytes}.
     */
    default long outstandingBytes() {
        return -1;
    }

    /** Returns a dump of the consumer's state, about a tenth of a second old. It explains why a consumer is stuck. */
    ConsumerDump dump();

    /**
     * Returns a dump without the location of unfinished records in the pipeline, but with their offset and age.
     * Suitable for frequent calls, unlike {@link #dump}.
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
     * @param stall the time for which the consumer may have unfinished records without finishing any. After that time,
     *     the consumer is reported as not progressing. Must be longer than the slowest handler call
     */
    ConsumerHealth health(Duration stall);

    /**
     * Stops emitting records until {@link #resume()} is called. The pipeline still processes records that it has
     * pulled. The consumer stays in its group and keeps its fetched records. The pause also applies to partitions
     * assigned later.
     *
     * @return a completed stage, as from all methods that pause or resume
     */
    CompletionStage<Void> pause();

    /** Returns whether a {@link #pause()} of all partitions is in effect now, whoever called it. */
    boolean isPaused();

    /**
     * Pauses all partitions, including partitions assigned later, except the given ones. The next call of
     * {@link #pause()} or {@code pauseAllBut} replaces this pause, and {@link #resume()} ends it. A given partition
     * remains paused if another method has paused it or its topic.
     */
    CompletionStage<Void> pauseAllBut(Collection<TopicPartition> partitions);

    /** Pauses the partitions of a topic until {@link #resume(String)} is called. */
    CompletionStage<Void> pause(String topic);

    /** Pauses the given partitions, even if they are assigned later, until {@link #resume(Collection)} is called. */
    CompletionStage<Void> pause(Collection<TopicPartition> partitions);

    /** Ends all pauses. */
    CompletionStage<Void> resume();

    /** Ends the pauses of a topic and of its partitions, but not a pause of all partitions. */
    CompletionStage<Void> resume(String topic);

    /** Ends the pauses of individual partitions, but not pauses of their topics or of all partitions. */
    CompletionStage<Void> resume(Collection<TopicPartition> partitions);

    /**
     * Continues reading the given partitions at new positions. Drops records that are fetched but not pulled. Does not
     * wait for pulled records, and ignores their acknowledgements. Finally commits the new positions, even if they are
     * before the committed offsets.
     *
     * @return a stage that completes when each partition is at its new position. It fails if a partition is not
     *     assigned or is revoked, or if the consumer has stopped. Some partitions may be at their new positions even
     *     then
     */
    CompletionStage<Void> seek(Map<TopicPartition, Position> positions);
}
