package dev.weir.stream.internal.parallel;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A running computation for one element. It refers to its stage only until it is done or the stage is closed, so a
 * future that never completes retains only this object. Thread-safe.
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

    /** Makes the computation notify the stage once, on the completing thread, or at once if it is already complete. */
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

    /** Prevents the notification. Returns false if it has already happened. */
    boolean detach() {
        return stage.getAndSet(null) != null;
    }

    /** Cancels the computation if possible. This runs the user's dependent stages. */
    void cancel() {
        if (future != null) {
            try {
                boolean ignored = future.cancel(true);
            } catch (RuntimeException ignored) {
                // A custom future may refuse to be cancelled; it then continues without a listener.
            }
        }
    }

    /** Returns the future to query and cancel, or null if the completion stage has none. */
    static <R> @Nullable CompletableFuture<R> futureOf(CompletionStage<R> stage) {
        try {
            return stage.toCompletableFuture();
        } catch (UnsupportedOperationException ignored) {
            return null;
        }
    }

    /** Unwraps the failure that was passed to {@code whenComplete}. */
    static Throwable causeOf(Throwable told) {
        return told instanceof CompletionException && told.getCause() != null ? told.getCause() : told;
    }

    /** Returns the cause of a future's cancellation. */
    static Throwable cancellationOf(CompletableFuture<?> cancelled) {
        try {
            Object ignored = cancelled.join();
            throw new AssertionError("not cancelled");
        } catch (CancellationException cancellation) {
            return cancellation;
        }
    }
}
