package dev.weir.stream.internal.steering;

import dev.weir.stream.control.StageControl;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** The {@link StageControl} of one stage. Thread-safe: it calls methods that are guarded by the stage's lock. */
public final class StageSteering implements StageControl {

    /** Functions to get the maximum parallelism of the stage and to set its current parallelism. */
    private record Resizing(IntSupplier most, IntConsumer resize) {}

    private final String stage;
    private final String dispatcher;
    private final IntSupplier parallelism;
    private final LongAdder failedCalls;

    /** Null once the run has ended, so that the stage is not retained. */
    private volatile @Nullable Resizing resizing;

    public StageSteering(
            String stage,
            String dispatcher,
            IntSupplier parallelism,
            LongAdder failedCalls,
            IntSupplier most,
            IntConsumer resize) {
        this.stage = stage;
        this.dispatcher = dispatcher;
        this.parallelism = parallelism;
        this.failedCalls = failedCalls;
        this.resizing = new Resizing(most, resize);
    }

    @Override
    public String stage() {
        return stage;
    }

    @Override
    public String dispatcher() {
        return dispatcher;
    }

    @Override
    public int parallelism() {
        return parallelism.getAsInt();
    }

    @Override
    public long failedCalls() {
        return failedCalls.sum();
    }

    @Override
    public int mostAtOnce() {
        Resizing now = resizing;
        return now == null ? parallelism() : now.most().getAsInt();
    }

    @Override
    public void parallelism(int n) {
        Resizing now = resizing;
        if (now == null) {
            throw new IllegalStateException("stage " + stage + " has ended: its parallelism cannot be changed");
        }
        int most = now.most().getAsInt();
        if (n < 1 || n > most) {
            throw new IllegalArgumentException(
                    "parallelism of stage " + stage + " must be 1 to " + most + " while it runs: parallelism=" + n);
        }
        now.resize().accept(n);
    }

    /** Drops the reference to the stage at the end of the run. */
    public void release() {
        resizing = null;
    }

    @Override
    public String toString() {
        return stage + ": " + parallelism() + " of at most " + mostAtOnce();
    }
}
