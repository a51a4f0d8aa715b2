package dev.weir.stream.internal.source;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import org.jspecify.annotations.Nullable;

/** Emits no elements and ends when it is stopped. Confined to the stage's thread, except for the stop. */
final class NeverSource<T> implements Stage<T> {

    /** Interval at which a source that shares its thread checks for a stop. */
    private static final long LOOK_NANOS = 250_000_000;

    private final SourceSignal signal;

    private volatile boolean stopped;

    private NeverSource(StageContext context) {
        this.signal = new SourceSignal(context);
    }

    static <T> BlueprintNode<T> node() {
        return new BlueprintNode<>("never", (assembly, attributes) -> {
            var entry = assembly.fused(attributes);
            NeverSource<T> source = new NeverSource<>(entry);
            entry.onStop(source::stop);
            return assembly.polled(source, LOOK_NANOS);
        });
    }

    private void stop() {
        stopped = true;
        signal.raise();
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        return signal.await(() -> stopped, deadlineNanos) ? null : new Batch<>(0);
    }

    @Override
    public void close() {}
}
