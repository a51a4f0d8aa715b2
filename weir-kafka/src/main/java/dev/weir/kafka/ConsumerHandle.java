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
 * A running consumer as others may see and steer it; found by {@link #of} or {@link RunningPipeline#handles}.
 * Thread-safe, valid for as long as the pipeline, after which it shows the last state.
 */
public interface ConsumerHandle {

    /**
     * The consumer of a pipeline that has one.
     *
     * @throws IllegalStateException if it has none, or several: {@link RunningPipeline#handles} has them all
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
     * A snapshot of this moment, to be compared with other counters of this moment. The consumer's own thread takes it;
     * if that does not get to it in time, as in a rebalance, or has ended, the last one. For displays, not for each
     * record.
     */
    ConsumerSnapshot snapshot(Duration within);

    /**
     * The size of its unfinished records in bytes, of {@link ConsumerSettings#bufferBytes}; a tenth of a second old or
     * so. -1 if nobody knows.
     */
    default long outstandingBytes() {
        return -1;
    }

    /** All that tells why it is stuck, if it is; a tenth of a second old or so. */
    ConsumerDump dump();

    /**
     * The dump without the search for where its oldest records are, which goes through the tables of stages under their
     * locks: of these it has offset and age only. For those who look often.
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
     * @param stall how long nothing may be finished while there is work before it does not count as progressing; longer
     *     than the slowest handler
     */
    ConsumerHealth health(Duration stall);

    /**
     * Emits no more until {@link #resume()}: when the stage has returned, only records that the pipeline has already
     * pulled go on. The consumer stays a member and fetched records stay fetched, so that a pause costs next to
     * nothing, however often. Holds for partitions that come later too.
     *
     * @return done when this returns, as of all pauses: they need not be awaited
     */
    CompletionStage<Void> pause();

    /**
     * Pauses all, but for these partitions, assigned now or later. The next {@link #pause()} or {@code pauseAllBut}
     * replaces it, {@link #resume()} ends it. A pause of its own still holds one of these.
     */
    CompletionStage<Void> pauseAllBut(Collection<TopicPartition> partitions);

    /** Pauses the partitions of a topic, until {@link #resume(String)}. */
    CompletionStage<Void> pause(String topic);

    /** Pauses single partitions, assigned now or later, until {@link #resume(Collection)}. */
    CompletionStage<Void> pause(Collection<TopicPartition> partitions);

    /** Takes back every pause. */
    CompletionStage<Void> resume();

    /**
     * Takes back the pauses of a topic and of its partitions; a pause of everything stays. A partition is paused as
     * long as any pause stands that covers it.
     */
    CompletionStage<Void> resume(String topic);

    /** Takes back the pauses of single partitions; pauses of their topic, or of everything, stay. */
    CompletionStage<Void> resume(Collection<TopicPartition> partitions);

    /**
     * Continues at other positions. Records that were fetched and not pulled are dropped. Records that the pipeline has
     * pulled before do not count any more: their acknowledgements are ignored, and nobody waits for them. Once done,
     * the positions count as finished by the group, also when they are before the committed ones.
     *
     * @return done when the next record to come is from there; fails if a partition is not assigned or goes meanwhile,
     *     and then those that were sought stay sought
     */
    CompletionStage<Void> seek(Map<TopicPartition, Position> positions);
}
