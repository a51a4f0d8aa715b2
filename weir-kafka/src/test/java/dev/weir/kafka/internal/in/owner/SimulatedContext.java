package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.internal.BareContext;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Whereabouts;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A stage context that keeps the last failure. A test sets its answers. */
final class SimulatedContext extends BareContext {

    volatile @Nullable Throwable failure;

    /** The result of every lookup. */
    volatile @Nullable Whereabouts found;

    /** The problems reported by stages. */
    volatile List<String> troubles = List.of();

    @Override
    public List<String> troubles() {
        return troubles;
    }

    @Override
    public @Nullable Whereabouts find(AckTarget target, long token) {
        return found;
    }

    @Override
    public @Nullable Throwable failure() {
        return failure;
    }

    @Override
    public void fail(Throwable cause) {
        failure = cause;
    }
}
