package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Supervision.Decision;
import java.time.Duration;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every operator with a function, under every decision: what comes out, and what is acknowledged. */
class SupervisionMatrixTest {

    private static final int INPUTS = 1500;
    private static final int FIRST_BAD = 3;
    private static final List<int[]> BATCH_SIZES =
            List.of(new int[] {1}, new int[] {2}, new int[] {7}, new int[] {512}, new int[] {0, 1, 512, 0, 0, 7, 33});

    /** Throws for the bad elements, or at their first call only. */
    static final class Trap {
        private final Set<Integer> sprung = ConcurrentHashMap.newKeySet();
        private final Throwable toThrow;
        private final boolean onceOnly;

        Trap(Throwable toThrow, boolean onceOnly) {
            this.toThrow = toThrow;
            this.onceOnly = onceOnly;
        }

        static boolean isBad(int n) {
            return n % 5 == FIRST_BAD || (n >= 600 && n < 700);
        }

        int pass(int n) {
            if (isBad(n) && (sprung.add(n) || !onceOnly)) {
                if (toThrow instanceof Error error) {
                    throw error;
                }
                throw (RuntimeException) toThrow;
            }
            return n;
        }
    }

    /**
     * An operator whose function steps into a trap.
     *
     * @param keepsOrder whether what leaves has the order of the input
     * @param failsInOrder whether a failure leaves behind all that was before it, and nothing else
     * @param ofBad what leaves for a bad element that is skipped
     * @param retries whether a failed call can be tried again
     */
    record Trapped(
            String name,
            boolean keepsOrder,
            boolean failsInOrder,
            Function<Trap, UnaryOperator<Source<Integer>>> operator,
            Function<Integer, List<Integer>> ofGood,
            Function<Integer, List<Integer>> ofBad,
            boolean retries) {

        @Override
        public String toString() {
            return name;
        }
    }

    static Trapped trapped(
            String name,
            boolean keepsOrder,
            boolean failsInOrder,
            Function<Trap, UnaryOperator<Source<Integer>>> operator) {
        return new Trapped(name, keepsOrder, failsInOrder, operator, List::of, bad -> List.of(), true);
    }

    private static List<Trapped> asynchronous() {
        List<Trapped> operators = new ArrayList<>();
        for (int parallelism : new int[] {1, 16}) {
            operators.add(trapped(
                    "mapAsync, input, done, " + parallelism,
                    true,
                    false,
                    trap -> source ->
                            source.mapAsync(parallelism, n -> CompletableFuture.completedFuture(trap.pass(n)))));
            operators.add(trapped(
                    "mapAsync, by key, later, " + parallelism,
                    false,
                    false,
                    trap -> source -> source.mapAsync(
                            parallelism,
                            Ordering.<Integer>byKey(n -> n % 17),
                            n -> CompletableFuture.supplyAsync(() -> trap.pass(n)))));
        }
        operators.add(trapped(
                "key of mapAsync",
                false,
                false,
                trap -> source -> source.mapAsync(
                        4, Ordering.<Integer>byKey(n -> trap.pass(n) % 17), CompletableFuture::completedFuture)));
        return operators;
    }

    /** The operators that work on a batch where it is. */
    private static List<Trapped> inPlace() {
        return List.of(
                trapped("tap", true, true, trap -> source -> source.tap(trap::pass)),
                trapped("collect", true, true, trap -> source -> source.collect(trap::pass)),
                trapped("takeWhile", true, true, trap -> source -> source.takeWhile(n -> trap.pass(n) >= 0)),
                trapped("deduplicate", true, true, trap -> source -> source.deduplicate(trap::pass, INPUTS)),
                trapped("dropRepeated", true, true, trap -> source -> source.dropRepeated(trap::pass)));
    }

    private static List<Trapped> timed() {
        return List.of(
                trapped(
                        "throttle",
                        true,
                        true,
                        trap -> source -> source.throttle(
                                10_000_000, Duration.ofSeconds(1), 10, n -> trap.pass(n) % 7, ThrottleMode.SHAPING)),
                trapped(
                        "throttlePerKey",
                        false,
                        true,
                        trap -> source ->
                                source.throttlePerKey(INPUTS, Duration.ofNanos(1), INPUTS, n -> trap.pass(n) % 7)),
                trapped(
                        "delay",
                        true,
                        false,
                        trap -> source -> source.delay(n -> Duration.ofNanos(trap.pass(n) % 7), 100)));
    }

    private static List<Trapped> operators() {
        List<Trapped> operators = new ArrayList<>(List.of(
                trapped("map", true, true, trap -> source -> source.map(trap::pass)),
                trapped("filter", true, true, trap -> source -> source.filter(n -> trap.pass(n) >= 0)),
                new Trapped(
                        "mapConcat",
                        true,
                        true,
                        trap -> source -> source.mapConcat(n -> List.of(trap.pass(n), n)),
                        n -> List.of(n, n),
                        n -> List.of(),
                        true),
                new Trapped(
                        "mapConcat, iterator",
                        true,
                        true,
                        trap -> source -> source.mapConcat(n -> () -> twoChildren(n, trap)),
                        n -> List.of(n, n),
                        List::of,
                        false),
                new Trapped(
                        "mapConcat, collection",
                        true,
                        true,
                        trap -> source -> source.mapConcat(n -> collection(() -> twoChildren(n, trap))),
                        n -> List.of(n, n),
                        List::of,
                        false),
                trapped("mapParallel", true, true, trap -> source -> source.mapParallel(3, trap::pass))));
        for (int concurrency : new int[] {1, 16}) {
            operators.add(trapped(
                    "mapBlocking, input, " + concurrency,
                    true,
                    false,
                    trap -> source -> source.mapBlocking(concurrency, Ordering.input(), trap::pass)));
            operators.add(trapped(
                    "mapBlocking, unordered, " + concurrency,
                    false,
                    false,
                    trap -> source -> source.mapBlocking(concurrency, Ordering.unordered(), trap::pass)));
            operators.add(trapped(
                    "mapBlocking, by key, " + concurrency,
                    false,
                    false,
                    trap -> source -> source.mapBlocking(concurrency, Ordering.byKey(n -> n % 17), trap::pass)));
        }
        operators.addAll(asynchronous());
        operators.addAll(inPlace());
        operators.addAll(timed());
        operators.addAll(TrappedStreams.all());
        operators.add(trapped(
                "key of mapBlocking",
                false,
                false,
                trap -> source -> source.mapBlocking(4, Ordering.byKey(n -> trap.pass(n) % 17), n -> n)));
        return operators;
    }

    /** One child, and then another or the trap. */
    private static Iterator<Integer> twoChildren(int n, Trap trap) {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < 2;
            }

            @Override
            public Integer next() {
                return next++ == 0 ? n : trap.pass(n);
            }
        };
    }

    private static Collection<Integer> collection(Supplier<Iterator<Integer>> children) {
        return new AbstractCollection<>() {
            @Override
            public Iterator<Integer> iterator() {
                return children.get();
            }

            @Override
            public int size() {
                return 2;
            }
        };
    }

    private final IllegalStateException planted = new IllegalStateException("planted");

    static Stream<Arguments> operatorsAndSizes() {
        return operators().stream()
                .flatMap(operator -> BATCH_SIZES.stream().map(sizes -> Arguments.of(operator, sizes)));
    }

    private static List<Integer> outputs(Trapped operator, boolean badIsDone) {
        return IntStream.range(0, INPUTS)
                .boxed()
                .flatMap(n -> (badIsDone || !Trap.isBad(n) ? operator.ofGood : operator.ofBad).apply(n).stream())
                .toList();
    }

    private static void assertRuns(
            Trapped operator, int[] sizes, Trap trap, Supervision supervision, boolean badIsDone, IntPredicate finished)
            throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(INPUTS, sizes);
        List<Integer> seen = new ArrayList<>();
        try (RunningPipeline running = operator.operator
                .apply(trap)
                .apply(source.source())
                .supervised(supervision)
                .to(Sink.forEach(seen::add))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        if (!operator.keepsOrder) {
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
        assertRuns(operator, sizes, new Trap(planted, true), supervision, operator.retries, n -> true);
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
        RunningPipeline running = operator.operator
                .apply(new Trap(planted, false))
                .apply(source.source())
                .to(Sink.forEach(seen::add))
                .run();
        assertThatThrownBy(running::await).isSameAs(planted);
        source.assertProtocolKept();
        assertThat(IntStream.range(0, INPUTS).filter(Trap::isBad)).noneMatch(source::isFinished);
        if (operator.failsInOrder) {
            // What was before the failure has arrived, and nothing that was behind it.
            List<Integer> before = outputs(operator, false);
            assertThat(seen)
                    .isEqualTo(before.stream()
                            .takeWhile(n ->
                                    n < FIRST_BAD || (!operator.ofBad.apply(n).isEmpty() && n == FIRST_BAD))
                            .toList());
            assertThat(IntStream.range(0, INPUTS).filter(source::isFinished).boxed())
                    .isEqualTo(IntStream.range(0, FIRST_BAD).boxed().toList());
        }
    }

    @ParameterizedTest
    @MethodSource("operatorsAndSizes")
    void virtualMachineError_isNobodysDecision(Trapped operator, int[] sizes) {
        TrackedSource<Integer> source = TrackedSource.numbers(INPUTS, sizes);
        VirtualMachineError fatal = new InternalError("planted");
        Trap trap = new Trap(fatal, false);
        Supervision supervision = Supervision.retry(RetryPolicy.of(100, Backoff.NONE), Supervision.skip());
        RunningPipeline running = operator.operator
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
        for (Supervision supervision : broken.subList(0, operator.retries ? 3 : 2)) {
            IllegalStateException thrown = new IllegalStateException("asked about");
            Trap trap = new Trap(thrown, false);
            RunningPipeline running = operator.operator
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
