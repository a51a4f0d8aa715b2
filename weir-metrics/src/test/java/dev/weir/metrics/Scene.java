package dev.weir.metrics;

import dev.weir.kafka.ProducerHandle;
import dev.weir.kafka.ShareHandle;
import dev.weir.metrics.PipelineLook.ConsumerLook;
import dev.weir.metrics.PipelineLook.PaceLook;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.StageSnapshot.Activity;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Readings of one pipeline with a test's figures: two readings, a second apart, unless set otherwise. */
final class Scene {

    static final long SECOND = 1_000_000_000;
    static final DispatcherSnapshot VIRTUAL =
            DispatcherSnapshot.of("virtual", Dispatcher.Kind.VIRTUAL, Integer.MAX_VALUE, 8, 8, 0, 0);

    private final List<Stage> stages = new ArrayList<>();
    private int looks = 2;
    private double seconds = 1;
    private boolean isPast;
    private double used = Double.NaN;
    private double load = Double.NaN;
    private long pausedNanos;

    IntFunction<List<ConsumerLook>> consumers = look -> List.of();
    IntFunction<List<ProducerHandle.Snapshot>> producers = look -> List.of();
    IntFunction<List<PaceLook>> paces = look -> List.of();
    List<ShareHandle.Snapshot> shares = List.of();

    /** One stage. Its counters grow evenly. */
    static final class Stage {
        private final String name;
        private final int parallelism;
        private long earlierIn;
        private long earlierOut;
        private double earlierBusy;
        private long in = 1000;
        private long out = 1000;
        private double busy;
        private double starved;
        private double blocked;
        private IntUnaryOperator depth = look -> 0;
        private @Nullable IntFunction<Activity> activity;

        private Stage(String name, int parallelism) {
            this.name = name;
            this.parallelism = parallelism;
        }

        /** Sets the elements taken and emitted between the first and the last reading. */
        Stage moves(long taken, long emitted) {
            in = taken;
            out = emitted;
            return this;
        }

        /** Sets the counters of the first reading. */
        Stage earlier(long taken, long emitted, double busySeconds) {
            earlierIn = taken;
            earlierOut = emitted;
            earlierBusy = busySeconds;
            return this;
        }

        /** Sets the average number of busy threads. */
        Stage busy(double threads) {
            busy = threads;
            return this;
        }

        /** Sets the fractions of the interval without input, and without room for output. */
        Stage idle(double withoutInput, double withoutRoom) {
            starved = withoutInput;
            blocked = withoutRoom;
            return this;
        }

        Stage depth(IntUnaryOperator elements) {
            depth = elements;
            return this;
        }

        Stage activity(IntFunction<Activity> byLook) {
            activity = byLook;
            return this;
        }

        private StageSnapshot at(double part, int look, double seconds, long atNanos) {
            double nanos = part * seconds * SECOND;
            return StageSnapshot.of(
                    name,
                    parallelism,
                    earlierIn + Math.round(part * in),
                    earlierOut + Math.round(part * out),
                    Math.round(earlierBusy * SECOND + busy * nanos),
                    Math.round(starved * nanos),
                    Math.round(blocked * nanos),
                    depth.applyAsInt(look),
                    atNanos);
        }
    }

    /** Adds a stage without samples. */
    Stage stage(String name, int parallelism) {
        Stage stage = new Stage(name, parallelism);
        stages.add(stage);
        return stage;
    }

    /** Adds a stage that shares its thread. It works for a fraction of the time, and otherwise has no input. */
    Stage fused(String name, double works, boolean waits) {
        return fused(name, name, works, waits);
    }

    Stage fused(String name, String thread, double works, boolean waits) {
        return stage(name, 1)
                .busy(works)
                .idle(1 - works, 0)
                .activity(look -> Activity.of(name, thread, VIRTUAL, 1, waits ? 1 : 0, 0, 0, "", 0));
    }

    /** Adds a stage with its own threads. Some work, and others would find elements. */
    Stage workers(String name, int threads, int atWork, boolean wait, int ready) {
        return stage(name, threads).busy(atWork).activity(look -> workers(name, atWork, wait ? atWork : 0, ready));
    }

    static Activity workers(String name, int atWork, int waiting, int ready) {
        return Activity.of(name, null, VIRTUAL, atWork, waiting, ready, 0, "", 0);
    }

    Scene looks(int number, double overSeconds) {
        looks = number;
        seconds = overSeconds;
        return this;
    }

    Scene past() {
        isPast = true;
        return this;
    }

    /** Sets a machine of eight processors. The process uses {@code cores} of them. */
    Scene machine(double cores, double ofAll) {
        used = cores;
        load = ofAll;
        return this;
    }

    /** Sets the fraction of the time for which the garbage collector stops the application. */
    Scene collecting(double share) {
        pausedNanos = Math.round(share * seconds * SECOND);
        return this;
    }

    List<PipelineLook> readings() {
        List<PipelineLook> all = new ArrayList<>();
        for (int look = 0; look < looks; look++) {
            int at = look;
            double part = look / (looks - 1.0);
            long nanos = Math.round(part * seconds * SECOND);
            all.add(PipelineLook.of(
                    nanos,
                    stages.stream()
                            .map(each -> each.at(part, at, seconds, nanos))
                            .toList(),
                    stages.stream()
                            .map(each -> each.activity)
                            .flatMap(Stream::ofNullable)
                            .map(each -> each.apply(at))
                            .toList(),
                    consumers.apply(at),
                    producers.apply(at),
                    paces.apply(at),
                    shares,
                    MachineLook.of(
                            8,
                            Double.isNaN(used) ? Double.NaN : 3 * SECOND + used * nanos,
                            load,
                            SECOND + (look == looks - 1 ? pausedNanos : 0))));
        }
        return all;
    }

    Interval interval() {
        return isPast ? Interval.past(readings()) : Interval.of(readings());
    }

    Limiter find() {
        return isPast ? LimiterFinder.findPast(readings()) : LimiterFinder.find(readings());
    }
}
