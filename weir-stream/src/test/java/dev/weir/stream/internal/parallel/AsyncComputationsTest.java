package dev.weir.stream.internal.parallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Attributes;
import dev.weir.stream.Backoff;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.Supervision;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.internal.workers.WorkerTasks;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests the computations of a stage that only records them. Also tests the computations in flight and the run of one
 * starter.
 */
class AsyncComputationsTest {

    private static final Supervision RETRIED = Supervision.retry(RetryPolicy.of(3, Backoff.NONE), Supervision.skip());

    private final IllegalStateException planted = new IllegalStateException("planted");
    private final ElementTable<Integer> table = new ElementTable<>(128, false, false);
    private final List<RunningComputation<Integer>> admitted = new ArrayList<>();
    private final BlockingQueue<Object> outcomes = new LinkedBlockingQueue<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger acks = new AtomicInteger();
    private volatile boolean cancelled;

    private final AckTarget target = new AckTarget() {
        @Override
        public void ack(long token) {
            acks.incrementAndGet();
        }

        @Override
        public void retain(long token, int count) {}
    };

    private final AsyncComputations.Owner<Integer> owner = new AsyncComputations.Owner<>() {
        @Override
        public boolean isCancelled() {
            return cancelled;
        }

        @Override
        public boolean admit(RunningComputation<Integer> running) {
            admitted.add(running);
            return !cancelled;
        }

        @Override
        public void finished(RunningComputation<Integer> running, Object outcome) {
            outcomes.add(outcome);
        }
    };

    private AsyncComputations<Integer, Integer> computations(
            Supervision supervision, Function<Integer, CompletionStage<Integer>> function) {
        SupervisedCall supervised = SupervisedCall.by(
                new StageAttributes(Attributes.named("test").withSupervision(supervision)), Clock.SYSTEM);
        return new AsyncComputations<>(
                owner,
                new AsyncCalls<Integer, Integer>(
                        "test",
                        n -> {
                            calls.incrementAndGet();
                            return function.apply(n);
                        },
                        supervised.retries()),
                supervised,
                table,
                new WorkerTasks(new TaskGroup("test", escaped -> {}), Dispatcher.virtual(), "test"));
    }

    private int offer(int value) {
        assertThat(table.offer(value, target, value, Ordering.NO_KEY)).isTrue();
        return table.takeReady();
    }

    private static Throwable failureOf(@Nullable Object outcome) {
        return outcome instanceof FailureVerdict verdict ? verdict.failure() : new AssertionError("is " + outcome);
    }

    /** A future that a user has written. */
    private static class Custom extends CompletableFuture<Integer> {

        @Override
        public CompletableFuture<Integer> toCompletableFuture() {
            throw new UnsupportedOperationException("no future");
        }
    }

    @Test
    void futureThatIsDone_givesItsOutcomeAtOnce() {
        AsyncComputations<Integer, Integer> all = computations(
                Supervision.skip(),
                n -> n == 0 ? CompletableFuture.completedFuture(7) : CompletableFuture.failedFuture(planted));
        assertThat(all.start(offer(0))).isEqualTo(7);
        assertThat(acks).hasValue(0);
        assertThat(failureOf(all.start(offer(1)))).isSameAs(planted);
        assertThat(acks).hasValue(1);
        assertThat(admitted).isEmpty();
        assertThat(outcomes).isEmpty();
    }

    @Test
    void futureThatRuns_isAdmitted_andReportsItsResultOnce() {
        CompletableFuture<Integer> future = new CompletableFuture<>();
        AsyncComputations<Integer, Integer> all = computations(Supervision.fail(), n -> future);
        int slot = offer(1);
        assertThat(all.start(slot)).isNull();
        assertThat(admitted).hasSize(1);
        assertThat(admitted.getFirst().slot()).isEqualTo(slot);
        future.complete(7);
        assertThat(outcomes).containsExactly(7);
        assertThat(admitted.getFirst().detach()).isFalse();
        assertThat(outcomes).hasSize(1);
    }

    @Test
    void stageWithoutAFuture_isAwaited() {
        Custom custom = new Custom();
        AsyncComputations<Integer, Integer> all = computations(Supervision.fail(), n -> custom);
        assertThat(all.start(offer(1))).isNull();
        admitted.getFirst().cancel();
        assertThat(custom).isNotCancelled();
        custom.complete(7);
        assertThat(outcomes).containsExactly(7);
    }

    @Test
    void stageThatCannotBeAwaited_failsItsElement() {
        Custom custom = new Custom() {
            @Override
            public CompletableFuture<Integer> whenComplete(BiConsumer<? super Integer, ? super Throwable> action) {
                throw planted;
            }
        };
        AsyncComputations<Integer, Integer> all = computations(Supervision.fail(), n -> custom);
        assertThat(all.start(offer(1))).isNull();
        assertThat(failureOf(outcomes.poll())).isSameAs(planted);
    }

    @Test
    void computationThatIsDetached_reportsNothing() {
        CompletableFuture<Integer> future = new CompletableFuture<>();
        assertThat(computations(Supervision.fail(), n -> future).start(offer(1)))
                .isNull();
        assertThat(admitted.getFirst().detach()).isTrue();
        assertThat(admitted.getFirst().detach()).isFalse();
        future.complete(7);
        assertThat(outcomes).isEmpty();
    }

    @Test
    void computation_whoseFutureRefusesToBeCancelled_isLeftAlone() {
        CompletableFuture<Integer> future = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                calls.incrementAndGet();
                throw new UnsupportedOperationException("cancel");
            }
        };
        assertThat(computations(Supervision.fail(), n -> future).start(offer(1)))
                .isNull();
        admitted.getFirst().cancel();
        assertThat(calls).hasValue(2);
    }

    /** A failure after a cancellation must not be skipped: the element would count as finished. */
    @Test
    void failure_afterACancellation_isNotPutToTheSupervision() {
        CompletableFuture<Integer> future = new CompletableFuture<>();
        AsyncComputations<Integer, Integer> all =
                computations(Supervision.skip(), n -> n == 0 ? future : CompletableFuture.failedFuture(planted));
        assertThat(all.start(offer(0))).isNull();
        cancelled = true;
        future.completeExceptionally(planted);
        assertThat(outcomes.poll()).matches(outcome -> outcome instanceof FailureVerdict verdict && verdict.fails());
        assertThat(all.start(offer(1)))
                .matches(outcome -> outcome instanceof FailureVerdict verdict && verdict.fails());
        assertThat(acks).hasValue(0);
    }

    @Test
    void futureThatRuns_afterACancellation_isNotAwaited() {
        CompletableFuture<Integer> future = new CompletableFuture<>();
        cancelled = true;
        assertThat(computations(Supervision.fail(), n -> future).start(offer(1)))
                .isNull();
        assertThat(future.getNumberOfDependents()).isZero();
    }

    @Test
    void errorOfTheMachine_isTheFailure_andIsNotThrownAtTheCompletingThread() {
        InternalError fatal = new InternalError("planted");
        CompletableFuture<Integer> future = new CompletableFuture<>();
        AsyncComputations<Integer, Integer> all = computations(Supervision.skip(), n -> {
            if (n == 0) {
                throw fatal;
            }
            return future;
        });
        assertThat(failureOf(all.start(offer(0)))).isSameAs(fatal);
        assertThat(all.start(offer(1))).isNull();
        future.completeExceptionally(fatal);
        assertThat(failureOf(outcomes.poll())).isSameAs(fatal);
        assertThat(acks).hasValue(0);
    }

    @Test
    void retries_endWithTheFirstResult_orWithTheDecision() throws Exception {
        AsyncComputations<Integer, Integer> all = computations(
                RETRIED,
                n -> n == calls.get() ? CompletableFuture.completedFuture(7) : CompletableFuture.failedFuture(planted));
        assertThat(all.start(offer(2))).isNull();
        assertThat(outcomes.take()).isEqualTo(7);
        assertThat(calls).hasValue(2);
        assertThat(admitted.getFirst().detach()).as("is settled by its retry").isFalse();
        assertThat(acks).hasValue(0);

        calls.set(0);
        assertThat(all.start(offer(100))).isNull();
        assertThat(failureOf(outcomes.take())).isSameAs(planted);
        assertThat(calls).hasValue(3);
        assertThat(acks).hasValue(1);
    }

    @Test
    void failure_afterACancellation_isNotRetried() throws Exception {
        CompletableFuture<Integer> future = new CompletableFuture<>();
        assertThat(computations(RETRIED, n -> future).start(offer(1))).isNull();
        cancelled = true;
        future.completeExceptionally(planted);
        assertThat(outcomes.take()).matches(outcome -> outcome instanceof FailureVerdict verdict && verdict.fails());
        assertThat(calls).hasValue(1);
        assertThat(acks).hasValue(0);
    }

    // ---- Computations in flight.

    @Test
    void busyTime_isTheSumOverAllComputationsInFlight() {
        StageMeter meter = new StageMeter();
        InFlight<Integer> inFlight = new InFlight<>(4, meter);
        AsyncComputations<Integer, Integer> all = computations(Supervision.fail(), n -> new CompletableFuture<>());
        RunningComputation<Integer> one = new RunningComputation<>(all, 0, null);
        RunningComputation<Integer> two = new RunningComputation<>(all, 3, null);
        inFlight.add(one);
        assertThat(inFlight.count()).isEqualTo(1);
        inFlight.add(two);
        assertThat(inFlight.count()).isEqualTo(2);
        long alone = two.startNanos() - one.startNanos();
        assertThat(inFlight.remove(one, two.startNanos() + 1_000)).isTrue();
        assertThat(meter.busyNanos()).isEqualTo(alone + 2_000);
        assertThat(inFlight.count()).isEqualTo(1);
        assertThat(inFlight.remove(two, two.startNanos() + 1_500)).isTrue();
        assertThat(meter.busyNanos()).isEqualTo(alone + 2_500);
        assertThat(inFlight.count()).isZero();
    }

    @Test
    void computation_thatIsNotInFlight_isNotRemoved() {
        InFlight<Integer> inFlight = new InFlight<>(4, new StageMeter());
        AsyncComputations<Integer, Integer> all = computations(Supervision.fail(), n -> new CompletableFuture<>());
        RunningComputation<Integer> one = new RunningComputation<>(all, 1, null);
        inFlight.add(one);
        assertThat(inFlight.remove(new RunningComputation<>(all, 1, null), 0)).isFalse();
        assertThat(inFlight.count()).isEqualTo(1);
        assertThat(inFlight.remove(one, one.startNanos())).isTrue();
        assertThat(inFlight.remove(one, one.startNanos())).isFalse();
    }

    /** A computation that has reported its end settles its element itself. */
    @Test
    void detachAll_returnsTheComputationsThatHaveNotReported() {
        InFlight<Integer> inFlight = new InFlight<>(4, new StageMeter());
        AsyncComputations<Integer, Integer> all = computations(Supervision.fail(), n -> new CompletableFuture<>());
        RunningComputation<Integer> first = new RunningComputation<>(all, 0, null);
        RunningComputation<Integer> reported = new RunningComputation<>(all, 1, null);
        RunningComputation<Integer> last = new RunningComputation<>(all, 3, null);
        List.of(first, reported, last).forEach(inFlight::add);
        reported.accept(7, null);
        assertThat(inFlight.detachAll()).containsExactly(first, last);
        assertThat(inFlight.count()).isZero();
        assertThat(first.detach()).isFalse();
        assertThat(inFlight.remove(first, first.startNanos())).isFalse();
        assertThat(inFlight.detachAll()).isEmpty();
    }

    // ---- The run of a starter.

    private void fill(int count) {
        for (int n = 0; n < count; n++) {
            assertThat(table.offer(n, target, n, Ordering.NO_KEY)).isTrue();
        }
    }

    @Test
    void run_startsUntilEnoughComputationsRun_andGivesTheOthersBackInOrder() {
        fill(6);
        StarterRun run = new StarterRun();
        run.take(table, 2, 5);
        assertThat(run.length()).isEqualTo(5);
        // Elements 0 and 2 have their results at once.
        run.start(computations(
                Supervision.fail(),
                n -> n % 2 == 0 ? CompletableFuture.completedFuture(n + 100) : new CompletableFuture<>()));
        run.giveBackRest(table);
        assertThat(run.length()).isEqualTo(4);
        assertThat(run.takeOutcome(0)).isEqualTo(100);
        assertThat(run.takeOutcome(0)).isNull();
        assertThat(run.takeOutcome(1)).isNull();
        assertThat(run.takeOutcome(2)).isEqualTo(102);
        assertThat(table.value(run.slot(3))).isEqualTo(3);
        assertThat(run.nanos()).isPositive();
        assertThat(table.value(table.takeReady())).isEqualTo(4);
        assertThat(table.value(table.takeReady())).isEqualTo(5);
        assertThat(table.takeReady()).isNegative();
    }

    @Test
    void run_takesAtMost64Elements_andNoMoreThanAllowedOrReady() {
        fill(70);
        StarterRun run = new StarterRun();
        run.take(table, 100, Integer.MAX_VALUE);
        assertThat(run.length()).isEqualTo(64);
        run.take(table, 100, 1);
        assertThat(run.length()).isEqualTo(1);
        assertThat(table.value(run.slot(0))).isEqualTo(64);
        run.take(table, 100, 64);
        assertThat(run.length()).isEqualTo(5);
    }

    @Test
    void run_ofACancelledStage_startsNothing() {
        fill(3);
        cancelled = true;
        StarterRun run = new StarterRun();
        run.take(table, 3, 3);
        run.start(computations(Supervision.fail(), CompletableFuture::completedFuture));
        assertThat(calls).hasValue(0);
        run.giveBackRest(table);
        assertThat(table.readyCount()).isEqualTo(3);
    }
}
