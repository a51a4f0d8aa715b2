package dev.weir.stream.internal.substream;

import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Helpers that the stages of this package share. Stateless. */
final class SubstreamHelpers {

    private SubstreamHelpers() {}

    /**
     * Applies {@code function} to the element at {@code index}. A null result counts as a failure of the function.
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

    /** Closes both stages, even if closing the first stage fails. */
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
