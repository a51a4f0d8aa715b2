package dev.weir.metrics;

import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.ProducerHandle;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.StageSnapshot;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * All that {@link LimiterFinder} knows of a pipeline at one moment. Immutable.
 *
 * @param atNanos when, by any clock that only rises
 * @param stages the stages' counters
 * @param activity what their threads do; empty if that is not known
 * @param consumers the consumers, in the same order in each look
 * @param producers the producers, in the same order in each look
 * @param machine the machine and the JVM
 */
public record PipelineLook(
        long atNanos,
        List<StageSnapshot> stages,
        List<StageSnapshot.Activity> activity,
        List<ConsumerLook> consumers,
        List<ProducerHandle.Snapshot> producers,
        MachineLook machine) {

    /** A consumer's counters and its partitions. */
    public record ConsumerLook(ConsumerSnapshot counters, ConsumerDump dump) {

        /** Refuses null. */
        public ConsumerLook {
            Objects.requireNonNull(counters, "counters");
            Objects.requireNonNull(dump, "dump");
        }
    }

    /** Copies the lists; refuses null. */
    public PipelineLook {
        stages = List.copyOf(Objects.requireNonNull(stages, "stages"));
        activity = List.copyOf(Objects.requireNonNull(activity, "activity"));
        consumers = List.copyOf(Objects.requireNonNull(consumers, "consumers"));
        producers = List.copyOf(Objects.requireNonNull(producers, "producers"));
        Objects.requireNonNull(machine, "machine");
    }

    /** A look at {@code pipeline} now. Any thread. */
    public static PipelineLook at(RunningPipeline pipeline, MachineLook machine) {
        return at(pipeline, machine, ConsumerHandle::dump);
    }

    /** The same without the search for the oldest records, for looks that no finding is made of. */
    static PipelineLook inPassing(RunningPipeline pipeline, MachineLook machine) {
        return at(pipeline, machine, ConsumerHandle::outline);
    }

    private static PipelineLook at(
            RunningPipeline pipeline, MachineLook machine, Function<ConsumerHandle, ConsumerDump> dump) {
        Objects.requireNonNull(pipeline, "pipeline");
        // The counters and the time together: shares are of the time between two looks.
        List<StageSnapshot> stages = pipeline.stages();
        long now = System.nanoTime();
        return new PipelineLook(
                now,
                stages,
                pipeline.activity(),
                pipeline.handles(ConsumerHandle.class).stream()
                        .map(handle -> new ConsumerLook(handle.snapshot(), dump.apply(handle)))
                        .toList(),
                pipeline.handles(ProducerHandle.class).stream()
                        .map(ProducerHandle::snapshot)
                        .toList(),
                machine);
    }
}
