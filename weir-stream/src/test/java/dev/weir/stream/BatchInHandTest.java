package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.TrappedOperators.Trap;
import dev.weir.stream.TrappedOperators.Trapped;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests inner streams that end while a stage processes a batch. Regression: commits waited for the rest of that batch.
 */
class BatchInHandTest {

    /** Alternating batch sizes. Functions first fail at the third element of the second batch. */
    private static final int[] BATCH_SIZES = {1, 11};

    private static final int INPUTS = 12;

    private final IllegalStateException planted = new IllegalStateException("planted");

    private final CountDownLatch mayEnd = new CountDownLatch(1);

    private final CountDownLatch hasEnded = new CountDownLatch(1);

    static Stream<Trapped> all() {
        return TrappedOperators.all().stream();
    }

    static Stream<Trapped> retrying() {
        return all().filter(Trapped::retries);
    }

    static Stream<Trapped> failingInOrder() {
        return failing().filter(Trapped::failsInOrder);
    }

    /** Returns all operators except divertTo, whose side sink also fails and ends the pipeline. */
    static Stream<Trapped> failing() {
        return all().filter(operator -> !operator.name().equals("divertTo"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("retrying")
    void function_thatIsToBeCalledAgainWhenTheStreamEnds_leavesNoHole(Trapped operator) throws Exception {
        Duration pause = Duration.ofHours(1);
        RetryPolicy policy = RetryPolicy.of(9, Backoff.between(pause, pause)).when(e -> {
            mayEnd.countDown();
            return true;
        });
        leavesNoHole(operator, new Trap(planted, false), Supervision.retry(policy, Supervision.fail()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("all")
    void function_thatIsInterruptedByTheEnd_leavesNoHole(Trapped operator) throws Exception {
        Trap waiting = new Trap(planted, false) {
            @Override
            int pass(int n) {
                return isBad(n) ? waitForEver(n) : n;
            }
        };
        leavesNoHole(operator, waiting, Supervision.fail());
    }

    private int waitForEver(int n) {
        mayEnd.countDown();
        try {
            hasEnded.await();
            return n;
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /** The interrupt must reach only stages upstream of the switch. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("retrying")
    void function_thatIsToBeCalledAgainWhenASwitchEndsTheStream_leavesNoHole(Trapped operator) throws Exception {
        KillSwitch killSwitch = new KillSwitch();
        Duration pause = Duration.ofHours(1);
        RetryPolicy policy = RetryPolicy.of(9, Backoff.between(pause, pause)).when(e -> {
            killSwitch.shutdown();
            return true;
        });
        Trap trap = new Trap(planted, false);
        leavesNoHole(key -> operator.operator()
                .apply(trap)
                .apply(key)
                .supervised(Supervision.retry(policy, Supervision.fail()))
                .via(killSwitch));
    }

    /** A stage passes the failure on only after the preceding elements, which are no longer needed. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("failingInOrder")
    void function_whoseFailureNobodyWillSee_leavesNoHole(Trapped operator) throws Exception {
        Supervision failing = Supervision.of(e -> {
            mayEnd.countDown();
            return Decision.FAIL;
        });
        leavesNoHole(operator, new Trap(planted, false), failing);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("failing")
    void function_whoseFailureTheStreamRecoversFrom_leavesNoHole(Trapped operator) throws Exception {
        Trap trap = new Trap(planted, false);
        leavesNoHole(key -> operator.operator().apply(trap).apply(key).recover(failure -> -1));
    }

    /** Tests stages that have not emitted their elements yet. */
    @Test
    void stage_thatHoldsElementsWhenTheStreamEnds_leavesNoHole() throws Exception {
        leavesNoHoleOnceItHolds((s, holds) -> s.fold(0, (sum, n) -> {
            if (n == INPUTS - 1) {
                holds.run();
            }
            return sum + n;
        }));
        leavesNoHoleOnceItHolds((s, holds) -> s.reduce((sum, n) -> {
            if (n == INPUTS - 1) {
                holds.run();
            }
            return sum + n;
        }));
        // Neither input ends by itself.
        leavesNoHoleOnceItHolds((s, holds) -> s.concat(Source.never())
                .zipLatestWith(Source.of(1).concat(Source.never()), (n, one) -> {
                    if (n == INPUTS - 1) {
                        holds.run();
                    }
                    return n;
                })
                .filter(n -> false));
    }

    private void leavesNoHoleOnceItHolds(BiFunction<Source<Integer>, Runnable, Source<Integer>> holding)
            throws Exception {
        CountDownLatch holds = new CountDownLatch(1);
        Runnable untilTheEnd = () -> {
            holds.countDown();
            awaitUninterrupted(new CountDownLatch(1));
        };
        leavesNoHole(s -> holding.apply(s, untilTheEnd)
                .merge(Source.of(1).tap(n -> awaitUninterrupted(holds)))
                .take(1));
    }

    /** The restarted stages hold elements when they fail, and the stream ends before the restart. */
    @Test
    void restartedSection_thatHoldsElementsWhenTheStreamEnds_leavesNoHole() throws Exception {
        RestartSettings settings = RestartSettings.of(Backoff.NONE);
        for (int batches = 1; batches <= 3; batches++) {
            int count = batches;
            leavesNoHole(s -> s.restarted(settings, part -> part).take(count));
            leavesNoHole(s -> s.restarted(settings, part -> part.async()).take(count));
            leavesNoHole(s -> s.restarted(
                            settings, part -> part.grouped(2).async().mapConcat(list -> list))
                    .take(count));
            AtomicBoolean failed = new AtomicBoolean();
            leavesNoHole(s -> s.restarted(
                            settings,
                            part -> part.map(n -> n == 3 && failed.compareAndSet(false, true) ? failAtThree(n) : n)
                                    .async())
                    .take(count + 3));
        }
    }

    /** Tests stages that fail outside their functions, and stages that call functions while holding a lock. */
    @Test
    void otherFailure_thatTheStreamRecoversFrom_leavesNoHole() throws Exception {
        for (UnaryOperator<Source<Integer>> failing : List.<UnaryOperator<Source<Integer>>>of(
                s -> s.limit(3),
                s -> s.limitWeighted(3, n -> 1),
                s -> s.tap(n -> awaitUninterrupted(mayEnd)).buffer(2, OverflowStrategy.FAIL),
                s -> s.batch(100, n -> failAtThree(n), (sum, n) -> sum + failAtThree(n)),
                s -> s.groupBy(n -> n % 5, 3, key -> key),
                s -> s.groupBy(n -> n % 5, 3, key -> key.async()),
                // One group has results that are not emitted yet when another group fails.
                s -> s.groupBy(n -> n % 2, 2, key -> key.map(n -> n == 2 ? failAtThree(3) : n)),
                s -> s.flatMapConcat(n -> Source.of(failAtThree(n))),
                s -> s.flatMapMerge(2, n -> Source.of(n).map(BatchInHandTest::failAtThree)))) {
            mayEnd.countDown();
            leavesNoHole(s -> failing.apply(s).recover(failure -> -1));
        }
    }

    /** Regression: after a failed close, commits waited for the current batch. */
    @Test
    void close_thatFailsWithinTheStream_leavesNoHole() throws Exception {
        for (UnaryOperator<Source<Integer>> failing : List.<UnaryOperator<Source<Integer>>>of(
                s -> s.watch(BatchInHandTest::failAtTheEnd).take(3),
                s -> s.watch(BatchInHandTest::failAtTheEnd).takeWhile(n -> n < 5),
                s -> s.statefulMap(
                                () -> 0,
                                (state, n) -> failAtThree(n),
                                state -> Optional.empty(),
                                BatchInHandTest::failAtTheEnd)
                        .supervised(Supervision.of(e -> Decision.RESTART)),
                s -> s.flatMapConcat(n -> n < 3 ? Source.of(n) : closingBadly(n)))) {
            leavesNoHole(s -> failing.apply(s).recover(failure -> -1));
        }
    }

    private static void failAtTheEnd(Object end) {
        throw new IllegalStateException("planted");
    }

    private static Source<Integer> closingBadly(int element) {
        return Source.custom("closingBadly", context -> new Stage<>() {
            private boolean emitted;

            @Override
            public @Nullable Batch<Integer> pull(long deadlineNanos) {
                if (emitted) {
                    return null;
                }
                emitted = true;
                return Batch.unacknowledged(new Object[] {element}, 1);
            }

            @Override
            public void close() {
                failAtTheEnd(this);
            }
        });
    }

    private static int failAtThree(int n) {
        if (n == 3) {
            throw new IllegalStateException("planted");
        }
        return n;
    }

    private void leavesNoHole(Trapped operator, Trap trap, Supervision supervision) throws Exception {
        leavesNoHole(key -> operator.operator()
                .apply(trap)
                .apply(key)
                .supervised(supervision)
                .async(Dispatcher.virtual(), 100)
                .tap(n -> awaitUninterrupted(mayEnd))
                .take(1));
    }

    private void leavesNoHole(UnaryOperator<Source<Integer>> inside) throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(INPUTS, BATCH_SIZES);
        try (RunningPipeline running =
                source.source().groupBy(n -> 0, 1, inside).to(Sink.ignore()).run()) {
            running.await();
        } finally {
            hasEnded.countDown();
        }
        // A thread that completes a future may still have to settle its element.
        assertThat(ForkJoinPool.commonPool().awaitQuiescence(30, TimeUnit.SECONDS))
                .isTrue();
        source.assertAllFinished();
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}
