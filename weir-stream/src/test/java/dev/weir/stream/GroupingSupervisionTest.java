package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.testing.SinkProbe;
import dev.weir.stream.testing.SourceProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the supervision of grouping and timed operators whose functions throw. */
class GroupingSupervisionTest {

    private static final int INPUTS = 100;

    /** Returns operators with a function that throws for some elements. The output is flattened. */
    static Stream<Arguments> operators() {
        return Stream.of(
                operator("groupedWeighted", source -> source.groupedWeighted(10, GroupingSupervisionTest::checked)),
                operator(
                        "groupedAdjacentBy",
                        source -> source.groupedAdjacentBy(n -> GroupingSupervisionTest.checked(n) / 4, 10)),
                operator(
                        "groupedWeightedWithin",
                        source -> source.groupedWeightedWithin(
                                10, Duration.ofHours(1), GroupingSupervisionTest::checked)),
                operator(
                        "batch, seed",
                        source -> source.<List<Integer>>batch(1, n -> List.of((int) checked(n)), (list, n) -> list)),
                operator(
                        "batch, aggregate",
                        source -> source.<List<Integer>>batch(
                                10, n -> append(List.of(), n), (list, n) -> append(list, (int) checked(n)))),
                operator(
                        "batchWeighted",
                        source -> source.<List<Integer>>batchWeighted(
                                10, GroupingSupervisionTest::checked, List::of, GroupingSupervisionTest::append)),
                operator(
                        "expand",
                        source -> source.expand(
                                n -> List.of(List.of((int) checked(n))).iterator())),
                operator(
                        "throttle",
                        source -> source.throttle(
                                1_000_000_000,
                                Duration.ofSeconds(1),
                                1000,
                                GroupingSupervisionTest::checked,
                                ThrottleMode.SHAPING)),
                operator("delay", source -> source.delay(n -> Duration.ofNanos(checked(n)), 10)));
    }

    private static Arguments operator(String name, Function<Source<Integer>, Source<?>> stage) {
        return Arguments.of(Named.of(name, stage));
    }

    private static boolean isBad(int n) {
        return n % 10 == 3;
    }

    private static long checked(int n) {
        if (isBad(n)) {
            throw new IllegalArgumentException("bad " + n);
        }
        return n;
    }

    private static List<Integer> append(List<Integer> list, int n) {
        return Stream.concat(list.stream(), Stream.of(n)).toList();
    }

    private static Stream<Integer> flat(Object output) {
        return output instanceof List<?> list ? list.stream().map(Integer.class::cast) : Stream.of((Integer) output);
    }

    private static List<Integer> run(
            Function<Source<Integer>, Source<?>> stage, TrackedSource<Integer> tracked, Decision decision)
            throws Exception {
        List<Integer> seen = new ArrayList<>();
        try (RunningPipeline running = stage.apply(tracked.source())
                .with(Attributes.NONE.withSupervision(Supervision.of(failure -> decision)))
                .to(Sink.forEach(output -> flat(output).forEach(seen::add)))
                .run()) {
            running.await();
        }
        return seen;
    }

    private static List<Integer> good() {
        return IntStream.range(0, INPUTS).filter(n -> !isBad(n)).boxed().toList();
    }

    @ParameterizedTest
    @MethodSource("operators")
    void skip_dropsAndAcknowledges(Function<Source<Integer>, Source<?>> stage) throws Exception {
        TrackedSource<Integer> tracked = TrackedSource.numbers(INPUTS, 7);
        List<Integer> seen = run(stage, tracked, Decision.SKIP);
        assertThat(seen)
                .containsAll(good().subList(0, 3))
                .isSubsetOf(IntStream.range(0, INPUTS).boxed().toList());
        assertThat(seen).containsAll(good());
        tracked.assertAllFinished();
    }

    @ParameterizedTest
    @MethodSource("operators")
    void skipUnacknowledged_leavesTheElementsToTheSource(Function<Source<Integer>, Source<?>> stage) throws Exception {
        TrackedSource<Integer> tracked = TrackedSource.numbers(INPUTS, 7);
        List<Integer> seen = run(stage, tracked, Decision.SKIP_UNACKNOWLEDGED);
        assertThat(seen).containsAll(good());
        tracked.assertProtocolKept();
        // An operator that does not check its first element may let one bad element pass.
        assertThat(IntStream.range(0, INPUTS).filter(n -> !tracked.isFinished(n)))
                .allMatch(GroupingSupervisionTest::isBad)
                .isNotEmpty()
                .noneMatch(seen::contains);
    }

    @ParameterizedTest
    @MethodSource("operators")
    void restart_dropsTheOpenGroupAsWell(Function<Source<Integer>, Source<?>> stage) throws Exception {
        TrackedSource<Integer> tracked = TrackedSource.numbers(INPUTS, 7);
        List<Integer> seen = run(stage, tracked, Decision.RESTART);
        assertThat(seen).isSubsetOf(IntStream.range(0, INPUTS).boxed().toList()).contains(99);
        tracked.assertAllFinished();
    }

    @ParameterizedTest
    @MethodSource("operators")
    void fail_failsWithTheException(Function<Source<Integer>, Source<?>> stage) {
        TrackedSource<Integer> tracked = TrackedSource.numbers(INPUTS, 7);
        assertThatThrownBy(() -> run(stage, tracked, Decision.FAIL)).hasMessageStartingWith("bad ");
        tracked.assertProtocolKept();
        assertThat(tracked.finishedCount()).isLessThan(INPUTS);
    }

    @Test
    void restart_ofAGroup_forgetsAndAcknowledgesItsMembers() throws Exception {
        SourceProbe<Integer> in = new SourceProbe<>();
        SinkProbe<List<Integer>> out = new SinkProbe<List<Integer>>().requestAll();
        Supervision restart = Supervision.of(failure -> Decision.RESTART);
        try (RunningPipeline running = in.source()
                .groupedWeighted(100, GroupingSupervisionTest::checked)
                .with(Attributes.NONE.withSupervision(restart))
                .to(out.sink())
                .run()) {
            in.emit(1, 2, 3, 4).awaitPull();
            assertThat(in.acknowledged()).containsExactly(1, 2, 3);
            in.complete();
            assertThat(out.expectNext()).containsExactly(4);
            out.expectEnd();
            running.await();
        }
    }

    @Test
    void restart_ofAnAggregate_countsItsElementsNoLonger() throws Exception {
        SourceProbe<Integer> in = new SourceProbe<>();
        SinkProbe<List<Integer>> out = new SinkProbe<>();
        Supervision restart = Supervision.of(failure -> Decision.RESTART);
        try (RunningPipeline running = in.source()
                .<List<Integer>>batchWeighted(
                        100, GroupingSupervisionTest::checked, List::of, GroupingSupervisionTest::append)
                .with(Attributes.NONE.withSupervision(restart))
                .to(out.sink())
                .run()) {
            in.emit(1, 2, 3, 4).awaitPull();
            assertThat(in.acknowledged()).containsExactly(1, 2, 3);
            assertThat(running.stages())
                    .filteredOn(stage -> stage.name().equals("batchWeighted"))
                    .singleElement()
                    .satisfies(stage -> assertThat(stage.depth()).isEqualTo(1));
            in.complete();
            assertThat(out.expectNext()).containsExactly(4);
            out.expectEnd();
            running.await();
        }
    }

    @Test
    void skip_ofAnExpansionThatFailsLater_keepsTheElementsClaim() throws Exception {
        SourceProbe<Integer> in = new SourceProbe<>();
        SinkProbe<Integer> out = new SinkProbe<Integer>().withholdAcknowledgements();
        try (RunningPipeline running = in.source()
                .expand(n -> new Iterator<Integer>() {
                    private int next = n;

                    @Override
                    public boolean hasNext() {
                        return true;
                    }

                    @Override
                    public Integer next() {
                        return (int) checked(next++);
                    }
                })
                .with(Attributes.NONE.withSupervision(Supervision.skip()))
                .to(out.sink())
                .run()) {
            in.emit(1).awaitPull();
            assertThat(out.expectNext(2)).containsExactly(1, 2);
            assertThat(in.acknowledged()).isEmpty();
            out.acknowledge(2);
            assertThat(in.acknowledged()).containsExactly(1);
            in.emit(5).complete();
            assertThat(out.expectNext()).isEqualTo(5);
            running.stop();
            out.requestAll();
        }
    }
}
