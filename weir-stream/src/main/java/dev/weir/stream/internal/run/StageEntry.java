package dev.weir.stream.internal.run;

import dev.weir.stream.StageSnapshot;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageMeter;
import java.util.function.IntSupplier;

/** A stage's place in a run: its name, its meter, and what it registers. Thread-safe once the run has started. */
public final class StageEntry implements StageContext {

    private final PipelineRun run;
    private final String name;
    private final StageMeter meter;
    private final int parallelism;

    private volatile IntSupplier depth = () -> 0;

    StageEntry(PipelineRun run, String name, StageMeter meter, int parallelism) {
        this.run = run;
        this.name = name;
        this.meter = meter;
        this.parallelism = parallelism;
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
    public StageMeter meter() {
        return meter;
    }

    @Override
    public void depth(IntSupplier elements) {
        depth = elements;
    }

    @Override
    public void onStop(Runnable stop) {
        run.onStop(stop);
    }

    @Override
    public void onTermination(Termination termination) {
        run.onTermination(termination);
    }

    @Override
    public void expose(Object handle) {
        run.expose(handle);
    }

    @Override
    public void fail(Throwable cause) {
        run.fail(cause);
    }

    StageSnapshot snapshot(long elapsedNanos) {
        long busy = meter.busyNanos();
        long blockedDown = meter.blockedDownNanos();
        long blockedUp = meter.blockedUpNanos();
        if (parallelism > 1) {
            // Workers that were never needed wait for input as well, though no thread stands there and waits.
            blockedUp = Math.max(0, elapsedNanos * parallelism - busy - blockedDown);
        }
        return new StageSnapshot(
                name,
                parallelism,
                meter.elementsIn(),
                meter.elementsOut(),
                busy,
                blockedUp,
                blockedDown,
                depth.getAsInt(),
                elapsedNanos);
    }
}
