package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests stages in the middle of a stream that restart after a failure. Their unfinished elements must be redelivered.
 */
class RestartedSectionTest {

    private static final int INPUTS = 2000;
    private static final RestartSettings AT_ONCE = RestartSettings.of(Backoff.NONE);

    private final IllegalStateException planted = new IllegalStateException("planted");
    private final Set<Integer> sprung = ConcurrentHashMap.newKeySet();
    private final Set<Integer> arrived = ConcurrentHashMap.newKeySet();

    @AfterEach
    void noThreadIsLeft() {
        ThreadCensus.assertNoneLeft("restarted");
    }

    /** Throws for some elements, but only at their first call. */
    private int trap(int n) {
        if (n % 97 == 13 && sprung.add(n)) {
            throw planted;
        }
        return n;
    }

    private List<Integer> trap(List<Integer> members) {
        members.forEach(this::trap);
        return members;
    }

    private Map<String, Function<Source<Integer>, Source<List<Integer>>>> sections() {
        Map<String, Function<Source<Integer>, Source<List<Integer>>>> sections = new TreeMap<>();
        sections.put("map", s -> s.map(n -> List.of(trap(n))));
        sections.put("map, async", s -> s.map(this::trap).async().map(List::of));
        sections.put("async, map", s -> s.async().map(n -> List.of(trap(n))));
        sections.put("mapBlocking", s -> s.mapBlocking(4, Ordering.input(), n -> List.of(trap(n))));
        sections.put("mapParallel", s -> s.mapParallel(2, n -> List.of(trap(n))));
        sections.put("filter", s -> s.map(this::trap).filter(n -> !isDropped(n)).map(List::of));
        sections.put("grouped", s -> s.grouped(10).map(this::trap));
        sections.put("mapConcat", s -> s.mapConcat(n -> List.of(n, n)).map(n -> List.of(trap(n))));
        sections.put("groupBy", s -> s.groupBy(n -> n % 5, 5, key -> key.map(n -> List.of(trap(n)))));
        return sections;
    }

    private static boolean isDropped(int n) {
        return n % 3 == 0;
    }

    static Stream<Arguments> sectionsAndSizes() {
        return new RestartedSectionTest()
                .sections().keySet().stream()
                        .flatMap(name -> Stream.of(
                                        new int[] {1}, new int[] {2}, new int[] {7}, new int[] {512}, new int[] {
                                            0, 1, 512, 0, 7
                                        })
                                .map(sizes -> Arguments.of(name, sizes)));
    }

    private TrackedSource<Integer> tracked(String section, int... sizes) {
        return TrackedSource.numbers(INPUTS, sizes)
                .mayFinish(n -> arrived.contains(n) || (section.equals("filter") && isDropped(n)));
    }

    private Pipeline pipeline(
            TrackedSource<Integer> source, String section, UnaryOperator<Source<List<Integer>>> below) {
        return below.apply(source.source()
                        .restarted(AT_ONCE, Objects.requireNonNull(sections().get(section))))
                .to(Sink.forEach(arrived::addAll))
                .named("restarted");
    }

    @ParameterizedTest
    @MethodSource("sectionsAndSizes")
    void section_thatFailsNowAndThen_finishesEverythingOnceItArrived(String section, int[] sizes) throws Exception {
        TrackedSource<Integer> source = tracked(section, sizes);
        try (RunningPipeline running =
                pipeline(source, section, UnaryOperator.identity()).run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(sprung).hasSize((int)
                IntStream.range(0, INPUTS).filter(n -> n % 97 == 13).count());
        source.assertAllFinished();
    }

    @ParameterizedTest
    @MethodSource("sectionsAndSizes")
    void section_aboveAStageThatHoldsElements_finishesEverything(String section, int[] sizes) throws Exception {
        TrackedSource<Integer> source = tracked(section, sizes);
        UnaryOperator<Source<List<Integer>>> holding = lists -> lists.grouped(300)
                .map(group -> group.stream().flatMap(List::stream).toList());
        try (RunningPipeline running = pipeline(source, section, holding).run()) {
            assertThat(running.await().drained()).isTrue();
        }
        source.assertAllFinished();
    }

    @ParameterizedTest
    @MethodSource("sectionsAndSizes")
    void section_thatIsCancelled_hasAcknowledgedNothingThatDidNotArrive(String section, int[] sizes) {
        TrackedSource<Integer> source = tracked(section, sizes).heldOpen();
        CountDownLatch some = new CountDownLatch(100);
        RunningPipeline running = pipeline(source, section, lists -> lists.tap(list -> some.countDown()))
                .run();
        assertThat(some).satisfies(CountDownLatch::await);
        running.cancel();
        TrackedRun.awaitEnd(running);
        source.assertProtocolKept();
    }

    @Test
    void section_ofOneThread_keepsTheOrderAndRepeatsOnlyWhatWasOnItsWay() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(6, 3);
        List<Integer> seen = new ArrayList<>();
        AtomicInteger starts = new AtomicInteger();
        try (RunningPipeline running = source.source()
                .restarted(AT_ONCE, s -> {
                    starts.incrementAndGet();
                    return s.map(n -> {
                        if (n == 4 && sprung.add(n)) {
                            throw planted;
                        }
                        return n;
                    });
                })
                .to(Sink.forEach(seen::add))
                .run()) {
            running.await();
        }
        // Element 3 was finished before element 4 failed.
        assertThat(seen).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(starts).as("the blueprint is made once").hasValue(1);
        source.assertAllFinished();
    }

    @Test
    void failureFromAbove_isNotRestartedFrom() {
        AtomicInteger calls = new AtomicInteger();
        RunningPipeline running = Source.of(1, 2, 3)
                .map(n -> {
                    calls.incrementAndGet();
                    if (n == 2) {
                        throw planted;
                    }
                    return n;
                })
                .restarted(AT_ONCE, s -> s.map(n -> n))
                .to(Sink.forEach(arrived::add))
                .run();
        assertThatThrownBy(running::await).isSameAs(planted);
        assertThat(calls).hasValue(2);
        assertThat(arrived).containsExactly(1);
    }

    @Test
    void elementThatAlwaysFails_endsTheStreamAfterAllRestartsAndStaysUnfinished() {
        TrackedSource<Integer> source = TrackedSource.numbers(10, 10);
        AtomicInteger calls = new AtomicInteger();
        RunningPipeline running = source.source()
                .restarted(
                        AT_ONCE.atMost(3, Duration.ofHours(1)),
                        s -> s.map(n -> {
                            if (n == 4) {
                                calls.incrementAndGet();
                                throw planted;
                            }
                            return n;
                        }))
                .to(Sink.ignore())
                .run();
        assertThatThrownBy(running::await).isSameAs(planted);
        assertThat(calls).hasValue(4);
        source.assertProtocolKept();
        assertThat(IntStream.range(0, 10).filter(source::isFinished).boxed()).containsExactly(0, 1, 2, 3);
    }

    @Test
    void sectionThatEndsByItself_endsTheStreamAndLeavesTheRestUnfinished() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(1000, 7).heldOpen();
        try (RunningPipeline running = source.source()
                .restarted(AT_ONCE, s -> s.map(n -> n).take(50))
                .to(Sink.ignore())
                .run()) {
            running.await();
        }
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isEqualTo(50);
    }

    /** Regression: an element whose first child had failed was not redelivered. */
    @Test
    void elementOfWhichAChildWasForgone_comesAgainWhenTheOtherFailed() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(10, 10).heldOpen();
        try (RunningPipeline running = source.source()
                .restarted(
                        AT_ONCE,
                        s -> s.mapConcat(n -> List.of(n, n + 100)).take(1).map(n -> {
                            if (sprung.add(n)) {
                                throw planted;
                            }
                            return n;
                        }))
                .to(Sink.forEach(arrived::add))
                .named("restarted")
                .run()) {
            running.await();
        }
        source.assertProtocolKept();
        assertThat(arrived).containsExactly(0);
    }

    @Test
    void stop_drainsTheSection() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(1000, 7).heldOpen();
        CountDownLatch all = new CountDownLatch(1000);
        RunningPipeline running = source.source()
                .restarted(AT_ONCE, s -> s.mapBlocking(4, Ordering.input(), this::trap))
                .to(Sink.forEach(n -> {
                    arrived.add(n);
                    all.countDown();
                }))
                .run();
        all.await();
        running.stop();
        assertThat(running.await().drained()).isTrue();
        source.assertProtocolKept();
        assertThat(IntStream.range(0, 1000).filter(n -> source.isFinished(n) != arrived.contains(n)))
                .isEmpty();
    }

    @Test
    void restartOnCompletion_isRefused() {
        assertThatThrownBy(() -> Source.of(1).restarted(AT_ONCE.alsoOnCompletion(), s -> s))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("alsoOnCompletion");
    }
}
