package dev.weir.kafka.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.CircuitBreaker.State;
import dev.weir.kafka.Decoded;
import dev.weir.kafka.FailureAction;
import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.stream.Backoff;
import dev.weir.stream.Handler;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.testing.VirtualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the calls of a blocking handler behind a circuit breaker. */
@Timeout(60)
class BlockingGuardTest {

    private static final Duration OPEN_FOR = Duration.ofSeconds(1);

    private final VirtualClock clock = new VirtualClock();
    private final CircuitBreaker breaker =
            CircuitBreaker.consecutive(1, OPEN_FOR).withProbes(1).on(clock);
    private final FailureRules rules = FailureRules.NONE.withBreaker(breaker).withWayOut();
    private final ConsumerRecord<byte[], byte[]> raw = new ConsumerRecord<>("t", 0, 7, new byte[1], new byte[1]);
    private final HandlerJob<byte[], byte[]> job = new HandlerJob<>(new Decoded.Read<>(raw, raw));

    private static <R> BlockingGuard<byte[], byte[], R> guard(
            FailureRules rules, Handler<ConsumerRecord<byte[], byte[]>, R> handler) {
        return new BlockingGuard<>(rules, handler);
    }

    /** Opens the breaker, and waits until it allows one call. */
    private void openAndWait() throws InterruptedException {
        breaker.failed(breaker.acquire(), new IllegalStateException("refused"));
        clock.advance(OPEN_FOR);
    }

    /** Fails unless the breaker allows another call. */
    private void assertPermitIsFree() throws Exception {
        FutureTask<Long> permit = new FutureTask<>(breaker::acquire);
        Thread.ofVirtual().start(permit);
        assertThat(permit.get(20, TimeUnit.SECONDS)).isNotNegative();
    }

    @Test
    void success_closesTheBreaker_andCountsTheAttempt() throws Exception {
        openAndWait();
        assertThat(guard(rules, record -> "done").handle(job)).isEqualTo(new HandlerOutcome.Done<>(raw, "done", 1));
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void failure_opensTheBreaker_andIsTheRecords() throws Exception {
        openAndWait();
        IOException planted = new IOException("planted");
        HandlerOutcome<String> outcome = BlockingGuardTest.<String>guard(rules, record -> {
                    throw planted;
                })
                .handle(job);
        assertThat(outcome).isInstanceOfSatisfying(HandlerOutcome.Failed.class, failed -> {
            assertThat(failed.failed().cause()).isSameAs(planted);
            assertThat(failed.failed().reason()).isEqualTo(FailedRecord.Reason.HANDLER);
            assertThat(failed.failed().attempts()).isEqualTo(1);
        });
        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }

    /** The breaker must not count an interrupt of the run. */
    @Test
    void interrupt_isNoFailureOfTheService() throws Exception {
        openAndWait();
        assertThatThrownBy(() -> BlockingGuardTest.<String>guard(rules, record -> {
                            throw new InterruptedException("planted");
                        })
                        .handle(job))
                .isInstanceOf(InterruptedException.class);
        assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
        assertPermitIsFree();
    }

    @Test
    @SuppressWarnings("NullAway") // the point of the test
    void handlerThatReturnsNull_fails() {
        assertThatThrownBy(() -> BlockingGuardTest.<String>guard(FailureRules.NONE, record -> null)
                        .handle(job))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("the handler returned null");
    }

    @Test
    void failureThatIsTriedAgain_isThrown_untilTheLastAttempt() throws Exception {
        FailureRules thrice =
                FailureRules.NONE.withRetry(RetryPolicy.of(3, Backoff.NONE)).withWayOut();
        BlockingGuard<byte[], byte[], String> failing = guard(thrice, record -> {
            throw new IOException("planted");
        });
        for (int attempt = 1; attempt < 3; attempt++) {
            assertThatThrownBy(() -> failing.handle(job)).hasMessage("planted");
        }
        assertThat(failing.handle(job))
                .isInstanceOfSatisfying(
                        HandlerOutcome.Failed.class,
                        failed -> assertThat(failed.failed().attempts()).isEqualTo(3));
    }

    @Test
    void ruleOfAnException_decidesItsOutcome() throws Exception {
        FailureRules given = FailureRules.NONE
                .withRetry(RetryPolicy.of(3, Backoff.NONE))
                .with(IllegalStateException.class, FailureAction.SKIP)
                .with(IllegalArgumentException.class, FailureAction.DEAD_LETTER)
                .with(ArithmeticException.class, FailureAction.FAIL)
                .withReject(ClassCastException.class)
                .withWayOut();
        assertThat(outcome(given, new IllegalStateException())).isInstanceOf(HandlerOutcome.Skipped.class);
        assertThat(outcome(given, new IllegalArgumentException()))
                .isInstanceOfSatisfying(
                        HandlerOutcome.Failed.class,
                        failed -> assertThat(failed.failed().retriable()).isFalse());
        assertThatThrownBy(() -> outcome(given, new ArithmeticException())).isInstanceOf(ArithmeticException.class);
        assertThat(outcome(given, new ClassCastException())).isEqualTo(new HandlerOutcome.Rejected<String>(raw));
        // Decoding is not repeated.
        assertThat(outcome(given, new RecordDecodeException("t", 0, 7, new IOException("planted"))))
                .isInstanceOf(HandlerOutcome.Failed.class);
    }

    private HandlerOutcome<String> outcome(FailureRules given, RuntimeException thrown) throws Exception {
        return BlockingGuardTest.<String>guard(given, record -> {
                    throw thrown;
                })
                .handle(new HandlerJob<>(new Decoded.Read<>(raw, raw)));
    }

    // ---- Permits ---------------------------------------------------------------------------------------------------

    @Test
    void gateWithoutABreaker_isAlwaysOpen() throws Exception {
        assertThat(guard(rules, record -> "done").isAlwaysOpen()).isFalse();
        BlockingGuard<byte[], byte[], String> open = guard(FailureRules.NONE, record -> "done");
        assertThat(open.isAlwaysOpen()).isTrue();
        assertThat(open.enter(job, () -> false)).isTrue();
        assertThat(open.enter(job, () -> true)).as("the record is lost").isFalse();
        assertThat(job.isLetIn()).isFalse();
        open.leave(job);
        open.lookAgain();
    }

    @Test
    void recordThatLeaves_givesItsPermitBack() throws Exception {
        openAndWait();
        BlockingGuard<byte[], byte[], String> guard = guard(rules, record -> "done");
        assertThat(guard.enter(job, () -> false)).isTrue();
        assertThat(job.isLetIn()).isTrue();
        guard.leave(job);
        assertThat(job.isLetIn()).isFalse();
        guard.leave(job);
        assertPermitIsFree();
    }

    @Test
    void recordThatEntered_isCalledWithItsPermit() throws Exception {
        openAndWait();
        BlockingGuard<byte[], byte[], String> guard = guard(rules, record -> "done");
        assertThat(guard.enter(job, () -> false)).isTrue();
        assertThat(guard.handle(job)).isInstanceOf(HandlerOutcome.Done.class);
        assertThat(job.isLetIn()).isFalse();
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    /** The record is lost after the breaker has let it in. */
    @Test
    void recordThatIsLost_doesNotEnter_andKeepsNoPermit() throws Exception {
        openAndWait();
        BlockingGuard<byte[], byte[], String> guard = guard(rules, record -> "done");
        int[] looks = {0};
        assertThat(guard.enter(job, () -> looks[0]++ > 0)).isFalse();
        assertThat(job.isLetIn()).isFalse();
        assertPermitIsFree();
    }

    @Test
    void recordThatIsLost_whileTheBreakerIsOpen_doesNotEnter() throws Exception {
        breaker.failed(breaker.acquire(), new IllegalStateException("refused"));
        BlockingGuard<byte[], byte[], String> guard = guard(rules, record -> "done");
        boolean[] lost = {false};
        FutureTask<Boolean> entry = new FutureTask<>(() -> guard.enter(job, () -> lost[0]));
        Thread.ofVirtual().start(entry);
        clock.awaitWaiters(1);
        lost[0] = true;
        guard.lookAgain();
        assertThat(entry.get(20, TimeUnit.SECONDS)).isFalse();
        assertThat(job.isLetIn()).isFalse();
    }

    /** The handler is not called for such a record, so no permit is needed. */
    @Test
    void undecodableRecord_passesAnOpenBreaker() throws Exception {
        breaker.failed(breaker.acquire(), new IllegalStateException("refused"));
        RecordDecodeException refusal = new RecordDecodeException("t", 0, 7, new IOException("planted"));
        HandlerJob<byte[], byte[]> undecodable = new HandlerJob<>(new Decoded.Refused<>(raw, refusal));
        BlockingGuard<byte[], byte[], String> guard = guard(rules, record -> "done");
        assertThat(guard.enter(undecodable, () -> false)).isTrue();
        assertThat(undecodable.isLetIn()).isFalse();
        assertThat(guard.handle(undecodable))
                .isInstanceOfSatisfying(
                        HandlerOutcome.Failed.class,
                        failed -> assertThat(failed.failed().reason()).isEqualTo(FailedRecord.Reason.DECODE));
        assertThatThrownBy(() -> guard(FailureRules.NONE, record -> "done").handle(undecodable))
                .isSameAs(refusal);
    }
}
