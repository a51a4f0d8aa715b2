package dev.weir.kafka.internal.consumer;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageMeter;
import dev.weir.stream.spi.Whereabouts;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** A stage's surroundings that only note a failure. */
final class SimulatedContext implements StageContext {

    private final StageMeter meter = new StageMeter();

    volatile @Nullable Throwable failure;

    /** What is found whatever is looked for. */
    volatile @Nullable Whereabouts found;

    @Override
    public String pipelineName() {
        return "simulated";
    }

    @Override
    public String stageName() {
        return "consume";
    }

    @Override
    public StageMeter meter() {
        return meter;
    }

    @Override
    public void depth(IntSupplier elements) {}

    @Override
    public void onStop(Runnable stop) {}

    @Override
    public void onTermination(Termination termination) {}

    @Override
    public void expose(Object handle) {}

    @Override
    public @Nullable Whereabouts find(AckTarget target, long token) {
        return found;
    }

    @Override
    public void fail(Throwable cause) {
        failure = cause;
    }
}
