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
 * A running consumer, to inspect and steer from outside; obtained from {@link #of} or {@link RunningPipeline#handles}.
 * Thread-safe and valid for as long as the pipeline; afterwards it shows the last state.
 */
public interface ConsumerHandle {

    /**
     * The consumer of a pipeline that has exactly one.
     *
     * @throws IllegalStateException if the pipeline has none, or several; {@link RunningPipeline#handles} lists them
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
     * Takes a snapshot that can be compared with other counters of the same moment. The consumer's own thread takes it.
     * If that thread is busy, as in a rebalance, or has ended, the last snapshot is returned. For displays, not for
     * each record.
     */
    ConsumerSnapshot snapshot(Duration within);

    /**
     * The bytes of its unfinished records, counted against {@link ConsumerSettings#bufferBytes}; about a tenth of a
     * second old. -1 if not known.
     */
    default long outstandingBytes() {
        return -1;
    }

    /** The facts that explain why the consumer is stuck, if it is; about a tenth of a second old. */
    ConsumerDump dump();

    /**
     * The dump without locating the oldest records, which would scan the tables of stages under their locks. Those
     * records show only offset and age. For frequent readers.
     */
    default ConsumerDump outline() {
        return dump();
    }

    /** {@link #health(Duration)}, with a minute. */
    default ConsumerHealth health() {
        return health(Duration.ofMinutes(1));
    }

    /**
     * The answers for a health probe.
     *
     * @param stall longest time without a finished record, while there is work, that still counts as progressing; set
     *     it longer than the slowest handler takes
     */
    ConsumerHealth health(Duration stall);

    /**
     * Stops emission until {@link #resume()} is called. Once the returned stage completes, only records that the
     * pipeline has already pulled are processed. The consumer stays in its group and keeps the records it has fetched,
     * so a pause costs almost nothing. Also applies to partitions assigned later.
     *
     * @return a stage that is already complete, as with every pause: no need to wait for it
     */
    CompletionStage<Void> pause();

    /**
     * Pauses all partitions except these, whether assigned now or later. The next {@link #pause()} or {@code
     * pauseAllBut} replaces it, {@link #resume()} ends it. A separate pause of one of these partitions still applies.
     */
    CompletionStage<Void> pauseAllBut(Collection<TopicPartition> partitions);

    /** Pauses the partitions of a topic, until {@link #resume(String)}. */
    CompletionStage<Void> pause(String topic);

    /** Pauses single partitions, assigned now or later, until {@link #resume(Collection)}. */
    CompletionStage<Void> pause(Collection<TopicPartition> partitions);

    /** Takes back every pause. */
    CompletionStage<Void> resume();

    /**
     * Ends the pauses of a topic and of its partitions; a pause of everything stays. A partition stays paused while any
     * pause covers it.
     */
    CompletionStage<Void> resume(String topic);

    /** Ends the pauses of single partitions; pauses of their topic, or of everything, stay. */
    CompletionStage<Void> resume(Collection<TopicPartition> partitions);

    /**
     * Continues at other positions. Records fetched and not yet pulled are dropped. Acknowledgements of records pulled
     * earlier are ignored, and nothing waits for them. Once the seek is done, the new positions are committed as the
     * group's, even if they are before the committed ones.
     *
     * @return completes when the next emitted record is from the new position; fails if a partition is not assigned or
     *     is revoked meanwhile. Partitions whose seek already took effect keep their new position
     */
    CompletionStage<Void> seek(Map<TopicPartition, Position> positions);
}
