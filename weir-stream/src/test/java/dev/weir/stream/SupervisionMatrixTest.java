package dev.weir.stream;

import static dev.weir.stream.TrappedOperators.FIRST_BAD;
import static dev.weir.stream.TrappedOperators.INPUTS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.TrappedOperators.Trap;
import dev.weir.stream.TrappedOperators.Trapped;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the output and the acknowledgements of every operator with a function, under every decision. */
class SupervisionMatrixTest {

    private static final List<int[]> BATCH_SIZES =
            List.of(new int[] {1}, new int[] {2}, new int[] {7}, new int[] {512}, new int[] {0, 1, 512, 0, 0, 7, 33});

    private final IllegalStateException planted = new IllegalStateException("planted");

    static Stream<Arguments> operatorsAndSizes() {
        return TrappedOperators.all().stream()
                .flatMap(operator -> BATCH_SIZES.stream().map(sizes -> Arguments.of(operator, sizes)));
    }

    private static List<Integer> outputs(Trapped operator, boolean badIsDone) {
        return IntStream.range(0, INPUTS)
                .boxed()
                .flatMap(n -> (badIsDone || !Trap.isBad(n) ? operator.ofGood() : operator.ofBad()).apply(n).stream())
                .toList();
    }

    private static void assertRuns(
            Trapped operator, int[] sizes, Trap trap, Supervision supervision, boolean badIsDone, IntPredicate finished)
            throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(INPUTS, sizes);
        List<Integer> seen = new ArrayList<>();
        try (RunningPipeline running = operator.operator()
                .apply(trap)
                .apply(source.source())
                .supervised(supervision)
                .to(Sink.forEach(seen::add))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        if (!operator.keepsOrder()) {
            Collections.sort(seen);
        }
        assertThat(seen).isEqualTo(outputs(operator, badIsDone));
        source.assertProtocolKept();
        assertThat(IntStream.range(0, INPUTS).filter(source::isFinished).boxed())
                .isEqualTo(IntStream.range(0, INPUTS).filter(finished).boxed().toList());
    }

    @ParameterizedTest
    @MethodSource("operatorsAndSizes")
    void skip_goesOnWithoutTheElementAndAcknowledgesIt(Trapped operator, int[] sizes) throws Exception {
        assertRuns(operator, sizes, new Trap(planted, false), Supervision.skip(), false, n -> true);
    }

    @ParameterizedTest
    @MethodSource("operatorsAndSizes")
    void restart_ofAStatelessOperator_isASkip(Trapped operator, int[] sizes) throws Exception {
        assertRuns(operator, sizes, new Trap(planted, false), Supervision.of(e -> Decision.RESTART), false, n -> true);
    }

    @ParameterizedTest
    @MethodSource("operatorsAndSizes")
    void skipUnacknowledged_goesOnAndNeverAcknowledgesTheElement(Trapped operator, int[] sizes) throws Exception {
        Supervision supervision = Supervision.of(e -> Decision.SKIP_UNACKNOWLEDGED);
        assertRuns(operator, sizes, new Trap(planted, false), supervision, false, n -> !Trap.isBad(n));
    }

    @ParameterizedTest
    @MethodSource("operatorsAndSizes")
    void retry_thatSucceeds_losesNothing(Trapped operator, int[] sizes) throws Exception {
        Supervision supervision = Supervision.retry(RetryPolicy.of(2, Backoff.NONE), Supervision.skip());
        assertRuns(operator, sizes, new Trap(planted, true), supervision, operator.retries(), n -> true);
    }

    @ParameterizedTest
    @MethodSource("operatorsAndSizes")
    void retry_thatDoesNotSucceed_isDecidedOnAfterwards(Trapped operator, int[] sizes) throws Exception {
        Supervision supervision =
                Supervision.retry(RetryPolicy.of(3, Backoff.NONE), Supervision.of(e -> Decision.SKIP_UNACKNOWLEDGED));
        assertRuns(operator, sizes, new Trap(planted, false), supervision, false, n -> !Trap.isBad(n));
    }

    @ParameterizedTest
    @MethodSource("operatorsAndSizes")
    void fail_failsThePipelineAndLeavesTheElementUnacknowledged(Trapped operator, int[] sizes) {
        TrackedSource<Integer> source = TrackedSource.numbers(INPUTS, sizes);
        List<Integer> seen = new ArrayList<>();
        RunningPipeline running = operator.operator()
                .apply(new Trap(planted, false))
                .apply(source.source())
                .to(Sink.forEach(seen::add))
                .run();
        assertThatThrownBy(running::await).isSameAs(planted);
        source.assertProtocolKept();
        assertThat(IntStream.range(0, INPUTS).filter(Trap::isBad)).noneMatch(source::isFinished);
        if (operator.failsInOrder()) {
            // Exactly the elements before the failure have arrived.
            List<Integer> before = outputs(operator, false);
            assertThat(seen)
                    .isEqualTo(before.stream()
                            .takeWhile(n ->
                                    n < FIRST_BAD || (!operator.ofBad().apply(n).isEmpty() && n == FIRST_BAD))
                            .toList());
            assertThat(IntStream.range(0, INPUTS).filter(source::isFinished).boxed())
                    .isEqualTo(IntStream.range(0, FIRST_BAD).boxed().toList());
        }
    }

    @ParameterizedTest
    @MethodSource("operatorsAndSizes")
    void virtualMachineError_isNobodysDecision(Trapped operator, int[] sizes) {
        isNobodysDecision(operator, sizes, new InternalError("planted"));
    }

    /** A missing class is no fault of the element. */
    @ParameterizedTest
    @MethodSource("operatorsAndSizes")
    void linkageError_isNobodysDecision(Trapped operator, int[] sizes) {
        isNobodysDecision(operator, sizes, new NoClassDefFoundError("planted"));
    }

    private static void isNobodysDecision(Trapped operator, int[] sizes, Error fatal) {
        TrackedSource<Integer> source = TrackedSource.numbers(INPUTS, sizes);
        Trap trap = new Trap(fatal, false);
        Supervision supervision = Supervision.retry(RetryPolicy.of(100, Backoff.NONE), Supervision.skip());
        RunningPipeline running = operator.operator()
                .apply(trap)
                .apply(source.source())
                .supervised(supervision)
                .to(Sink.ignore())
                .run();
        assertThatThrownBy(running::await).isSameAs(fatal);
        source.assertProtocolKept();
        assertThat(IntStream.range(0, INPUTS).filter(Trap::isBad)).noneMatch(source::isFinished);
    }

    @ParameterizedTest
    @MethodSource("operatorsAndSizes")
    void decider_thatThrowsOrDecidesNothing_failsWithWhatItWasAskedAbout(Trapped operator, int[] sizes) {
        List<Supervision> broken = List.of(
                Supervision.of(e -> {
                    throw new IllegalArgumentException("in the decider");
                }),
                Supervision.of(e -> nothing()),
                Supervision.retry(
                        RetryPolicy.of(2, Backoff.NONE).when(e -> {
                            throw new IllegalArgumentException("in the predicate");
                        }),
                        Supervision.skip()));
        for (Supervision supervision : broken.subList(0, operator.retries() ? 3 : 2)) {
            IllegalStateException thrown = new IllegalStateException("asked about");
            Trap trap = new Trap(thrown, false);
            RunningPipeline running = operator.operator()
                    .apply(trap)
                    .apply(TrackedSource.numbers(INPUTS, sizes).source())
                    .supervised(supervision)
                    .to(Sink.ignore())
                    .run();
            assertThatThrownBy(running::await)
                    .isSameAs(thrown)
                    .satisfies(e -> assertThat(e.getSuppressed()).isNotEmpty());
        }
    }

    @SuppressWarnings("NullAway") // the point of the test
    private static Decision nothing() {
        return null;
    }

    @Test
    void decision_byException_isAskedForEach() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(8, 3);
        List<Integer> seen = new ArrayList<>();
        Source<Integer> decoded = source.source()
                .map(n -> {
                    if (n == 2) {
                        throw new NumberFormatException("skip me");
                    }
                    if (n == 5) {
                        throw new ArithmeticException("come again");
                    }
                    return n;
                })
                .supervised(Supervision.of(e -> switch (e) {
                    case NumberFormatException skipped -> Decision.SKIP;
                    case ArithmeticException again -> Decision.SKIP_UNACKNOWLEDGED;
                    default -> Decision.FAIL;
                }));
        try (RunningPipeline running = decoded.to(Sink.forEach(seen::add)).run()) {
            running.await();
        }
        assertThat(seen).containsExactly(0, 1, 3, 4, 6, 7);
        source.assertProtocolKept();
        assertThat(IntStream.range(0, 8).filter(n -> !source.isFinished(n)).boxed())
                .containsExactly(5);
    }

    @Test
    void nullResult_isSupervisedAsAnExceptionIs() throws Exception {
        UnaryOperator<Source<String>> skipping = source -> source.supervised(Supervision.skip());
        List<Source<String>> sources = List.of(
                skipping.apply(Source.of("a", "b").map(s -> s.equals("a") ? absent() : s)),
                skipping.apply(Source.of("a", "b").mapConcat(s -> Arrays.asList(s.equals("a") ? absent() : s))),
                skipping.apply(Source.of("a", "b").mapParallel(2, s -> s.equals("a") ? absent() : s)),
                skipping.apply(
                        Source.of("a", "b").mapBlocking(2, Ordering.input(), s -> s.equals("a") ? absent() : s)));
        for (Source<String> source : sources) {
            List<String> seen = new ArrayList<>();
            try (RunningPipeline running = source.to(Sink.forEach(seen::add)).run()) {
                running.await();
            }
            assertThat(seen).containsExactly("b");
        }
    }

    @SuppressWarnings("NullAway") // the point of the test
    private static String absent() {
        return null;
    }
}
