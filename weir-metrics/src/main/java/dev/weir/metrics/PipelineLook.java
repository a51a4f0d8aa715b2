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
import org.jspecify.annotations.Nullable;

/** A reading of a pipeline at one moment; the input of {@link LimiterFinder}. Immutable. */
public final class PipelineLook {

    private final Values values;

    private PipelineLook(
            long atNanos,
            List<StageSnapshot> stages,
            List<StageSnapshot.Activity> activity,
            List<ConsumerLook> consumers,
            List<ProducerHandle.Snapshot> producers,
            List<PaceLook> paces,
            List<ShareHandle.Snapshot> shares,
            MachineLook machine) {
        this.values = new Values(atNanos, stages, activity, consumers, producers, paces, shares, machine);
    }

    /** Creates a reading, for tests of code that uses readings. */
    public static PipelineLook of(
            long atNanos,
            List<StageSnapshot> stages,
            List<StageSnapshot.Activity> activity,
            List<ConsumerLook> consumers,
            List<ProducerHandle.Snapshot> producers,
            List<PaceLook> paces,
            List<ShareHandle.Snapshot> shares,
            MachineLook machine) {
        return new PipelineLook(atNanos, stages, activity, consumers, producers, paces, shares, machine);
    }

    /** Creates a reading without rate limits and share groups. */
    public static PipelineLook of(
            long atNanos,
            List<StageSnapshot> stages,
            List<StageSnapshot.Activity> activity,
            List<ConsumerLook> consumers,
            List<ProducerHandle.Snapshot> producers,
            MachineLook machine) {
        return new PipelineLook(atNanos, stages, activity, consumers, producers, List.of(), List.of(), machine);
    }

    /** The time of the reading, on any monotonic clock. */
    public long atNanos() {
        return values.atNanos;
    }

    /** The stages' counters. */
    public List<StageSnapshot> stages() {
        return values.stages;
    }

    /** The activity of the stages' threads; empty if unknown. */
    public List<StageSnapshot.Activity> activity() {
        return values.activity;
    }

    /** The consumers. Consumers of inner streams come and go, so a consumer's place may change. */
    public List<ConsumerLook> consumers() {
        return values.consumers;
    }

    /** The producers, which are in the same order in each reading. */
    public List<ProducerHandle.Snapshot> producers() {
        return values.producers;
    }

    /** The rate-limited stages; empty if there are none. */
    public List<PaceLook> paces() {
        return values.paces;
    }

    /** The share group members. */
    public List<ShareHandle.Snapshot> shares() {
        return values.shares;
    }

    /** The machine and the JVM. */
    public MachineLook machine() {
        return values.machine;
    }

    /** A reading of a {@link Pace}. Immutable. */
    public static final class PaceLook {

        private final PaceValues values;

        private PaceLook(String stage, double perSecond, long waitedNanos, boolean live) {
            this.values = new PaceValues(stage, perSecond, waitedNanos, live);
        }

        /** Creates a reading of a pace, for tests of code that uses readings. */
        public static PaceLook of(String stage, double perSecond, long waitedNanos, boolean live) {
            return new PaceLook(stage, perSecond, waitedNanos, live);
        }

        public String stage() {
            return values.stage;
        }

        public double perSecond() {
            return values.perSecond;
        }

        public long waitedNanos() {
            return values.waitedNanos;
        }

        /** Returns whether the rate can be changed while the pipeline runs. */
        public boolean live() {
            return values.live;
        }

        static PaceLook at(Pace pace) {
            return new PaceLook(pace.stage(), pace.perSecond(), pace.waitedNanos(), pace instanceof RateControl);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof PaceLook that && values.equals(that.values);
        }

        @Override
        public int hashCode() {
            return values.hashCode();
        }

        @Override
        public String toString() {
            return values.toString().replaceFirst("PaceValues", "PaceLook");
        }

        private record PaceValues(String stage, double perSecond, long waitedNanos, boolean live) {

            PaceValues {
                Objects.requireNonNull(stage, "stage");
            }
        }
    }

    /** A reading of a consumer: its counters and its partitions. Immutable. */
    public static final class ConsumerLook {

        private final ConsumerValues values;

        /** Identifies the consumer: its handle, or its topics in a reading made for a test. */
        private final Object consumer;

        private ConsumerLook(Object consumer, ConsumerSnapshot counters, ConsumerDump dump) {
            this.consumer = consumer;
            this.values = new ConsumerValues(counters, dump);
        }

        /** Creates a reading of a consumer, for tests of code that uses readings. Its topics identify the consumer. */
        public static ConsumerLook of(ConsumerSnapshot counters, ConsumerDump dump) {
            return new ConsumerLook(dump.reads(), counters, dump);
        }

        /**
         * Returns the same consumer's reading in {@code other}; null if there is none. Compares identities, because
         * consumers of inner streams come and go and change the order.
         */
        @Nullable
        ConsumerLook in(PipelineLook other) {
            return other.consumers().stream()
                    .filter(each -> each.consumer.equals(consumer))
                    .findFirst()
                    .orElse(null);
        }

        public ConsumerSnapshot counters() {
            return values.counters;
        }

        public ConsumerDump dump() {
            return values.dump;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ConsumerLook that && values.equals(that.values);
        }

        @Override
        public int hashCode() {
            return values.hashCode();
        }

        @Override
        public String toString() {
            return values.toString().replaceFirst("ConsumerValues", "ConsumerLook");
        }

        private record ConsumerValues(ConsumerSnapshot counters, ConsumerDump dump) {

            ConsumerValues {
                Objects.requireNonNull(counters, "counters");
                Objects.requireNonNull(dump, "dump");
            }
        }
    }

    /** Takes a reading of {@code pipeline}. May be called by any thread. */
    public static PipelineLook at(RunningPipeline pipeline, MachineLook machine) {
        return at(pipeline, machine, ConsumerHandle::dump);
    }

    /** Takes a reading without the oldest records, which only the text of a finding needs. */
    static PipelineLook inPassing(RunningPipeline pipeline, MachineLook machine) {
        return at(pipeline, machine, ConsumerHandle::outline);
    }

    private static PipelineLook at(
            RunningPipeline pipeline, MachineLook machine, Function<ConsumerHandle, ConsumerDump> dump) {
        Objects.requireNonNull(pipeline, "pipeline");
        // Read the time right after the counters, whose differences are divided by the time between readings.
        List<StageSnapshot> stages = pipeline.stages();
        long now = System.nanoTime();
        return new PipelineLook(
                now,
                stages,
                pipeline.activity(),
                each(
                        pipeline,
                        ConsumerHandle.class,
                        handle -> new ConsumerLook(handle, handle.snapshot(), dump.apply(handle))),
                each(pipeline, ProducerHandle.class, ProducerHandle::snapshot),
                each(pipeline, Pace.class, PaceLook::at),
                each(pipeline, ShareHandle.class, ShareHandle::snapshot),
                machine);
    }

    private static <H, L> List<L> each(RunningPipeline pipeline, Class<H> type, Function<H, L> look) {
        return pipeline.handles(type).stream().<L>map(look).toList();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PipelineLook that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    private record Values(
            long atNanos,
            List<StageSnapshot> stages,
            List<StageSnapshot.Activity> activity,
            List<ConsumerLook> consumers,
            List<ProducerHandle.Snapshot> producers,
            List<PaceLook> paces,
            List<ShareHandle.Snapshot> shares,
            MachineLook machine) {

        Values {
            stages = List.copyOf(Objects.requireNonNull(stages, "stages"));
            activity = List.copyOf(Objects.requireNonNull(activity, "activity"));
            consumers = List.copyOf(Objects.requireNonNull(consumers, "consumers"));
            producers = List.copyOf(Objects.requireNonNull(producers, "producers"));
            paces = List.copyOf(Objects.requireNonNull(paces, "paces"));
            shares = List.copyOf(Objects.requireNonNull(shares, "shares"));
            Objects.requireNonNull(machine, "machine");
        }
    }
}
