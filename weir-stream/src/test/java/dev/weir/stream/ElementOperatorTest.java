package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares each element operator with its model, for all batch sizes and all endings. */
class ElementOperatorTest {

    private static final int INPUTS = 1500;

    private static Stream<Arguments> withSizes(List<Step> steps) {
        return steps.stream().flatMap(step -> Endings.BATCH_SIZES.stream().map(sizes -> Arguments.of(step, sizes)));
    }

    static Stream<Arguments> wholeAndSizes() {
        return withSizes(ElementSteps.whole());
    }

    static Stream<Arguments> cuttingAndSizes() {
        return withSizes(ElementSteps.cutting());
    }

    static Stream<Arguments> allAndSizes() {
        return Stream.concat(wholeAndSizes(), cuttingAndSizes());
    }

    @ParameterizedTest
    @MethodSource("wholeAndSizes")
    void operator_toTheEnd_doesAsItsModelAndFinishesEachInputOnce(Step step, int[] batchSizes) throws Exception {
        for (int inputs : new int[] {0, 1, INPUTS}) {
            Endings.normal(List.of(step), inputs, batchSizes);
        }
    }

    @ParameterizedTest
    @MethodSource("cuttingAndSizes")
    void operator_thatEndsEarly_doesAsItsModelAndFinishesWhatWentOn(Step step, int[] batchSizes) throws Exception {
        for (int inputs : new int[] {0, 1, INPUTS}) {
            TrackedRun run = new TrackedRun(List.of(step), inputs, batchSizes);
            run.source.heldOpen(); // so that only the operator can end it
            try (RunningPipeline running = run.start(() -> {})) {
                if (inputs < INPUTS) {
                    running.stop();
                }
                assertThat(running.await().drained()).isTrue();
            }
            if (inputs == INPUTS) {
                run.assertSeenAsModelled();
                assertThat(run.source.finishedCount()).isEqualTo(run.seenCount());
            } else {
                run.assertNothingLost();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("allAndSizes")
    void operator_belowFanOutAndAboveABoundary_keepsTheClaims(Step step, int[] batchSizes) throws Exception {
        TrackedRun run = new TrackedRun(List.of(Step.mapConcat(3), step, Step.async(100)), 600, batchSizes);
        try (RunningPipeline running = run.start(() -> {})) {
            running.await();
        }
        run.assertSeenAsModelled();
    }

    @ParameterizedTest
    @MethodSource("allAndSizes")
    void operator_whoseFunctionThrows_failsWithThatAndFinishesNothingTooEarly(Step step, int[] batchSizes) {
        Endings.failing(List.of(step), INPUTS, 1 + new Random(batchSizes.length).nextInt(600), batchSizes);
    }

    @ParameterizedTest
    @MethodSource("allAndSizes")
    void operator_thatIsCancelled_endsAndFinishesNothingTooEarly(Step step, int[] batchSizes) {
        Endings.cancelled(List.of(step), INPUTS, 300, batchSizes);
    }

    @ParameterizedTest
    @MethodSource("allAndSizes")
    void operator_whoseSinkReturnsEarly_endsWithoutAFailure(Step step, int[] batchSizes) throws Exception {
        Endings.stoppedBySink(List.of(step), INPUTS, 100, batchSizes);
    }

    static IntStream seeds() {
        return IntStream.range(0, 60);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void chain_ofRandomElementOperators_doesAsTheModel(int seed) throws Exception {
        Random random = new Random(seed);
        List<Step> all = ElementSteps.whole();
        List<Step> chain = random.ints(2 + random.nextInt(4), 0, all.size())
                .mapToObj(all::get)
                .toList();
        int[] sizes = random.ints(1 + random.nextInt(5), 0, random.nextBoolean() ? 10 : 600)
                .toArray();
        sizes[0]++;
        Endings.normal(chain, 1000, sizes);
    }

    @ParameterizedTest
    @MethodSource("cuttingAndSizes")
    void operator_thatEndsEarly_closesItsSourceBeforeThePipelineEnds(Step step, int[] batchSizes) throws Exception {
        TrackedSource<Lineage.Item> source = TrackedSource.of(new Lineage(INPUTS).inputs(), batchSizes);
        if (step.name().equals("take(0)")) {
            return; // it never pulls, so it closes when the pipeline ends
        }
        boolean[] closedAtEnd = new boolean[1];
        Source<Lineage.Item> cut = step.staged().apply(source.source(), new Lineage(INPUTS), () -> {});
        try (RunningPipeline running = cut.to(Sink.<Lineage.Item>custom("watching", context -> upstream -> {
                    while (upstream.pull(Long.MAX_VALUE) != null) {}
                    closedAtEnd[0] = source.isClosed();
                }))
                .run()) {
            running.await();
        }
        assertThat(closedAtEnd[0]).isTrue();
    }

    @Test
    void limit_atOneMore_failsBehindTheElementsBefore() {
        TrackedSource<Integer> source = TrackedSource.numbers(10, 7);
        List<Integer> seen = new ArrayList<>();
        RunningPipeline running =
                source.source().limit(5).to(Sink.forEach(seen::add)).run();
        assertThatThrownBy(running::await)
                .isInstanceOfSatisfying(
                        LimitExceededException.class,
                        failure -> assertThat(failure.limit()).isEqualTo(5))
                .hasMessage("more than 5 elements reached stage limit");
        assertThat(seen).containsExactly(0, 1, 2, 3, 4);
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isEqualTo(5);
    }

    @Test
    void limitWeighted_atTheElementThatIsTooMuch_failsBehindTheElementsBefore() {
        for (int batchSize : new int[] {1, 3, 10}) {
            TrackedSource<Integer> source = TrackedSource.numbers(10, batchSize);
            List<Integer> seen = new ArrayList<>();
            RunningPipeline running = source.source()
                    .limitWeighted(10, n -> n)
                    .to(Sink.forEach(seen::add))
                    .run();
            assertThatThrownBy(running::await)
                    .isInstanceOf(LimitExceededException.class)
                    .hasMessage("more than 10 in weight reached stage limitWeighted");
            assertThat(seen).containsExactly(0, 1, 2, 3, 4);
            source.assertProtocolKept();
            assertThat(source.finishedCount()).isEqualTo(5);
        }
        assertThatThrownBy(Source.of(1).limitWeighted(10, n -> -n)::toList).hasMessageContaining("negative: -1");
    }

    @Test
    void failure_inTheMiddleOfABatch_comesBehindTheElementsBefore() {
        TrackedSource<Integer> source = TrackedSource.numbers(10, 10);
        List<Integer> seen = new ArrayList<>();
        RunningPipeline running = source.source()
                .tap(n -> {
                    if (n == 5) {
                        throw new IllegalStateException("at 5");
                    }
                })
                .to(Sink.forEach(seen::add))
                .run();
        assertThatThrownBy(running::await).hasMessage("at 5");
        assertThat(seen).containsExactly(0, 1, 2, 3, 4);
        assertThat(source.finishedCount()).isEqualTo(5);
    }

    @Test
    void statefulMap_throughEachEnding_closesEachStateOnce() throws Exception {
        AtomicInteger open = new AtomicInteger();
        AtomicInteger completed = new AtomicInteger();
        for (int failAt : new int[] {-1, 0, 3}) {
            Source<Integer> summed = Source.range(0, 10)
                    .<int[], Integer>statefulMap(
                            () -> {
                                open.incrementAndGet();
                                return new int[1];
                            },
                            (sum, n) -> {
                                if (n == failAt) {
                                    throw new IllegalStateException("at " + n);
                                }
                                return sum[0] += n;
                            },
                            sum -> {
                                completed.incrementAndGet();
                                return Optional.of(-sum[0]);
                            },
                            sum -> open.decrementAndGet());
            if (failAt < 0) {
                assertThat(summed.toList()).containsExactly(0, 1, 3, 6, 10, 15, 21, 28, 36, 45, -45);
                assertThat(completed).hasValue(1);
            } else {
                assertThatThrownBy(summed::toList).hasMessage("at " + failAt);
                assertThat(completed).hasValue(1);
            }
            assertThat(open).hasValue(0);
            assertThat(summed.with(Attributes.NONE.withSupervision(restart()))
                            .take(2)
                            .toList())
                    .hasSize(2);
            assertThat(open).hasValue(0);
            completed.set(1);
        }
    }

    private static Supervision restart() {
        return Supervision.of(failure -> Supervision.Decision.RESTART);
    }

    private static Supervision skipUnacknowledged() {
        return Supervision.of(failure -> Supervision.Decision.SKIP_UNACKNOWLEDGED);
    }

    /**
     * Returns each operator that calls user code. The code throws for 3 and 6 of the inputs 0 to 8. Further arguments:
     * the output if these inputs are skipped, the output if the stage restarts, and the number of finished inputs with
     * and without acknowledgement of the skipped ones.
     */
    static Stream<Arguments> throwing() {
        return Stream.of(
                of("collect", source -> source.collect(n -> check(n)), "0 1 2 4 5 7 8", "0 1 2 4 5 7 8", 9, 7),
                of("tap", source -> source.tap(n -> check(n)), "0 1 2 4 5 7 8", "0 1 2 4 5 7 8", 9, 7),
                of(
                        "statefulMap",
                        source -> source.statefulMap(() -> new int[1], (sum, n) -> sum[0] += check(n)),
                        "0 1 3 7 12 19 27",
                        "0 1 3 4 9 7 15",
                        9,
                        7),
                of(
                        "scan",
                        source -> source.scan(0, (sum, n) -> sum + check(n)),
                        "0 0 1 3 7 12 19 27",
                        "0 0 1 3 4 9 7 15",
                        9,
                        7),
                of("fold", source -> source.fold(0, (sum, n) -> sum + check(n)), "27", "15", 9, 7),
                of(
                        "scanAsync",
                        source -> source.scanAsync(0, (sum, n) -> CompletableFuture.completedFuture(sum + check(n))),
                        "0 0 1 3 7 12 19 27",
                        "0 0 1 3 4 9 7 15",
                        9,
                        7),
                of(
                        "foldAsync",
                        source -> source.foldAsync(
                                0,
                                (sum, n) -> CompletableFuture.supplyAsync(
                                        () -> sum + check(n), Thread::startVirtualThread)),
                        "27",
                        "15",
                        9,
                        7),
                of(
                        "limitWeighted",
                        source -> source.limitWeighted(27, n -> check(n)),
                        "0 1 2 4 5 7 8",
                        "0 1 2 4 5 7 8",
                        9,
                        7),
                of("reduce", source -> source.reduce((sum, n) -> sum + check(n)), "27", "15", 9, 7),
                of("takeWhile", source -> source.takeWhile(n -> check(n) < 8), "0 1 2 4 5 7", "0 1 2 4 5 7", 8, 6),
                of("dropWhile", source -> source.dropWhile(n -> check(n) < 4), "4 5 6 7 8", "4 5 6 7 8", 9, 8),
                of("deduplicate", source -> source.deduplicate(n -> check(n) % 3, 10), "0 1 2", "0 1 2 4 5 7 8", 9, 7),
                of("dropRepeated", source -> source.dropRepeated(n -> check(n) / 9), "0", "0 4 7", 9, 7));
    }

    private static Arguments of(
            String name,
            Function<Source<Integer>, Source<?>> operator,
            String skipped,
            String restarted,
            int finished,
            int finishedButSkipped) {
        return Arguments.of(name, operator, skipped, restarted, finished, finishedButSkipped);
    }

    private static int check(int n) {
        if (n == 3 || n == 6) {
            throw new IllegalArgumentException("bad: " + n);
        }
        return n;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("throwing")
    void function_thatThrows_isPutToSupervision(
            String name,
            Function<Source<Integer>, Source<?>> operator,
            String skipped,
            String restarted,
            int finished,
            int finishedButSkipped)
            throws Exception {
        for (int batchSize : new int[] {1, 4, 9}) {
            assertSupervised(operator, batchSize, Supervision.skip(), skipped, finished);
            assertSupervised(operator, batchSize, restart(), restarted, finished);
            assertSupervised(operator, batchSize, skipUnacknowledged(), skipped, finishedButSkipped);
        }
    }

    private static void assertSupervised(
            Function<Source<Integer>, Source<?>> operator,
            int batchSize,
            Supervision supervision,
            String emitted,
            int finished)
            throws InterruptedException {
        TrackedSource<Integer> source = TrackedSource.numbers(9, batchSize);
        assertThat(operator.apply(source.source())
                        .with(Attributes.NONE.withSupervision(supervision))
                        .map(String::valueOf)
                        .runTo(Sink.collect(Collectors.joining(" "))))
                .isEqualTo(emitted);
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isEqualTo(finished);
    }
}
