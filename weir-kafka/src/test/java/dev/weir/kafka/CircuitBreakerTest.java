package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.CircuitBreaker.Snapshot;
import dev.weir.kafka.CircuitBreaker.State;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CircuitBreakerTest {

    private static final Duration OPEN_FOR = Duration.ofSeconds(10);
    private final Exception refused = new IllegalStateException("refused");

    private final VirtualClock clock = new VirtualClock();
    private final CircuitBreaker breaker =
            CircuitBreaker.consecutive(2, OPEN_FOR).withProbes(2).on(clock);

    private void fail(CircuitBreaker breaker, int calls) throws InterruptedException {
        for (int i = 0; i < calls; i++) {
            breaker.failed(breaker.acquire(), refused);
        }
    }

    /** Opens the breaker and advances the clock by the open time: the next calls are probes. */
    private void openAndWait() throws InterruptedException {
        fail(breaker, 2);
        assertThat(breaker.state()).isEqualTo(State.OPEN);
        clock.advance(OPEN_FOR);
    }

    private CompletableFuture<Long> acquireElsewhere() {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return breaker.acquire();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                },
                task -> Thread.ofVirtual().start(task));
    }

    /** Checks that a call waits exactly until the breaker's open time is over. Returns the call's permit. */
    private long acquireWhenItsTimeIsOver() throws Exception {
        CompletableFuture<Long> heldBack = acquireElsewhere();
        clock.awaitWaiters(1);
        clock.advance(OPEN_FOR.minusMillis(1));
        assertThat(heldBack).isNotDone();
        clock.advance(Duration.ofMillis(1));
        return heldBack.get();
    }

    @Test
    void failures_withASuccessBetween_keepItClosed() throws InterruptedException {
        fail(breaker, 1);
        breaker.succeeded(breaker.acquire());
        fail(breaker, 1);
        assertThat(breaker.snapshot()).isEqualTo(Snapshot.of(State.CLOSED, 2, 1, 0));
    }

    @Test
    void share_ofTheLastCalls_opensItWhenReached() throws InterruptedException {
        CircuitBreaker half = CircuitBreaker.failureRate(0.5, 4, OPEN_FOR).on(clock);
        fail(half, 1);
        for (int i = 0; i < 3; i++) {
            half.succeeded(half.acquire());
        }
        // The second failure pushes the first one out of the window.
        fail(half, 1);
        assertThat(half.snapshot()).isEqualTo(Snapshot.of(State.CLOSED, 4, 1, 0));
        fail(half, 1);
        assertThat(half.state()).isEqualTo(State.OPEN);
    }

    // 0.07 * 100 is slightly more than 7 in floating point.
    @Test
    void share_thatIsNotExactInBinary_opensItWhenReached() throws InterruptedException {
        CircuitBreaker few = CircuitBreaker.failureRate(0.07, 100, OPEN_FOR).on(clock);
        for (int i = 0; i < 93; i++) {
            few.succeeded(few.acquire());
        }
        fail(few, 7);
        assertThat(few.state()).isEqualTo(State.OPEN);
    }

    @Test
    void openBreaker_holdsCallersBackUntilItsTimeIsOver() throws Exception {
        fail(breaker, 2);
        breaker.succeeded(acquireWhenItsTimeIsOver());
        assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
    }

    @Test
    void halfOpenBreaker_letsProbesThroughAndClosesWhenAllSucceeded() throws Exception {
        openAndWait();
        long first = breaker.acquire();
        long second = breaker.acquire();
        CompletableFuture<Long> third = acquireElsewhere();
        breaker.succeeded(first);
        assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
        assertThat(third).isNotDone();
        breaker.succeeded(second);
        breaker.succeeded(third.get());
        assertThat(breaker.snapshot()).isEqualTo(Snapshot.of(State.CLOSED, 1, 0, 1));
    }

    @Test
    void probe_thatFails_opensItAgain() throws InterruptedException {
        openAndWait();
        breaker.failed(breaker.acquire(), refused);
        assertThat(breaker.state()).isEqualTo(State.OPEN);
        assertThat(breaker.snapshot().timesOpened()).isEqualTo(2);
    }

    @Test
    void probe_thatDoesNotAnswer_isJoinedByAnotherAfterTheTimeAndStillCounts() throws Exception {
        openAndWait();
        long slow = breaker.acquire();
        long never = breaker.acquire();
        breaker.succeeded(acquireWhenItsTimeIsOver());
        assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
        breaker.succeeded(slow);
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
        breaker.failed(never, refused);
        assertThat(breaker.snapshot()).isEqualTo(Snapshot.of(State.CLOSED, 0, 0, 1));
    }

    @Test
    void probe_thatWasAbandoned_givesItsPlaceToAnother() throws Exception {
        openAndWait();
        long first = breaker.acquire();
        long second = breaker.acquire();
        CompletableFuture<Long> third = acquireElsewhere();
        breaker.abandoned(first);
        breaker.succeeded(second);
        breaker.succeeded(third.get());
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void answer_toACallOfBefore_doesNotCount() throws InterruptedException {
        long early = breaker.acquire();
        openAndWait();
        long probe = breaker.acquire();
        breaker.failed(early, refused);
        breaker.abandoned(early);
        assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
        breaker.succeeded(probe);
        breaker.succeeded(breaker.acquire());
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void failures_thatDoNotCount_sayThatTheServiceAnswers() throws InterruptedException {
        CircuitBreaker some = breaker.counting(failure -> failure instanceof IllegalStateException);
        fail(some, 1);
        some.failed(some.acquire(), new IllegalArgumentException("of the record"));
        fail(some, 1);
        assertThat(some.snapshot()).isEqualTo(Snapshot.of(State.CLOSED, 2, 1, 0));
    }

    // Regression: if the predicate threw, all later calls waited forever.
    @Test
    void question_whetherAFailureCounts_thatFailsItself_doesNotKeepTheProbesPlace() throws InterruptedException {
        CircuitBreaker faulty = CircuitBreaker.consecutive(1, OPEN_FOR)
                .withProbes(1)
                .counting(
                        failure -> Objects.requireNonNull(failure.getMessage()).contains("refused"))
                .on(clock);
        fail(faulty, 1);
        clock.advance(OPEN_FOR);
        long probe = faulty.acquire();
        assertThatThrownBy(() -> faulty.failed(probe, new IllegalStateException()))
                .isInstanceOf(NullPointerException.class);
        assertThat(faulty.state()).isEqualTo(State.OPEN);
        clock.advance(OPEN_FOR);
        faulty.succeeded(faulty.acquire());
        assertThat(faulty.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void waitingCaller_thatIsInterrupted_leavesAndTakesNoPlace() throws Exception {
        openAndWait();
        long first = breaker.acquire();
        long second = breaker.acquire();
        CompletableFuture<Throwable> left = new CompletableFuture<>();
        Thread caller = Thread.ofVirtual().start(() -> {
            try {
                left.completeExceptionally(new AssertionError("went through: " + breaker.acquire()));
            } catch (InterruptedException interrupted) {
                left.complete(interrupted);
            }
        });
        caller.interrupt();
        assertThat(left.get()).isInstanceOf(InterruptedException.class);
        breaker.succeeded(first);
        breaker.succeeded(second);
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }
}
