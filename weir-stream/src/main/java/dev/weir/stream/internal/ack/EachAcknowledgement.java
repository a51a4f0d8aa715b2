package dev.weir.stream.internal.ack;

import dev.weir.stream.internal.run.FailureTransfer;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Ends the pending acknowledgements of several elements, even if one of the calls throws. Stateless. */
public final class EachAcknowledgement {

    private EachAcknowledgement() {}

    /** Calls {@code end} with each index below {@code count}, and then throws the first failure. */
    public static void of(int count, IntConsumer end) {
        Throwable failure = null;
        for (int i = 0; i < count; i++) {
            try {
                end.accept(i);
            } catch (RuntimeException | Error thrown) {
                failure = FailureTransfer.first(failure, thrown);
            }
        }
        FailureTransfer.rethrowIfAny(failure);
    }

    public static <T> void of(List<T> elements, Consumer<? super T> end) {
        of(elements.size(), i -> end.accept(elements.get(i)));
    }
}
