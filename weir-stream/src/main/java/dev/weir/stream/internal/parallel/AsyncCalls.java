package dev.weir.stream.internal.parallel;

import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.Gate;
import dev.weir.stream.spi.Thrown;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Calls an operator's asynchronous function, one call at a time. Thread-safe. */
final class AsyncCalls<T, R> {

    private final String operator;
    private final Function<? super T, ? extends CompletionStage<? extends R>> function;

    /** Held during each call of the function. Null without retries, because calls then never overlap. */
    private final @Nullable ReentrantLock turns;

    private final @Nullable Gate<T> gate;

    AsyncCalls(String operator, Function<? super T, ? extends CompletionStage<? extends R>> function, boolean retried) {
        this(operator, function, null, retried);
    }

    /**
     * Creates an object that calls {@code function}. If {@code gate} is not null, each call first waits at the gate.
     *
     * @param operator name of the operator, for messages
     * @param retried whether calls may be retried; retries run on other threads, so calls need a lock
     */
    AsyncCalls(
            String operator,
            Function<? super T, ? extends CompletionStage<? extends R>> function,
            @Nullable Gate<T> gate,
            boolean retried) {
        this.gate = gate;
        this.operator = operator;
        this.function = function;
        this.turns = retried ? new ReentrantLock() : null;
    }

    NullPointerException completedWithNull() {
        return new NullPointerException("a stage of " + operator + " completed with null");
    }

    /**
     * Calls the function, possibly after waiting at the gate.
     *
     * @param revoked returns whether the source no longer owns the element
     * @return null if the element was revoked and the function was not called
     */
    @Nullable
    CompletionStage<? extends R> call(T element, BooleanSupplier revoked) {
        if (!enter(element, revoked)) {
            return null;
        }
        if (turns != null) {
            turns.lock();
        }
        try {
            if (turns != null && revoked.getAsBoolean()) {
                if (gate != null) {
                    gate.leave(element);
                }
                return null;
            }
            CompletionStage<? extends R> stage = function.apply(element);
            if (stage == null) {
                throw new NullPointerException("the function of " + operator + " returned null, not a stage");
            }
            return stage;
        } finally {
            if (turns != null) {
                turns.unlock();
            }
        }
    }

    private boolean enter(T element, BooleanSupplier revoked) {
        try {
            return gate == null || gate.enter(element, revoked);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new CompletionException(interrupted);
        }
    }

    /** Calls the function and waits for the result. Returns null if the element was revoked before the call. */
    @Nullable
    R callAndWait(T element, BooleanSupplier revoked) throws Exception {
        // This future never completes exceptionally, because get() would then call methods of the user's exception.
        CompletableFuture<Object> done = new CompletableFuture<>();
        CompletionStage<? extends R> stage = call(element, revoked);
        if (stage == null) {
            return null;
        }
        var ignored = stage.handle((result, thrown) -> {
            if (thrown != null) {
                return done.complete(new Failed(Thrown.unwrapped(thrown)));
            }
            return done.complete(result == null ? new Failed(completedWithNull()) : result);
        });
        Object outcome;
        try {
            outcome = done.get();
        } catch (InterruptedException interrupted) {
            CompletableFuture<? extends R> future = RunningComputation.futureOf(stage);
            if (future != null) {
                boolean unused = future.cancel(true);
            }
            throw interrupted;
        }
        if (!(outcome instanceof Failed(Throwable why))) {
            @SuppressWarnings("unchecked") // any outcome other than a Failed is the result of the call
            R result = (R) outcome;
            return result;
        }
        switch (why) {
            case Exception exception -> throw exception;
            case Error error -> throw error;
            default -> throw FailureTransfer.rethrow(why);
        }
    }

    /** The outcome of a failed computation. */
    private record Failed(Throwable why) {}
}
