package dev.weir.kafka.internal.handler;

import dev.weir.kafka.Decoded;
import dev.weir.kafka.HandlerTimeoutException;
import dev.weir.kafka.spi.RecordTracing;
import dev.weir.stream.spi.Gate;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Wraps an asynchronous handler with a circuit breaker and a timeout, and converts failures into values. Called on the
 * threads of its stage; the handler's futures may complete on any thread.
 */
final class AsyncGuard<K, V, R>
        implements Function<HandlerJob<K, V>, CompletionStage<HandlerOutcome<R>>>, Gate<HandlerJob<K, V>> {

    private final FailureRules rules;
    private final Function<? super ConsumerRecord<K, V>, ? extends CompletionStage<? extends R>> handler;

    AsyncGuard(
            FailureRules rules,
            Function<? super ConsumerRecord<K, V>, ? extends CompletionStage<? extends R>> handler) {
        this.rules = rules;
        this.handler = handler;
    }

    @Override
    public boolean isAlwaysOpen() {
        return rules.breaker() == null;
    }

    @Override
    public boolean enter(HandlerJob<K, V> job, BooleanSupplier revoked) throws InterruptedException {
        return rules.enter(job, revoked);
    }

    @Override
    public void leave(HandlerJob<K, V> job) {
        rules.leave(job);
    }

    @Override
    public void lookAgain() {
        rules.lookAgain();
    }

    @Override
    public CompletionStage<HandlerOutcome<R>> apply(HandlerJob<K, V> job) {
        return switch (job.decoded()) {
            case Decoded.Refused<K, V> refused -> CompletableFuture.completedFuture(rules.undecodable(refused));
            case Decoded.Read<K, V> read -> {
                long permit = permit(job);
                job.countAttempt();
                Attempt attempt = new Attempt(job, permit);
                attempt.start(read.record());
                yield attempt.outcome;
            }
        };
    }

    private long permit(HandlerJob<K, V> job) {
        try {
            return rules.permit(job);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new CompletionException(interrupted);
        }
    }

    /**
     * A single call of the handler. It ends when its future completes, the timeout passes or the pipeline cancels it.
     */
    private final class Attempt {

        private final HandlerJob<K, V> job;
        private final long permit;
        private final CompletableFuture<HandlerOutcome<R>> outcome = new CompletableFuture<>();

        /** Set before the handler is called. */
        private RecordTracing.Attempt traced = RecordTracing.Attempt.NONE;

        /** True once a thread has ended the attempt. Only that thread returns the permit to the breaker. */
        private final AtomicBoolean ended = new AtomicBoolean();

        /** The thread that calls the handler, or null. Other threads only compare it with themselves. */
        private @Nullable Thread caller;

        Attempt(HandlerJob<K, V> job, long permit) {
            this.job = job;
            this.permit = permit;
        }

        void start(ConsumerRecord<K, V> record) {
            CompletionStage<? extends R> stage;
            try {
                traced = rules.tracing().begin(record);
                stage = called(record);
                if (stage == null) {
                    throw new NullPointerException("the handler returned null");
                }
                caller = Thread.currentThread(); // a future that has already failed calls the listener on this thread
                // whenComplete would call toString of the user's exception, which may throw.
                var ignored = stage.handle((result, thrown) -> {
                    if (thrown != null) {
                        failedInListener(Thrown.unwrapped(thrown));
                    } else if (result == null) {
                        failedInListener(new NullPointerException("the handler's future was completed with null"));
                    } else {
                        succeeded(result);
                    }
                    return true;
                });
            } catch (Throwable thrown) {
                failed(thrown, FailureRules.isOfTheMachinery(thrown));
                return;
            } finally {
                caller = null;
            }
            Duration timeout = rules.timeout();
            if (!outcome.isDone()) {
                watch(stage, record, timeout);
            }
        }

        private @Nullable CompletionStage<? extends R> called(ConsumerRecord<K, V> record) {
            Throwable failure = null;
            try {
                return handler.apply(record);
            } catch (Throwable thrown) {
                failure = thrown;
                throw thrown;
            } finally {
                rules.trace(traced, RecordTracing.Attempt::close, failure);
            }
        }

        /** Ends the handler's future after the timeout or a cancellation by the pipeline. */
        private void watch(
                CompletionStage<? extends R> stage, ConsumerRecord<K, V> record, @Nullable Duration timeout) {
            CompletableFuture<Boolean> timer = new CompletableFuture<>();
            if (timeout != null) {
                var ignored = timer.completeOnTimeout(true, timeout.toNanos(), TimeUnit.NANOSECONDS)
                        // On a virtual thread, because user code that depends on the future must not run on the JVM's
                        // timer thread.
                        .thenAcceptAsync(
                                due -> {
                                    failedInListener(new HandlerTimeoutException(record, timeout, null));
                                    cancel(stage);
                                },
                                task -> Thread.ofVirtual().start(task));
            }
            var unused = outcome.handle((done, thrown) -> {
                boolean wasRunning = timer.cancel(false);
                if (outcome.isCancelled() && ended.compareAndSet(false, true)) {
                    abandoned();
                    cancel(stage);
                }
                return wasRunning;
            });
        }

        private void succeeded(R result) {
            if (ended.compareAndSet(false, true)) {
                try {
                    rules.trace(traced, RecordTracing.Attempt::succeeded, null);
                } catch (VirtualMachineError fatal) {
                    decide(fatal, true);
                    return;
                }
                outcome.complete(new HandlerOutcome.Done<>(job.raw(), result, job.attempts()));
                if (rules.breaker() != null) {
                    rules.breaker().succeeded(permit);
                }
            }
        }

        /** Fails the attempt. Called on the thread of the handler call or on any other thread. */
        private void failedInListener(Throwable thrown) {
            failed(
                    thrown,
                    Thread.currentThread() == caller
                            ? FailureRules.isOfTheMachinery(thrown)
                            : FailureRules.isOfTheMachineryElsewhere(thrown));
        }

        private void failed(Throwable thrown, boolean isOfTheMachinery) {
            if (!ended.compareAndSet(false, true)) {
                return;
            }
            rules.trace(traced, thrown);
            decide(thrown, isOfTheMachinery);
        }

        private void decide(Throwable thrown, boolean isOfTheMachinery) {
            HandlerOutcome<R> decided = rules.settle(job, permit, thrown, isOfTheMachinery);
            if (decided == null) {
                outcome.completeExceptionally(thrown);
            } else {
                outcome.complete(decided);
            }
        }

        /** Returns the permit to the breaker. */
        private void abandoned() {
            if (rules.breaker() != null) {
                rules.breaker().abandoned(permit);
            }
        }

        private void cancel(CompletionStage<? extends R> stage) {
            try {
                boolean ignored = stage.toCompletableFuture().cancel(true);
            } catch (RuntimeException cannot) {
                // A user's completion stage may not support cancellation. Its result is ignored.
            }
        }
    }
}
