package dev.weir.stream.internal.run;

import dev.weir.stream.StageSnapshot;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageMeter;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** A stage's place in a run: its name, its meter, and what it registers. Thread-safe once the run has started. */
public final class StageEntry implements StageContext {

    private final PipelineRun run;
    private final Lifetime lifetime;
    private final String name;
    private final Shape shape;

    private volatile IntSupplier depth = () -> 0;
    private volatile IntSupplier parallelism;

    /**
     * How a stage works and counts.
     *
     * @param meter its counters
     * @param parallelism how many threads may work in it at once
     * @param ownThreads whether those are its own or the segment's
     */
    record Shape(StageMeter meter, int parallelism, boolean ownThreads) {

        Shape withMeter(StageMeter other) {
            return new Shape(other, parallelism, ownThreads);
        }
    }

    StageEntry(PipelineRun run, Lifetime lifetime, String name, Shape shape) {
        this.run = run;
        this.lifetime = lifetime;
        this.name = name;
        this.shape = shape;
        this.parallelism = shape::parallelism;
    }

    @Override
    public String pipelineName() {
        return run.name();
    }

    @Override
    public String stageName() {
        return name;
    }

    @Override
    public Clock clock() {
        return run.clock();
    }

    @Override
    public StageMeter meter() {
        return shape.meter;
    }

    @Override
    public void depth(IntSupplier elements) {
        depth = elements;
    }

    /** Registers how many threads may work in the stage at once if that changes while it runs. */
    public void parallelism(IntSupplier threads) {
        parallelism = threads;
    }

    @Override
    public void onStop(Runnable stop) {
        lifetime.onStop(stop);
    }

    @Override
    public void onTermination(Termination termination) {
        lifetime.onTermination(termination);
    }

    @Override
    public void expose(Object handle) {
        run.expose(handle);
    }

    @Override
    public void fail(Throwable cause) {
        run.fail(cause);
    }

    @Override
    public @Nullable Throwable failure() {
        return run.cause();
    }

    StageSnapshot snapshot(long elapsedNanos) {
        StageMeter meter = shape.meter;
        int threads = parallelism.getAsInt();
        long busy = meter.busyNanos();
        long blockedDown = meter.blockedDownNanos();
        long blockedUp = meter.blockedUpNanos();
        if (shape.ownThreads) {
            // Workers that were never needed wait for input as well, though no thread stands there and waits.
            blockedUp = (long) Math.max(0, (double) elapsedNanos * threads - busy - blockedDown);
        }
        return new StageSnapshot(
                name,
                threads,
                meter.elementsIn(),
                meter.elementsOut(),
                busy,
                blockedUp,
                blockedDown,
                depthNow(),
                elapsedNanos);
    }

    private int depthNow() {
        try {
            return depth.getAsInt();
        } catch (RuntimeException ignored) {
            // A gauge of somebody else's must not keep a pipeline from ending; it may be read after its owner closed.
            return 0;
        }
    }

    /** Lets go of the stage, and so of the elements that a cancelled stage still holds. */
    void release() {
        depth = () -> 0;
        int last = parallelism.getAsInt();
        parallelism = () -> last;
    }
}
