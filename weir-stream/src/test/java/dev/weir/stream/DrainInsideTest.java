package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.testing.RestProbe;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests the report of a drain that gives up. Regression: elements upstream of queues and parallel stages were missing,
 * and for a {@code forEach} handler that hung, the report was empty.
 */
class DrainInsideTest {

    private static final Pattern LINE = Pattern.compile("(.+): (\\d+) elements? (?:was|were) not done at the deadline");
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration LONG = Duration.ofSeconds(50);

    private static final CountDownLatch CLOSED = new CountDownLatch(1);

    private static <T> T hang(T element) {
        try {
            CLOSED.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return element;
    }

    private static int hangFrom(int first, int element) {
        return element < first ? element : hang(element);
    }

    private static Source<Integer> deaf() {
        return Source.custom("deaf", context -> new Stage<Integer>() {
            @Override
            public @Nullable Batch<Integer> pull(long deadlineNanos) throws InterruptedException {
                CLOSED.await();
                return null;
            }

            @Override
            public void close() {}
        });
    }

    /**
     * A pipeline that stalls with elements inside.
     *
     * @param left the expected report, as {@code stage=elements}
     */
    record Case(String what, int inputs, int batch, UnaryOperator<Source<Integer>> operator, List<String> left) {

        @Override
        public String toString() {
            return what;
        }
    }

    private static Case of(String what, UnaryOperator<Source<Integer>> operator, String... left) {
        return new Case(what, 20, 5, operator, List.of(left));
    }

    /** Lets elements 0 to 6 pass, and hangs at element 7. */
    private static Source<Integer> seven(Source<Integer> source) {
        return source.mapBlocking(1, Ordering.input(), n -> hangFrom(7, n));
    }

    static Stream<Case> cases() {
        return Stream.of(fused(), parallel(), held(), within()).flatMap(List::stream);
    }

    private static List<Case> fused() {
        return List.of(
                of("map", s -> s.map(n -> hang(n)).filter(n -> true), "map=5"),
                of("maps", s -> s.map(n -> n).map(n -> hang(n)).filter(n -> true), "map-2=5"),
                of("filter", s -> s.filter(n -> hang(n) >= 0), "filter=5"),
                of("mapConcat", s -> s.mapConcat(n -> List.of(hang(n))), "mapConcat=5"),
                of(
                        "retry",
                        s -> s.filter(n -> {
                                    throw new IllegalStateException("planted");
                                })
                                .supervised(Supervision.retry(
                                        RetryPolicy.of(3, Backoff.between(HOUR, HOUR)), Supervision.fail())),
                        "filter=5"),
                of(
                        "buffer",
                        s -> s.buffer(10, OverflowStrategy.BACKPRESSURE).filter(n -> hang(n) >= 0),
                        "tracked=5",
                        "buffer=10",
                        "filter=5"),
                of("async", s -> s.async().filter(n -> hang(n) >= 0), "async=15", "filter=5"));
    }

    private static List<Case> parallel() {
        return List.of(
                of("mapBlocking", s -> s.mapBlocking(2, Ordering.input(), n -> hang(n)), "mapBlocking=20"),
                new Case(
                        "full mapBlocking",
                        3000,
                        300,
                        s -> s.mapBlocking(2, Ordering.unordered(), n -> hang(n)),
                        List.of("mapBlocking=pulled")),
                of(
                        "mapBlocking by key",
                        s -> s.mapBlocking(2, Ordering.byKey(n -> n % 2), n -> hang(n)),
                        "mapBlocking=20"),
                of(
                        "retry in mapBlocking",
                        s -> s.<Integer>mapBlocking(2, Ordering.input(), n -> {
                                    throw new IllegalStateException("planted");
                                })
                                .supervised(Supervision.retry(
                                        RetryPolicy.of(3, Backoff.between(HOUR, HOUR)), Supervision.fail())),
                        "mapBlocking=20"),
                of(
                        "mapAsync",
                        s -> s.mapAsync(2, Ordering.unordered(), n -> new CompletableFuture<Integer>()),
                        "mapAsync=pulled"),
                new Case(
                        "full mapAsync",
                        3000,
                        300,
                        s -> s.mapAsync(2, Ordering.input(), n -> new CompletableFuture<Integer>()),
                        List.of("mapAsync=pulled")),
                of("mapParallel", s -> s.mapParallel(2, n -> hang(n)), "mapParallel=20"),
                new Case(
                        "full mapParallel",
                        6000,
                        500,
                        s -> s.mapParallel(2, n -> hang(n)),
                        List.of("tracked=500", "mapParallel=4500")));
    }

    private static List<Case> held() {
        return List.of(
                of("delay", s -> s.delay(HOUR), "delay=20"),
                of("throttle", s -> s.throttle(1, HOUR), "throttle=4"),
                of("throttlePerKey", s -> s.throttlePerKey(1, HOUR, 1, n -> n % 2), "throttlePerKey=18"),
                of("grouped", s -> seven(s).grouped(100).map(List::size), "mapBlocking=13", "grouped=7"),
                of("sliding", s -> seven(s).sliding(3, 3).map(List::size), "mapBlocking=13", "sliding=1"),
                of("debounce", s -> seven(s).debounce(HOUR), "mapBlocking=13", "debounce=1"));
    }

    private static List<Case> within() {
        return List.of(
                of("flatMapConcat", s -> s.flatMapConcat(n -> deaf()), "flatMapConcat=5"),
                of("flatMapMerge", s -> s.flatMapMerge(2, n -> deaf()), "flatMapMerge=5"),
                of("switchMap", s -> s.switchMap(n -> deaf()), "switchMap=1"),
                of("prefixAndTail", s -> s.prefixAndTail(3, (first, rest) -> deaf()), "prefixAndTail=5"),
                of(
                        "groupBy",
                        s -> s.groupBy(n -> n % 2, 2, key -> key.filter(n -> hang(n) >= 0)),
                        "groupBy=2",
                        "filter=3"),
                of(
                        "groupBy, grouped within",
                        s -> seven(s).groupBy(
                                        n -> n % 2, 2, key -> key.grouped(9).map(List::size)),
                        "mapBlocking=13",
                        "grouped=7"),
                of(
                        "groupBy with threads",
                        s -> s.groupBy(n -> n % 2, 2, key -> key.mapBlocking(1, Ordering.input(), n -> hang(n))),
                        "mapBlocking=20"),
                of(
                        "splitWhen",
                        s -> s.splitWhen(n -> n % 2 == 0, part -> part.filter(n -> hang(n) >= 0)),
                        "splitWhen=3",
                        "filter=2"),
                of("alsoTo", s -> s.alsoTo(Sink.forEach(n -> hang(n))), "alsoTo=15", "forEach=5"),
                of("merge", s -> s.merge(Source.<Integer>never()).filter(n -> hang(n) >= 0), "merge=15", "filter=5"),
                of("boundary within", s -> s.flatMapConcat(n -> deaf().async()).async(), "flatMapConcat=5"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void report_ofADrainThatGivesUp_namesEachStageAndWhatItHas(Case given) throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(given.inputs, given.batch);
        try (RunningPipeline running = given.operator
                .apply(source.source())
                .to(Sink.ignore())
                .on(new VirtualClock())
                .run()) {
            assertThat(new RestProbe(running).awaitRest(LONG)).isTrue();
            // Count before the cancellation, which may still finish an open group.
            int unfinished = source.pulled() - source.finishedCount();
            DrainReport report = running.drain(Duration.ZERO);
            assertThat(report.drained()).isFalse();
            assertThat(report.leftUndone())
                    .map(DrainInsideTest::brief)
                    .containsExactlyInAnyOrderElementsOf(given.left.stream()
                            .map(line -> line.replace("pulled", Integer.toString(source.pulled())))
                            .toList());
            assertThat(report.leftUndone().stream()
                            .mapToInt(DrainInsideTest::elements)
                            .sum())
                    .isEqualTo(unfinished);
            source.assertProtocolKept();
        }
    }

    @Test
    void report_ofASinkThatHangs_namesIt() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(20, 5);
        try (RunningPipeline running = source.source()
                .map(n -> n)
                .to(Sink.<Integer>forEach(n -> hangFrom(7, n)))
                .on(new VirtualClock())
                .run()) {
            assertThat(new RestProbe(running).awaitRest(LONG)).isTrue();
            // All elements of the current batch count, also finished ones.
            assertThat(running.drain(Duration.ZERO).leftUndone())
                    .map(DrainInsideTest::brief)
                    .containsExactly("forEach=5");
            assertThat(source.finishedCount()).isEqualTo(7);
        }
    }

    /** The parts of a split element count in one stage, and the element itself in another. */
    @Test
    void report_ofElementsThatWereSplit_countsThemWhereTheyAre() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(20, 5);
        try (RunningPipeline running = source.source()
                .flatMapConcat(n -> Source.of(n, n, n))
                .to(Sink.<Integer>forEach(n -> hang(n)))
                .on(new VirtualClock())
                .run()) {
            assertThat(new RestProbe(running).awaitRest(LONG)).isTrue();
            assertThat(running.drain(Duration.ZERO).leftUndone())
                    .map(DrainInsideTest::brief)
                    .containsExactly("flatMapConcat=5", "forEach=3");
        }
    }

    private static Matcher parsed(String line) {
        Matcher parts = LINE.matcher(line);
        assertThat(parts.matches()).as(line).isTrue();
        return parts;
    }

    private static String brief(String line) {
        Matcher parts = parsed(line);
        return parts.group(1) + "=" + parts.group(2);
    }

    private static int elements(String line) {
        return Integer.parseInt(parsed(line).group(2));
    }
}
