package dev.weir.stream.internal.parallel;

import dev.weir.stream.spi.Thrown;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A running computation for one element. A future that never completes retains this object, but not an ended stage.
 * Thread-safe.
 */
final class RunningComputation<R> implements BiConsumer<R, @Nullable Throwable> {

    private final AtomicReference<@Nullable AsyncComputations<?, R>> stage;
    private final int slot;
    private final @Nullable CompletableFuture<? extends R> future;
    private final long startNanos = System.nanoTime();

    RunningComputation(AsyncComputations<?, R> stage, int slot, @Nullable CompletableFuture<? extends R> future) {
        this.stage = new AtomicReference<>(stage);
        this.slot = slot;
        this.future = future;
    }

    int slot() {
        return slot;
    }

    long startNanos() {
        return startNanos;
    }

    /**
     * Registers this object to notify the stage once when the computation completes. The notification runs on the
     * completing thread, or now if the computation is complete.
     */
    void listen(CompletionStage<? extends R> computation) {
        CompletionStage<?> ignored;
        try {
            ignored = computation.whenComplete(this);
        } catch (RuntimeException | Error refused) {
            accept(null, refused);
        }
    }

    @Override
    public void accept(@Nullable R result, @Nullable Throwable thrown) {
        AsyncComputations<?, R> told = stage.getAndSet(null);
        if (told != null) {
            told.completed(this, result, thrown);
        }
    }

    /** Prevents the notification of the stage. Returns false if it was already notified. */
    boolean detach() {
        return stage.getAndSet(null) != null;
    }

    /** Cancels the computation if possible. May run the user's dependent stages on the calling thread. */
    void cancel() {
        if (future != null) {
            try {
                boolean ignored = future.cancel(true);
            } catch (RuntimeException | Error ignored) {
                // A custom future may refuse to be cancelled. Its result is ignored.
            }
        }
    }

    /** Returns the future of a completion stage, or null if the stage has none. */
    static <R> @Nullable CompletableFuture<R> futureOf(CompletionStage<R> stage) {
        try {
            return stage.toCompletableFuture();
        } catch (UnsupportedOperationException ignored) {
            return null;
        }
    }

    /**
     * Returns the exception of a failed future. Works even if the exception's own methods throw, unlike
     * {@link CompletableFuture#exceptionNow}.
     */
    static Throwable exceptionOf(CompletableFuture<?> failed) {
        return Thrown.unwrapped(failed.handle((result, thrown) -> thrown).join());
    }

    static Throwable cancellationOf(CompletableFuture<?> cancelled) {
        try {
            Object ignored = cancelled.join();
            throw new AssertionError("not cancelled");
        } catch (CancellationException cancellation) {
            return cancellation;
        }
    }
}
