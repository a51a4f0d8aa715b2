package dev.weir.metrics;

import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.ProducerHandle;
import dev.weir.kafka.ShareHandle;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.control.Pace;
import dev.weir.stream.control.RateControl;
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
 * @param paces what lets elements pass at a rate; empty if there is none
 * @param shares the members of share groups
 * @param machine the machine and the JVM
 */
public record PipelineLook(
        long atNanos,
        List<StageSnapshot> stages,
        List<StageSnapshot.Activity> activity,
        List<ConsumerLook> consumers,
        List<ProducerHandle.Snapshot> producers,
        List<PaceLook> paces,
        List<ShareHandle.Snapshot> shares,
        MachineLook machine) {

    /**
     * A {@link Pace} at one moment.
     *
     * @param live whether the rate can be changed while the pipeline runs
     */
    public record PaceLook(String stage, double perSecond, long waitedNanos, boolean live) {

        /** Refuses null. */
        public PaceLook {
            Objects.requireNonNull(stage, "stage");
        }

        static PaceLook at(Pace pace) {
            return new PaceLook(pace.stage(), pace.perSecond(), pace.waitedNanos(), pace instanceof RateControl);
        }
    }

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
        paces = List.copyOf(Objects.requireNonNull(paces, "paces"));
        shares = List.copyOf(Objects.requireNonNull(shares, "shares"));
        Objects.requireNonNull(machine, "machine");
    }

    /** A look at a pipeline without paces and share groups. */
    public PipelineLook(
            long atNanos,
            List<StageSnapshot> stages,
            List<StageSnapshot.Activity> activity,
            List<ConsumerLook> consumers,
            List<ProducerHandle.Snapshot> producers,
            MachineLook machine) {
        this(atNanos, stages, activity, consumers, producers, List.of(), List.of(), machine);
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
                pipeline.handles(Pace.class).stream().map(PaceLook::at).toList(),
                pipeline.handles(ShareHandle.class).stream()
                        .map(ShareHandle::snapshot)
                        .toList(),
                machine);
    }
}
