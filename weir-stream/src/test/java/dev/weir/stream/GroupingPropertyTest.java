package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each grouping and timed operator that drops nothing, over batches of all sizes and through each ending. */
class GroupingPropertyTest {

    private static final int INPUTS = 1500;

    private static final List<int[]> BATCH_SIZES =
            List.of(new int[] {1}, new int[] {2}, new int[] {7}, new int[] {512}, new int[] {0, 1, 512, 0, 0, 7, 33});

    static Stream<Arguments> stepsAndSizes() {
        return Stream.concat(TimedSteps.all().stream(), TimedSteps.reordering().stream())
                .flatMap(step -> BATCH_SIZES.stream().map(sizes -> Arguments.of(step, sizes)));
    }

    /** Runs {@code then} at one of the calls of user code. */
    private static Runnable at(int call, Runnable then) {
        AtomicInteger calls = new AtomicInteger();
        return () -> {
            if (calls.incrementAndGet() == call) {
                then.run();
            }
        };
    }

    @ParameterizedTest
    @MethodSource("stepsAndSizes")
    void operator_toTheEnd_doesAsItsModelAndFinishesEachInputOnce(Step step, int[] sizes) throws Exception {
        for (int inputs : new int[] {0, 1, INPUTS}) {
            TrackedRun run = new TrackedRun(List.of(step), inputs, sizes);
            try (RunningPipeline running = run.start(() -> {})) {
                assertThat(running.await().drained()).isTrue();
                assertThat(running.stages()).allMatch(stage -> stage.depth() == 0);
            }
            run.assertAsModelled();
        }
    }

    @ParameterizedTest
    @MethodSource("stepsAndSizes")
    void operator_betweenFanOutAndBoundary_keepsClaims(Step step, int[] sizes) throws Exception {
        TrackedRun run = new TrackedRun(List.of(Step.mapConcat(3), step, Step.async(10)), 500, sizes);
        try (RunningPipeline running = run.start(() -> {})) {
            running.await();
        }
        run.assertAsModelled();
    }

    @ParameterizedTest
    @MethodSource("stepsAndSizes")
    void operator_whoseFunctionThrows_failsWithThatAndFinishesNothingTooEarly(Step step, int[] sizes) {
        for (int seed = 0; seed < 3; seed++) {
            TrackedRun run = new TrackedRun(List.of(step), INPUTS, sizes);
            IllegalStateException planted = new IllegalStateException("planted");
            RunningPipeline running = run.start(at(1 + new Random(seed).nextInt(INPUTS / 8), () -> {
                throw planted;
            }));
            TrackedRun.awaitEnd(running);
            run.assertNothingLost();
            if (running.completion().isCompletedExceptionally()) {
                assertThatThrownBy(running::await).isSameAs(planted);
            } else {
                // So few groups came of the inputs that the call never came.
                run.assertAsModelled();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("stepsAndSizes")
    void operator_belowAFailure_emitsWhatItHoldsBeforeIt(Step step, int[] sizes) {
        TrackedRun run = new TrackedRun(List.of(failingBehind(1000), step), INPUTS, sizes);
        RunningPipeline running = run.start(() -> {});
        TrackedRun.awaitEnd(running);
        assertThatThrownBy(running::await).hasMessage("planted above");
        run.assertNothingLost();
    }

    private static Step failingBehind(int last) {
        return new Step(
                "failing",
                true,
                (source, lineage, tick) -> source.map(item -> {
                    if (item.value == last) {
                        throw new IllegalStateException("planted above");
                    }
                    return item;
                }),
                values -> values);
    }

    @ParameterizedTest
    @MethodSource("stepsAndSizes")
    void operator_thatIsCancelled_endsAndFinishesNothingTooEarly(Step step, int[] sizes) {
        TrackedRun run = new TrackedRun(List.of(step), INPUTS, sizes);
        CompletableFuture<RunningPipeline> handle = new CompletableFuture<>();
        handle.complete(run.start(
                at(1 + new Random(1).nextInt(INPUTS / 8), () -> handle.join().cancel())));
        TrackedRun.awaitEnd(handle.join());
        run.assertNothingLost();
        if (handle.join().completion().isCompletedExceptionally()) {
            assertThatThrownBy(handle.join()::await).isInstanceOf(CancellationException.class);
        } else {
            run.assertAsModelled();
        }
    }

    @ParameterizedTest
    @MethodSource("stepsAndSizes")
    void operator_whoseSinkReturnsEarly_endsWithoutAFailure(Step step, int[] sizes) throws Exception {
        for (int count : new int[] {0, 1, 100}) {
            TrackedRun run = new TrackedRun(List.of(step), INPUTS, sizes);
            try (RunningPipeline running = run.startUntil(count)) {
                running.await();
            }
            run.assertNothingLost();
        }
    }

    @ParameterizedTest
    @MethodSource("stepsAndSizes")
    void operator_thatIsDrained_finishesAllThatWasHandedOut(Step step, int[] sizes) throws Exception {
        TrackedRun run = new TrackedRun(List.of(step), INPUTS, sizes);
        run.source.heldOpen();
        CompletableFuture<RunningPipeline> handle = new CompletableFuture<>();
        handle.complete(run.start(at(50, () -> handle.join().stop())));
        try (RunningPipeline running = handle.join()) {
            running.stop();
            assertThat(running.await().drained()).isTrue();
        }
        run.assertNothingLost();
        assertThat(run.source.finishedCount()).isEqualTo(run.source.pulled());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void chain_ofTimedAndOtherOperators_keepsItsPromises(int seed) throws Exception {
        Random random = new Random(seed);
        List<Step> chain = Stream.generate(() -> random.nextBoolean() ? any(random, TimedSteps.all()) : other(random))
                .limit(2 + random.nextInt(5))
                .toList();
        TrackedRun run = new TrackedRun(chain, INPUTS, 1 + random.nextInt(600), random.nextInt(20));
        try (RunningPipeline running = run.start(() -> {})) {
            assertThat(running.await().drained()).isTrue();
        }
        run.assertAsModelled();
        TrackedRun failing = new TrackedRun(chain, INPUTS, 1 + random.nextInt(600), random.nextInt(20));
        TrackedRun.awaitEnd(failing.start(at(1 + random.nextInt(200), () -> {
            throw new IllegalStateException("planted");
        })));
        failing.assertNothingLost();
    }

    static IntStream seeds() {
        return IntStream.range(0, 60);
    }

    private static Step any(Random random, List<Step> steps) {
        return steps.get(random.nextInt(steps.size()));
    }

    private static Step other(Random random) {
        return any(random, List.of(Step.map(), Step.filter(2), Step.async(7), Step.grouped(3), Step.mapParallel(2)));
    }
}
