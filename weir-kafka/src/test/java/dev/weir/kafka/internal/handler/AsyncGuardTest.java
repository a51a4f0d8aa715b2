package dev.weir.kafka.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.CircuitBreaker.State;
import dev.weir.kafka.Decoded;
import dev.weir.kafka.FailureAction;
import dev.weir.kafka.HandlerTimeoutException;
import dev.weir.kafka.RecordDecodeException;
import dev.weir.stream.Backoff;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

class AsyncGuardTest {

    private static final Duration OPEN_FOR = Duration.ofSeconds(1);

    private final VirtualClock clock = new VirtualClock();
    private final CircuitBreaker breaker =
            CircuitBreaker.consecutive(1, OPEN_FOR).withProbes(1).on(clock);
    private final CompletableFuture<String> handled = new CompletableFuture<>();

    private final ConsumerRecord<byte[], byte[]> raw = new ConsumerRecord<>("t", 0, 7, new byte[1], new byte[1]);

    private CompletableFuture<HandlerOutcome<String>> call(FailureRules rules) {
        return call(rules, record -> handled);
    }

    private CompletableFuture<HandlerOutcome<String>> call(
            FailureRules rules, Function<ConsumerRecord<byte[], byte[]>, CompletionStage<String>> handler) {
        return new AsyncGuard<>(rules, handler)
                .apply(new HandlerJob<>(new Decoded.Read<>(raw, raw)))
                .toCompletableFuture();
    }

    private void openAndWait() throws InterruptedException {
        breaker.failed(breaker.acquire(), new IllegalStateException("refused"));
        clock.advance(OPEN_FOR);
    }

    @Test
    void success_tellsTheBreakerAndGivesTheResult() throws Exception {
        openAndWait();
        CompletableFuture<HandlerOutcome<String>> outcome = call(FailureRules.NONE.withBreaker(breaker));
        handled.complete("done");
        assertThat(outcome.get()).isEqualTo(new HandlerOutcome.Done<>(raw, "done", 1));
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void failure_tellsTheBreakerAndFailsTheOutcome() throws Exception {
        openAndWait();
        CompletableFuture<HandlerOutcome<String>> outcome = call(FailureRules.NONE.withBreaker(breaker));
        handled.completeExceptionally(new IllegalStateException("refused"));
        assertThatThrownBy(outcome::get).isInstanceOf(ExecutionException.class).hasMessageContaining("refused");
        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }

    // Regression: after a pipeline was cancelled, all calls of the next run waited forever.
    @Test
    void outcome_thatThePipelineCancels_givesTheProbesPlaceBack() throws Exception {
        openAndWait();
        CompletableFuture<HandlerOutcome<String>> outcome = call(FailureRules.NONE.withBreaker(breaker));
        outcome.cancel(true);
        assertThat(handled).isCancelled();
        assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
        assertThat(CompletableFuture.supplyAsync(
                                this::acquire, task -> Thread.ofVirtual().start(task))
                        .get())
                .isPositive();
    }

    private long acquire() {
        try {
            return breaker.acquire();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void handlersFuture_thatIsCancelledByItsOwner_isAFailureLikeOthers() throws Exception {
        openAndWait();
        CompletableFuture<HandlerOutcome<String>> outcome = call(FailureRules.NONE.withBreaker(breaker));
        handled.cancel(true);
        assertThatThrownBy(outcome::get).isInstanceOf(CancellationException.class);
        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }

    @Test
    void future_thatTakesTooLong_isCancelledAndFails() {
        CompletableFuture<HandlerOutcome<String>> outcome = call(FailureRules.NONE.withTimeout(Duration.ofMillis(1)));
        assertThatThrownBy(outcome::get).hasCauseInstanceOf(HandlerTimeoutException.class);
        assertThatThrownBy(handled::get).isInstanceOf(CancellationException.class);
    }

    /** Regression: the record never got an outcome. */
    @Test
    void predicate_thatThrowsTheFailureItself_failsTheOutcome() {
        RetryPolicy policy = RetryPolicy.of(2, Backoff.NONE).when(failure -> {
            throw (IllegalStateException) failure;
        });
        CompletableFuture<HandlerOutcome<String>> outcome = call(FailureRules.NONE.withRetry(policy));
        handled.completeExceptionally(new IllegalStateException("refused"));
        assertThat(outcome).isCompletedExceptionally();
        assertThatThrownBy(outcome::get).hasMessageContaining("refused");
    }

    /** Regression: the guard's listener failed, so the record never got an outcome. */
    @Test
    void futureThatFails_withAWrapperThatCannotBeRead_failsTheOutcome() {
        @SuppressWarnings("serial")
        class Unreadable extends CompletionException {
            @Override
            public synchronized Throwable getCause() {
                throw new UnsupportedOperationException("no cause");
            }
        }
        CompletableFuture<HandlerOutcome<String>> outcome = call(FailureRules.NONE);
        handled.completeExceptionally(new Unreadable());
        assertThat(outcome).isCompletedExceptionally();
    }

    /**
     * Regression: the failure rules did not apply if a thread of another, cancelled pipeline completed the handler's
     * future.
     */
    @Test
    void failure_onTheThreadOfAnotherPipelineThatIsCancelled_followsTheRules() throws Exception {
        openAndWait();
        CompletableFuture<HandlerOutcome<String>> outcome =
                call(FailureRules.NONE.withBreaker(breaker).with(IllegalStateException.class, FailureAction.SKIP));
        CompletableFuture<RunningPipeline> stranger = new CompletableFuture<>();
        stranger.complete(Source.of(1)
                .to(Sink.forEach(n -> {
                    stranger.join().cancel();
                    boolean ignored = handled.completeExceptionally(new IllegalStateException("refused"));
                }))
                .run());
        assertThat(outcome.get(20, TimeUnit.SECONDS)).isInstanceOf(HandlerOutcome.Skipped.class);
        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }

    /** The handler's exception wraps the interrupt of its own cancelled run. */
    @Test
    void futureThatHasFailed_whileItsOwnPipelineIsCancelled_doesNotFollowTheRules() throws Exception {
        openAndWait();
        FailureRules rules =
                FailureRules.NONE.withBreaker(breaker).with(IllegalStateException.class, FailureAction.SKIP);
        CompletableFuture<CompletableFuture<HandlerOutcome<String>>> called = new CompletableFuture<>();
        CompletableFuture<RunningPipeline> own = new CompletableFuture<>();
        own.complete(Source.of(1)
                .to(Sink.forEach(n -> called.complete(call(rules, record -> {
                    own.join().cancel();
                    return CompletableFuture.failedFuture(new IllegalStateException("interrupted"));
                }))))
                .run());
        assertThat(called.get(20, TimeUnit.SECONDS)).isCompletedExceptionally();
        assertThat(breaker.state()).isNotEqualTo(State.OPEN);
    }

    /** Regression: the failure rules were not applied, and the breaker never got its permit back. */
    @Test
    void stage_thatAcceptsNoListener_followsTheRules() throws Exception {
        openAndWait();
        CompletableFuture<String> deaf = new CompletableFuture<>() {
            @Override
            public <U> CompletableFuture<U> handle(BiFunction<? super String, Throwable, ? extends U> listener) {
                throw new UnsupportedOperationException("planted");
            }
        };
        FailureRules rules = FailureRules.NONE.withBreaker(breaker).with(RuntimeException.class, FailureAction.SKIP);
        assertThat(call(rules, record -> deaf).get()).isInstanceOf(HandlerOutcome.Skipped.class);
        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }

    @Test
    @SuppressWarnings("NullAway") // the point of the test
    void futureThatIsNull_orCompletedWithNull_isAFailure() {
        assertThatThrownBy(() -> call(FailureRules.NONE, record -> null).get())
                .hasCauseInstanceOf(NullPointerException.class)
                .hasMessageContaining("the handler returned null");
        assertThatThrownBy(() -> call(FailureRules.NONE, record -> CompletableFuture.completedFuture(null))
                        .get())
                .hasCauseInstanceOf(NullPointerException.class)
                .hasMessageContaining("completed with null");
    }

    /** The call must take the permit that its record got at the gate. */
    @Test
    void recordThatEntered_isCalledWithItsPermit_andOneThatLeavesGivesItBack() throws Exception {
        openAndWait();
        AsyncGuard<byte[], byte[], String> guard =
                new AsyncGuard<>(FailureRules.NONE.withBreaker(breaker), record -> handled);
        assertThat(guard.isAlwaysOpen()).isFalse();
        assertThat(new AsyncGuard<byte[], byte[], String>(FailureRules.NONE, record -> handled).isAlwaysOpen())
                .isTrue();
        HandlerJob<byte[], byte[]> leaving = new HandlerJob<>(new Decoded.Read<>(raw, raw));
        assertThat(guard.enter(leaving, () -> true)).as("it is lost").isFalse();
        assertThat(guard.enter(leaving, () -> false)).isTrue();
        guard.leave(leaving);
        assertThat(leaving.isLetIn()).isFalse();
        HandlerJob<byte[], byte[]> job = new HandlerJob<>(new Decoded.Read<>(raw, raw));
        assertThat(guard.enter(job, () -> false)).isTrue();
        CompletableFuture<HandlerOutcome<String>> outcome = guard.apply(job).toCompletableFuture();
        assertThat(job.isLetIn()).isFalse();
        handled.complete("done");
        assertThat(outcome.get()).isEqualTo(new HandlerOutcome.Done<>(raw, "done", 1));
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void undecodableRecord_needsNoCall() throws Exception {
        RecordDecodeException refusal = new RecordDecodeException("t", 0, 7, new IllegalStateException("planted"));
        AsyncGuard<byte[], byte[], String> guard = new AsyncGuard<>(FailureRules.NONE.withWayOut(), record -> {
            throw new AssertionError("called");
        });
        assertThat(guard.apply(new HandlerJob<>(new Decoded.Refused<>(raw, refusal)))
                        .toCompletableFuture()
                        .get())
                .isInstanceOf(HandlerOutcome.Failed.class);
    }

    @Test
    void handlerThatThrows_isAFailureLikeOthers() throws Exception {
        openAndWait();
        FailureRules rules =
                FailureRules.NONE.withBreaker(breaker).with(IllegalStateException.class, FailureAction.SKIP);
        assertThat(call(rules, record -> {
                            throw new IllegalStateException("planted");
                        })
                        .get())
                .isInstanceOf(HandlerOutcome.Skipped.class);
        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }
}
