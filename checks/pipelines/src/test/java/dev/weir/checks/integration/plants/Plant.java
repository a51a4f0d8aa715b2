package dev.weir.checks.integration.plants;

import dev.weir.stream.Pipeline;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * A pipeline with a known limiter, and the means to verify that it really limits. Created for one trial, which closes
 * it. Confined to one thread, apart from the counts.
 */
final class Plant implements AutoCloseable {

    /** The number of records that the last stage has finished. */
    final LongAdder finished = new LongAdder();

    final PlantKind kind;
    final String shape;
    final Truth truth;
    final Function<Tuning, Pipeline> pipeline;
    final Occupancy occupancy;
    private final Deque<Runnable> resources = new ArrayDeque<>();

    Plant(
            PlantKind kind,
            String shape,
            Truth truth,
            Occupancy occupancy,
            Function<Plant, Function<Tuning, Pipeline>> pipeline) {
        this.kind = kind;
        this.shape = shape;
        this.truth = truth;
        this.occupancy = occupancy;
        this.pipeline = pipeline.apply(this);
    }

    /** Registers a resource to close with the plant. Later registered resources are closed first. */
    void closing(Runnable close) {
        resources.push(close);
    }

    /** Returns the number of records that have passed the limiter. */
    long passed() {
        long calls = occupancy.work().calls();
        return calls == 0 ? finished.sum() : calls;
    }

    /** Counts an element. Used as a sink. */
    <T> void done(T element) {
        finished.increment();
    }

    @Override
    public void close() {
        while (!resources.isEmpty()) {
            resources.pop().run();
        }
    }

    /**
     * The fraction of time that threads must spend in the planted call.
     *
     * @param work the planted call
     * @param threads the maximum number of concurrent calls
     * @param least the smallest fraction at which the plant counts as working
     * @param most the largest fraction at which the plant counts as working
     */
    record Occupancy(Work work, double threads, double least, double most) {

        /** Returns the occupancy of a stage whose threads are all busy. */
        static Occupancy full(Work work, double threads) {
            return new Occupancy(work, threads, 0.8, 1.1);
        }

        /** Returns the occupancy of a stage with idle threads, because the limiter is elsewhere. */
        static Occupancy low(Work work, double threads) {
            return new Occupancy(work, threads, 0, 0.7);
        }

        boolean holds(double share) {
            return share >= least && share <= most;
        }

        double of(long spentNanos, Duration interval) {
            return spentNanos / threads / interval.toNanos();
        }
    }
}
