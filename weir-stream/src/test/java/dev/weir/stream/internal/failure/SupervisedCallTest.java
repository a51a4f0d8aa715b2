package dev.weir.stream.internal.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Attributes;
import dev.weir.stream.Backoff;
import dev.weir.stream.Handler;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.Supervision;
import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests retries and decisions outside a pipeline. */
class SupervisedCallTest {

    private static final Backoff HOURLY =
            Backoff.between(Duration.ofHours(1), Duration.ofHours(1)).withJitter(0);

    private final IllegalStateException planted = new IllegalStateException("planted");
    private final List<String> ends = new ArrayList<>();
    private final AtomicBoolean revoked = new AtomicBoolean();

    private final AckTarget target = new AckTarget() {
        @Override
        public void ack(long token) {
            ends.add("ack " + token);
        }

        @Override
        public void abandon(long token) {
            ends.add("abandon " + token);
        }

        @Override
        public boolean isRevoked(long token) {
            return revoked.get();
        }

        @Override
        public boolean dropIfRevoked(long token) {
            if (revoked.get()) {
                ends.add("drop " + token);
            }
            return revoked.get();
        }

        @Override
        public String placeOf(long token) {
            return "place " + token;
        }

        @Override
        public void retain(long token, int count) {}
    };

    private static SupervisedCall supervised(Supervision supervision, Clock clock) {
        return SupervisedCall.by(new StageAttributes(Attributes.named("tested").withSupervision(supervision)), clock);
    }

    private static SupervisedCall supervised(Supervision supervision) {
        return supervised(supervision, Clock.SYSTEM);
    }

    private static Supervision retry(int attempts, Supervision then) {
        return Supervision.retry(RetryPolicy.of(attempts, Backoff.NONE), then);
    }

    private Batch<Integer> batch(int size) {
        Batch<Integer> batch = new Batch<>(size);
        for (int n = 0; n < size; n++) {
            batch.add(n, target, n);
        }
        return batch;
    }

    /** Returns a handler that fails before call number {@code call}. The call before supervision was number 1. */
    private Handler<Integer, Integer> worksAt(int call) {
        AtomicInteger calls = new AtomicInteger(1);
        return n -> {
            if (calls.incrementAndGet() < call) {
                throw planted;
            }
            return n;
        };
    }

    @Test
    void attempts_areBounded_andFailuresAreCounted() throws Exception {
        SupervisedCall three = supervised(retry(3, Supervision.skip()));
        assertThat(three.after(planted, worksAt(3), 7)).isEqualTo(7);
        assertThat(three.failedCalls().sum()).isEqualTo(2);
        assertThat(three.after(planted, worksAt(4), 7)).isEqualTo(new FailureVerdict(Decision.SKIP, planted));
        assertThat(three.failedCalls().sum()).isEqualTo(5);
        assertThat(three.retries()).isTrue();
        assertThat(supervised(Supervision.skip()).retries()).isFalse();
    }

    @Test
    void failure_thatIsNotRetriable_isDecidedOnAtOnce() throws Exception {
        SupervisedCall some = supervised(Supervision.retry(
                RetryPolicy.of(3, Backoff.NONE).when(failure -> failure != planted), Supervision.skip()));
        assertThat(some.after(planted, worksAt(2), 7)).isEqualTo(new FailureVerdict(Decision.SKIP, planted));
        assertThat(some.after(new IllegalStateException("another"), worksAt(2), 7))
                .isEqualTo(7);
    }

    @Test
    @SuppressWarnings("NullAway") // the point of the test
    void callThatReturnsNull_isAFailure() throws Exception {
        Handler<Integer, Integer> nothing = n -> null;
        assertThat(supervised(retry(2, Supervision.skip())).after(planted, nothing, 7))
                .isInstanceOfSatisfying(
                        FailureVerdict.class,
                        verdict -> assertThat(verdict.failure())
                                .isInstanceOf(NullPointerException.class)
                                .hasMessage("a stage's function returned null"));
    }

    @ParameterizedTest
    @EnumSource
    void verdict_endsTheAcknowledgement_asItsDecisionSays(Decision decision) {
        FailureVerdict verdict = new FailureVerdict(decision, planted);
        verdict.settle(target, 3);
        boolean acknowledges = decision == Decision.SKIP || decision == Decision.RESTART;
        assertThat(ends).isEqualTo(acknowledges ? List.of("ack 3") : List.of());
        assertThat(verdict.fails()).isEqualTo(decision == Decision.FAIL);
        assertThat(verdict.restarts()).isEqualTo(decision == Decision.RESTART);
    }

    @Test
    void supervisionThatThrows_failsWithTheFailure_andSuppressesItsOwn() throws Exception {
        IllegalArgumentException own = new IllegalArgumentException("in the decider");
        SupervisedCall broken = supervised(Supervision.of(failure -> {
            throw own;
        }));
        FailureVerdict expected = new FailureVerdict(Decision.FAIL, planted);
        assertThat(broken.after(planted, worksAt(2), 7)).isEqualTo(expected);
        assertThat(planted.getSuppressed()).containsExactly(own);
        assertThat(broken.decide(planted)).isEqualTo(expected);
        assertThat(broken.decideElsewhere(planted)).isEqualTo(expected);
        assertThat(planted.getSuppressed()).containsExactly(own, own, own);
        assertThat(broken.failedCalls().sum()).isEqualTo(3);
        // An exception cannot suppress itself.
        assertThat(broken.decide(own)).isEqualTo(new FailureVerdict(Decision.FAIL, own));
        assertThat(own.getSuppressed()).isEmpty();
    }

    @Test
    void supervisionThatRethrowsOrDecidesNothing_failsTheStream() throws Exception {
        SupervisedCall rethrowing = supervised(Supervision.of(failure -> {
            throw planted;
        }));
        assertThat(rethrowing.after(planted, worksAt(2), 7)).isEqualTo(new FailureVerdict(Decision.FAIL, planted));
        assertThat(planted.getSuppressed()).isEmpty();
        InternalError fatal = new InternalError("planted");
        SupervisedCall dying = supervised(Supervision.of(failure -> {
            throw fatal;
        }));
        assertThatThrownBy(() -> dying.after(planted, worksAt(2), 7)).isSameAs(fatal);
        assertThatThrownBy(() -> dying.decide(planted)).isSameAs(fatal);
    }

    @Test
    void errorOfTheMachine_isThrown_whereverItIsDecidedOn() {
        InternalError fatal = new InternalError("planted");
        SupervisedCall skipping = supervised(retry(3, Supervision.skip()));
        assertThatThrownBy(() -> skipping.after(fatal, worksAt(2), 7)).isSameAs(fatal);
        assertThatThrownBy(() -> skipping.decide(fatal)).isSameAs(fatal);
        assertThatThrownBy(() -> skipping.decideElsewhere(fatal)).isSameAs(fatal);
        assertThat(skipping.decideElsewhere(planted)).isEqualTo(new FailureVerdict(Decision.SKIP, planted));
        assertThat(skipping.decide(planted)).isEqualTo(new FailureVerdict(Decision.SKIP, planted));
    }

    @Test
    void interruptedException_failsTheStream_withoutARetry() throws Exception {
        InterruptedException interrupted = new InterruptedException("planted");
        SupervisedCall skipping = supervised(retry(3, Supervision.skip()));
        FailureVerdict expected = new FailureVerdict(Decision.FAIL, interrupted);
        assertThat(skipping.after(interrupted, worksAt(2), 7)).isEqualTo(expected);
        assertThat(skipping.decide(interrupted)).isEqualTo(expected);
        assertThat(skipping.decideElsewhere(interrupted)).isEqualTo(expected);
    }

    @Test
    void failureInABatch_thatFailsTheStream_abandonsTheElementsFromThereOn() throws Exception {
        assertThat(supervised(Supervision.fail()).after(planted, worksAt(2), batch(4), 1, 2))
                .isEqualTo(new FailureVerdict(Decision.FAIL, planted));
        assertThat(ends).containsExactly("abandon 2", "abandon 3");
        assertThat(planted.getSuppressed()).as("the note about the element").hasSize(1);
    }

    @Test
    void failureInABatch_thatIsSkippedOrRetried_abandonsNothing() throws Exception {
        assertThat(supervised(Supervision.skip()).after(planted, worksAt(2), batch(4), 1, 2))
                .isEqualTo(new FailureVerdict(Decision.SKIP, planted));
        assertThat(supervised(retry(2, Supervision.fail())).after(planted, worksAt(2), batch(4), 1, 2))
                .isEqualTo(2);
        assertThat(ends).isEmpty();
        assertThat(planted.getSuppressed()).isEmpty();
    }

    /** The elements between those kept and the failed one have left the batch. */
    @Test
    void interruptBetweenAttempts_abandonsTheKeptElements_andThoseFromTheFailedOneOn() {
        SupervisedCall patient = supervised(Supervision.retry(RetryPolicy.of(3, HOURLY), Supervision.skip()));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> patient.after(planted, worksAt(2), batch(5), 1, 3))
                .isInstanceOf(InterruptedException.class);
        assertThat(ends).containsExactlyInAnyOrder("abandon 0", "abandon 3", "abandon 4");
    }

    @Test
    void orDrop_returnsTheResult_orSettlesTheElement_orThrows() throws Exception {
        Batch<Integer> batch = batch(3);
        assertThat(supervised(retry(2, Supervision.fail())).<Integer, Integer>orDrop(planted, worksAt(2), batch, 1))
                .isEqualTo(1);
        assertThat(ends).isEmpty();
        assertThat(supervised(Supervision.skip()).<Integer, Integer>orDrop(planted, worksAt(2), batch, 1))
                .isNull();
        assertThat(ends).containsExactly("ack 1");
        assertThatThrownBy(() -> supervised(Supervision.fail()).<Integer, Integer>orDrop(planted, worksAt(2), batch, 2))
                .isSameAs(planted);
        assertThat(ends).hasSize(1);
    }

    @Test
    void element_revokedBeforeARetry_isDroppedOnce() throws Exception {
        revoked.set(true);
        Batch<Integer> batch = batch(3);
        SupervisedCall retrying = supervised(retry(2, Supervision.fail()));
        assertThat(retrying.after(planted, worksAt(2), batch, 0, 1)).isSameAs(FailureVerdict.REVOKED);
        assertThat(ends).containsExactly("drop 1");
        assertThat(retrying.<Integer, Integer>orDrop(planted, worksAt(2), batch, 2))
                .isNull();
        assertThat(ends).containsExactly("drop 1", "drop 2");
    }

    /** Without a call of lookAgain, the revocation is noticed after the delay. */
    @Test
    void delay_endsByTheClock_orOnceTheElementIsRevoked() throws Exception {
        VirtualClock clock = new VirtualClock();
        SupervisedCall patient = supervised(Supervision.retry(RetryPolicy.of(3, HOURLY), Supervision.skip()), clock);
        CompletableFuture<Object> first = outcome(patient);
        clock.awaitWaiters(1);
        clock.advance(Duration.ofHours(1).minusNanos(1));
        patient.lookAgain();
        assertThat(first).isNotDone();
        clock.advance(Duration.ofNanos(1));
        assertThat(first.get()).isEqualTo(7);

        CompletableFuture<Object> second = outcome(patient);
        clock.awaitWaiters(1);
        revoked.set(true);
        patient.lookAgain();
        assertThat(second.get()).isSameAs(FailureVerdict.REVOKED);
    }

    private CompletableFuture<Object> outcome(SupervisedCall supervised) {
        CompletableFuture<Object> outcome = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                outcome.complete(supervised.after(planted, worksAt(2), 7, revoked::get));
            } catch (InterruptedException e) {
                outcome.completeExceptionally(e);
            }
        });
        return outcome;
    }
}
