package dev.weir.stream.internal.substream;

import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Helpers that the stages of this package share. Stateless. */
final class SubstreamHelpers {

    private SubstreamHelpers() {}

    /**
     * Applies {@code function} to the element at {@code index} and returns the result. If the function returns null,
     * which only the key function of {@code groupBy} can do, this is handled as a failure of the function.
     *
     * @return null if the function failed and the element was dropped
     */
    static <T, R> @Nullable R of(
            Batch<T> batch, int index, Function<? super T, ? extends R> function, SupervisedCall supervised)
            throws InterruptedException {
        try {
            return Objects.requireNonNull(
                    function.apply(batch.get(index)), "the key function of groupBy returned null");
        } catch (Throwable thrown) {
            return supervised.<T, R>orDrop(thrown, function::apply, batch, index);
        }
    }

    /** Runs all actions, even if some of them fail, and then throws the first failure. */
    static void runAll(List<Runnable> actions) {
        Throwable failure = null;
        for (Runnable action : actions) {
            try {
                action.run();
            } catch (RuntimeException | Error thrown) {
                if (failure == null) {
                    failure = thrown;
                } else if (failure != thrown) {
                    failure.addSuppressed(thrown);
                }
            }
        }
        if (failure != null) {
            throw FailureTransfer.rethrow(failure);
        }
    }

    /** Closes both stages. The second stage is closed even if closing the first one fails. */
    static void closeBoth(@Nullable Stage<?> first, Stage<?> second) {
        try {
            if (first != null) {
                first.close();
            }
        } finally {
            second.close();
        }
    }
}
