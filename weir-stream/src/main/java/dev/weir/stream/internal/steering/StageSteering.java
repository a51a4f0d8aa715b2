package dev.weir.stream.internal.steering;

import dev.weir.stream.control.StageControl;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** The {@link StageControl} of one stage. Thread-safe, because the stage's lock guards the methods that it calls. */
public final class StageSteering implements StageControl {

    private record Resizing(IntSupplier most, IntConsumer resize) {}

    private final String stage;
    private final String dispatcher;
    private final IntSupplier parallelism;
    private final LongAdder failedCalls;

    /** Null after the end of the run, so that the stage is not retained. */
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

    public void release() {
        resizing = null;
    }

    @Override
    public String toString() {
        return stage + ": " + parallelism() + " of at most " + mostAtOnce();
    }
}
