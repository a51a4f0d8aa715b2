package dev.weir.stream.internal.steering;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.control.DispatcherControl;

/** The {@link DispatcherControl} of one dispatcher for one run. Thread-safe. */
public record DispatcherSteering(Dispatcher dispatcher, int fewest) implements DispatcherControl {

    @Override
    public DispatcherSnapshot snapshot() {
        return dispatcher.snapshot();
    }

    @Override
    public void size(int threads) {
        boolean hasSize = dispatcher.kind() == Dispatcher.Kind.FIXED || dispatcher.kind() == Dispatcher.Kind.FORK_JOIN;
        if (hasSize && threads < fewest) {
            throw new IllegalArgumentException("dispatcher " + dispatcher.name() + " must keep at least " + fewest
                    + " threads, which the pipeline occupies or needs: threads=" + threads);
        }
        dispatcher.resize(threads);
    }

    @Override
    public String toString() {
        return dispatcher + ", at least " + fewest;
    }
}
