package dev.weir.stream.internal.parallel;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.Parallelism;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.RunAssembly;
import dev.weir.stream.internal.run.Segment;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.internal.workers.WorkerLimit;
import dev.weir.stream.internal.workers.WorkerTasks;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Gate;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Builds a {@link ParallelStage} between the upstream thread, which feeds it, and the downstream thread. Stateless. */
final class WorkerStages {

    private static final int MIN_CAPACITY = 512;

    /** Capacity for the largest parallelism. Larger buffers are reduced to it, because a stage allocates all slots. */
    private static final int MAX_CAPACITY = 1 << 20;

    /** Number of elements inside the stage per worker. */
    private static final int CAPACITY_PER_LANE = 8;

    private WorkerStages() {}

    /**
     * The objects that a parallel stage needs for one run.
     *
     * @param limit limit on the number of elements in flight
     * @param supervised handles exceptions of the stage's function
     * @param meter the stage's counters
     * @param tasks the stage's tasks, which process the elements
     * @param clock the clock of the run
     * @param capacity number of elements inside the stage, a power of two
     */
    record Parts(
            WorkerLimit limit,
            SupervisedCall supervised,
            StageMeter meter,
            WorkerTasks tasks,
            Clock clock,
            int capacity) {}

    @FunctionalInterface
    interface Maker<T, R> {
        ParallelStage<T, R> make(Parts parts);
    }

    /**
     * Builds a stage for one run.
     *
     * @param dispatcher the dispatcher of the stage's tasks
     * @param mostAtOnce returns a second limit on the number of elements in flight
     * @param resizable whether users may change the parallelism while the stage is running; if not, the parallelism is
     *     1
     */
    static <T, R> Stage<R> build(
            BlueprintNode<T> above,
            RunAssembly assembly,
            StageAttributes attributes,
            Parallelism parallelism,
            Dispatcher dispatcher,
            IntSupplier mostAtOnce,
            boolean resizable,
            Maker<T, R> maker) {
        Stage<T> upstream = above.build(assembly);
        String feederName = assembly.lastEntry().stageName();
        StageMeter feederMeter = assembly.segmentMeter();
        StageEntry entry = assembly.threaded(attributes, dispatcher, parallelism.max());
        WorkerLimit limit = new WorkerLimit(parallelism, System.nanoTime());
        entry.parallelism(() -> Math.min(limit.current(), mostAtOnce.getAsInt()));
        Clock clock = assembly.clock();
        SupervisedCall supervised = SupervisedCall.by(attributes, clock);
        ParallelStage<T, R> stage = maker.make(new Parts(
                limit,
                supervised,
                entry.meter(),
                new WorkerTasks(assembly.tasks(), dispatcher, entry.stageName()),
                clock,
                capacityFor(parallelism.max(), attributes.bufferOr(0))));
        entry.depth(stage::depth);
        entry.keeper(stage);
        if (resizable) {
            entry.activity(() -> stage.activity(entry.stageName()));
            entry.resizable(
                    dispatcher,
                    supervised.failedCalls(),
                    () -> Math.min(stage.mostAtOnce(), mostAtOnce.getAsInt()),
                    stage::resize);
        } else {
            entry.activity(() -> stage.activity(entry.stageName()).sequential());
        }
        Segment<T> upper = assembly.closeSegment(
                        feederName, Dispatcher.virtual(), upstream, from -> stage.feed(from, feederMeter))
                .countedByItsStage();
        stage.connect(upper, assembly.segmentMeter());
        return stage;
    }

    /** Refuses a parallelism above {@code most}. */
    static void check(String name, Parallelism parallelism, int most) {
        if (parallelism.max() > most) {
            throw new IllegalArgumentException(name + " must be 1 to " + most + ": " + name + "=" + parallelism.max());
        }
    }

    /**
     * Returns the capacity of a stage with up to {@code concurrency} elements in flight, a power of two. {@code said}
     * is the requested capacity, or 0.
     */
    private static int capacityFor(int concurrency, int said) {
        int wanted = said != 0
                ? Math.clamp(said, concurrency, MAX_CAPACITY)
                : Math.max(MIN_CAPACITY, concurrency * CAPACITY_PER_LANE);
        return Integer.highestOneBit(wanted * 2 - 1);
    }

    /** Returns the function as a gate if it is a {@link Gate} that is not always open, or null. */
    @SuppressWarnings("unchecked") // a gate accepts the same elements as its function
    static <T> @Nullable Gate<T> gateOf(Object function) {
        return function instanceof Gate<?> gate && !gate.isAlwaysOpen() ? (Gate<T>) gate : null;
    }
}
