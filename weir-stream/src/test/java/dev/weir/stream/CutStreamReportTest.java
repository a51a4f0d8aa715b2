package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SubmissionPublisher;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that the report of a graceful stop names the elements left unfinished. Regression: it said that all was
 * drained.
 */
class CutStreamReportTest {

    private static final Duration SOON = Duration.ofSeconds(50);

    private static final Pattern COUNT = Pattern.compile(": (\\d+) element");

    private static Source<Integer> endless(int element) {
        return Source.unfold(element, next -> Optional.of(new Unfolded<>(next, next)));
    }

    /** An operator with an endless inner stream, and the elements that a stop leaves unfinished. */
    record Cutting(UnaryOperator<Source<Integer>> operator, int inputs, int batchSize, List<String> left) {}

    private static List<Cutting> ofOneStage() {
        return List.of(
                new Cutting(
                        s -> s.flatMapConcat(n -> endless(n)).named("lines"),
                        1,
                        1,
                        List.of(
                                "lines: 1 element is left unfinished, as the stop cut off what was made of it, at unfold")),
                new Cutting(
                        s -> s.flatMapConcat(n -> endless(n)).named("lines"),
                        3,
                        3,
                        List.of(
                                "lines: 3 elements are left unfinished, as the stop cut off what was made of them, at unfold")),
                new Cutting(
                        s -> s.flatMapMerge(2, n -> endless(n).named("prices")),
                        2,
                        1,
                        List.of(
                                "flatMapMerge: 2 elements are left unfinished, as the stop cut off what was made of them, at prices")),
                new Cutting(
                        s -> s.switchMap(n -> endless(n)),
                        1,
                        1,
                        List.of(
                                "switchMap: 1 element is left unfinished, as the stop cut off what was made of it, at unfold")));
    }

    private static List<Cutting> ofSeveralStages() {
        return List.of(
                new Cutting(
                        s -> s.prefixAndTail(2, (first, rest) -> endless(7).concat(rest)),
                        2,
                        1,
                        List.of(
                                "prefixAndTail: 2 elements are left unfinished, as the stop cut off what was made of them, at unfold")),
                new Cutting(
                        s -> s.prefixAndTail(2, (first, rest) -> rest.flatMapConcat(n -> endless(n))),
                        3,
                        1,
                        List.of(
                                "flatMapConcat: 1 element is left unfinished, as the stop cut off what was made of it, at unfold",
                                "prefixAndTail: 2 elements are left unfinished, as the stop cut off what was made of them, at unfold")),
                new Cutting(
                        s -> s.groupBy(n -> 0, 1, key -> key.flatMapConcat(n -> endless(n))),
                        1,
                        1,
                        List.of(
                                "flatMapConcat: 1 element is left unfinished, as the stop cut off what was made of it, at unfold")),
                new Cutting(
                        s -> s.groupBy(n -> n, 2, key -> key.async().flatMapMerge(1, n -> endless(n))),
                        2,
                        2,
                        List.of(
                                "flatMapMerge: 2 elements are left unfinished, as the stop cut off what was made of them, at unfold")),
                new Cutting(
                        s -> s.splitWhen(n -> true, part -> part.flatMapConcat(n -> endless(n))),
                        1,
                        1,
                        List.of(
                                "flatMapConcat: 1 element is left unfinished, as the stop cut off what was made of it, at unfold")),
                // An inner element counts as part of its outer element.
                new Cutting(
                        s -> s.flatMapConcat(n -> Source.single(n).flatMapMerge(1, m -> endless(m)))
                                .named("outer"),
                        1,
                        1,
                        List.of(
                                "outer: 1 element is left unfinished, as the stop cut off what was made of it, at unfold")));
    }

    static Stream<Cutting> cuttings() {
        return Stream.concat(ofOneStage().stream(), ofSeveralStages().stream());
    }

    @ParameterizedTest
    @MethodSource("cuttings")
    void drain_thatCutsOffStreams_namesEachStageAndItsElements(Cutting cutting) throws Exception {
        TrackedSource<Integer> source =
                TrackedSource.numbers(cutting.inputs, cutting.batchSize).heldOpen();
        DrainReport report = drained(cutting.operator.apply(source.source()), () -> source.pulled() == cutting.inputs);
        assertThat(report.leftUndone()).isEqualTo(cutting.left);
        assertThat(report.drained()).isFalse();
        assertThat(countIn(report)).isEqualTo(source.pulled() - source.finishedCount());
    }

    /** A source that does not report its end, such as a custom one, counts as cut off. */
    @Test
    void drain_thatCutsOffSourcesOfAllKinds_namesThem() throws Exception {
        try (SubmissionPublisher<Integer> publisher = new SubmissionPublisher<>()) {
            List<Function<Integer, Source<Integer>>> sources = List.of(
                    n -> TrackedSource.numbers(1, 1).heldOpen().source().named("inner"),
                    n -> Source.tick(Duration.ZERO, Duration.ofHours(1), n).named("inner"),
                    n -> Source.fromPublisher(publisher, 16).named("inner"),
                    n -> Source.<Integer>never().named("inner"),
                    n -> Source.queue(SourceQueue.<Integer>of(1)).named("inner"),
                    n -> Source.single(n).concat(Source.<Integer>never().named("inner")));
            for (Function<Integer, Source<Integer>> inner : sources) {
                for (UnaryOperator<Source<Integer>> operator : List.<UnaryOperator<Source<Integer>>>of(
                        s -> s.flatMapConcat(inner).named("op"),
                        s -> s.flatMapMerge(3, inner).named("op"),
                        s -> s.switchMap(inner).named("op"),
                        s -> s.prefixAndTail(1, (first, rest) -> inner.apply(first.getFirst()))
                                .named("op"))) {
                    TrackedSource<Integer> source = TrackedSource.numbers(1, 1).heldOpen();
                    DrainReport report = drained(operator.apply(source.source()), () -> source.pulled() == 1);
                    assertThat(report.leftUndone())
                            .containsExactly(
                                    "op: 1 element is left unfinished, as the stop cut off what was made of it, at inner");
                    assertThat(source.finishedCount()).isZero();
                }
            }
        }
    }

    /**
     * The outer elements have no acknowledgements and represent something endless, such as a topic. A drain must not
     * report them as unfinished.
     */
    @Test
    void drain_thatEndsStreamsOfElementsThatNobodyWaitsFor_leavesNothing() throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        try (RunningPipeline running = Source.of(1, 2)
                .flatMapMerge(2, n -> endless(n))
                .to(Sink.forEach(element -> seen.countDown()))
                .run()) {
            seen.await();
            DrainReport report = running.drain(SOON);
            assertThat(report.leftUndone()).isEmpty();
            assertThat(report.drained()).isTrue();
        }
    }

    @Test
    void drain_ofStreamsThatAreWhole_leavesNothing() throws Exception {
        for (UnaryOperator<Source<Integer>> operator : List.<UnaryOperator<Source<Integer>>>of(
                s -> s.flatMapConcat(n -> endless(n).take(2)),
                s -> s.flatMapMerge(4, n -> Source.of(n, n)),
                s -> s.switchMap(n -> n == 0 ? endless(n) : Source.single(n)))) {
            TrackedSource<Integer> source = TrackedSource.numbers(3, 1).heldOpen();
            DrainReport report = drained(operator.apply(source.source()), () -> source.finishedCount() == 3);
            assertThat(report.leftUndone()).isEmpty();
            assertThat(report.drained()).isTrue();
            assertThat(source.finishedCount()).isEqualTo(3);
        }
    }

    /** Drains the pipeline as soon as {@code reached} is true. */
    private static DrainReport drained(Source<Integer> stream, BooleanSupplier reached) throws InterruptedException {
        try (RunningPipeline running = stream.to(Sink.ignore()).run()) {
            while (!reached.getAsBoolean()) {
                Thread.onSpinWait();
            }
            return running.drain(SOON);
        }
    }

    private static int countIn(DrainReport report) {
        return report.leftUndone().stream()
                .map(COUNT::matcher)
                .filter(Matcher::find)
                .mapToInt(count -> Integer.parseInt(count.group(1)))
                .sum();
    }
}
