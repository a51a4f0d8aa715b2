package dev.weir.stream.internal.parallel;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A computation that runs for one element. Refers to its stage until it is done or the stage is closed, so that a
 * future which never completes keeps nothing but this. Thread-safe.
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

    /** Tells the stage once, on whatever thread completes the computation; at once if it is complete. */
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

    /** Lets no completion through any more; false if one has come. */
    boolean detach() {
        return stage.getAndSet(null) != null;
    }

    /** Cancels the computation if it can be. Runs what hangs on it, which is not ours. */
    void cancel() {
        if (future != null) {
            try {
                boolean ignored = future.cancel(true);
            } catch (RuntimeException ignored) {
                // A future of the user's own kind may refuse; then it goes on, and nobody listens.
            }
        }
    }

    /** The future that can be asked and cancelled, or null if the stage has none to give. */
    static <R> @Nullable CompletableFuture<R> futureOf(CompletionStage<R> stage) {
        try {
            return stage.toCompletableFuture();
        } catch (UnsupportedOperationException ignored) {
            return null;
        }
    }

    /** Returns the failure of a computation, unwrapped from what {@code whenComplete} told. */
    static Throwable causeOf(Throwable told) {
        return told instanceof CompletionException && told.getCause() != null ? told.getCause() : told;
    }

    /** Returns the cause with which a future was cancelled. */
    static Throwable cancellationOf(CompletableFuture<?> cancelled) {
        try {
            Object ignored = cancelled.join();
            throw new AssertionError("not cancelled");
        } catch (CancellationException cancellation) {
            return cancellation;
        }
    }
}
