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

/** Puts {@link ParallelStage} between the segment above, which feeds them, and the one below. Stateless. */
final class WorkerStages {

    private static final int MIN_CAPACITY = 512;

    /**
     * Elements inside per worker: behind each running one some wait, so that keys which block each other leave no gap.
     */
    private static final int CAPACITY_PER_LANE = 8;

    private WorkerStages() {}

    /**
     * The parts that one run gives to its workers.
     *
     * @param limit how many elements are worked on at once
     * @param supervised what happens to an element for which the function throws
     * @param meter the stage's counters
     * @param tasks the threads that work on elements
     * @param clock the clock of the run
     * @param capacity how many elements the stage takes in, a power of two
     */
    record Parts(
            WorkerLimit limit,
            SupervisedCall supervised,
            StageMeter meter,
            WorkerTasks tasks,
            Clock clock,
            int capacity) {}

    /** Makes the workers of one run. */
    @FunctionalInterface
    interface Maker<T, R> {
        ParallelStage<T, R> make(Parts parts);
    }

    /**
     * Builds a stage for one run.
     *
     * @param dispatcher where the stage's tasks run
     * @param mostAtOnce a bound of how many elements are worked on at once, beside the parallelism, now
     */
    static <T, R> Stage<R> build(
            BlueprintNode<T> above,
            RunAssembly assembly,
            StageAttributes attributes,
            Parallelism parallelism,
            Dispatcher dispatcher,
            IntSupplier mostAtOnce,
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
        entry.activity(() -> stage.activity(entry.stageName()));
        entry.resizable(
                dispatcher,
                supervised.failedCalls(),
                () -> Math.min(stage.mostAtOnce(), mostAtOnce.getAsInt()),
                stage::resize);
        Segment<T> upper = assembly.closeSegment(
                        feederName, Dispatcher.virtual(), upstream, from -> stage.feed(from, feederMeter))
                .countedByItsStage();
        stage.connect(upper, assembly.segmentMeter());
        return stage;
    }

    /** Refuses a parallelism beyond {@code most}. */
    static void check(String name, Parallelism parallelism, int most) {
        if (parallelism.max() > most) {
            throw new IllegalArgumentException(name + " must be 1 to " + most + ": " + name + "=" + parallelism.max());
        }
    }

    /** The number of elements a stage takes in that works on up to {@code concurrency} at once: a power of two. */
    private static int capacityFor(int concurrency, int said) {
        int wanted = said != 0 ? Math.max(said, concurrency) : Math.max(MIN_CAPACITY, concurrency * CAPACITY_PER_LANE);
        return Integer.highestOneBit(wanted * 2 - 1);
    }

    /** The gate that a function is, if it is one. */
    @SuppressWarnings("unchecked") // a gate is one for what its function takes
    static <T> @Nullable Gate<T> gateOf(Object function) {
        return function instanceof Gate<?> gate && !gate.isAlwaysOpen() ? (Gate<T>) gate : null;
    }
}
