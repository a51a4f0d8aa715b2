package dev.weir.checks.jmh;

import dev.weir.stream.Action;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The sink of every contender. Confined to one thread at a time. */
final class Sum implements Consumer<Integer>, Action<Integer> {

    private long total;
    private int count;
    private volatile @Nullable Throwable failure;

    @Override
    public void accept(Integer number) {
        total += number;
        count++;
    }

    void failed(Throwable cause) {
        failure = cause;
    }

    /** Returns the sum. Throws unless exactly {@code expected} elements were added. */
    long of(int expected) {
        Throwable cause = failure;
        if (cause != null) {
            throw new IllegalStateException("a contender failed", cause);
        }
        if (count != expected) {
            throw new IllegalStateException("a contender lost elements: count=" + count + " of " + expected);
        }
        return total;
    }
}
