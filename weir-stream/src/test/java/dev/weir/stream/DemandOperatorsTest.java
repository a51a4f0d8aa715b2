package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.testing.SinkProbe;
import dev.weir.stream.testing.SourceProbe;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests operators that act differently while the downstream stage is busy. */
class DemandOperatorsTest {

    private final VirtualClock clock = new VirtualClock();
    private final SourceProbe<Integer> in = new SourceProbe<>();
    private final List<RunningPipeline> started = new ArrayList<>();

    private <R> SinkProbe<R> run(Function<Source<Integer>, Source<R>> stage) {
        SinkProbe<R> out = new SinkProbe<>();
        started.add(stage.apply(in.source()).to(out.sink()).on(clock).run());
        return out;
    }

    @AfterEach
    void end() throws Exception {
        for (RunningPipeline running : started) {
            running.cancel();
            TrackedRun.awaitEnd(running);
            in.awaitClose();
        }
    }

    private static Source<List<Integer>> lists(Source<Integer> source, long max) {
        return source.batch(max, first -> new ArrayList<>(List.of(first)), (list, element) -> {
            list.add(element);
            return list;
        });
    }

    @Test
    void batch_whileNobodyPulls_aggregatesUpToItsMost() throws Exception {
        SinkProbe<List<Integer>> out = run(source -> lists(source, 3));
        in.emit(1, 2).awaitPull();
        // The stage takes the whole batch: it completes one aggregate and begins another.
        in.emit(3, 4).awaitPull();
        assertThat(out.expectNext(2)).containsExactly(List.of(1, 2, 3), List.of(4));
    }

    @Test
    void batch_withAFullAggregate_letsTheStageAboveWait() throws Exception {
        SinkProbe<List<Integer>> out = run(source -> lists(source, 3)).withholdAcknowledgements();
        in.emit(1, 2, 3, 4).awaitPull();
        in.emit(5).awaitTaken();
        in.emit(6);
        assertThat(in.untaken()).isEqualTo(1);
        assertThat(out.expectNext(2)).containsExactly(List.of(1, 2, 3), List.of(4));
        assertThat(in.acknowledged()).isEmpty();
        out.acknowledge(1);
        assertThat(in.acknowledged()).containsExactly(1, 2, 3);
        in.awaitPull();
        assertThat(out.expectNext().getFirst()).isEqualTo(5);
    }

    @Test
    void batchWeighted_heavyElement_isAloneInItsAggregate() throws Exception {
        SinkProbe<List<Integer>> out = run(source -> source.batchWeighted(
                10,
                Integer::longValue,
                List::of,
                (list, element) ->
                        Stream.concat(list.stream(), Stream.of(element)).toList()));
        in.emit(4, 5, 30, 1, 1).awaitPull();
        assertThat(out.expectNext(3)).containsExactly(List.of(4, 5), List.of(30), List.of(1, 1));
    }

    @Test
    void conflate_whileNobodyPulls_neverLetsTheStageAboveWait() throws Exception {
        SinkProbe<Integer> out = run(source -> source.conflate(Integer::sum)).withholdAcknowledgements();
        for (int n = 1; n <= 100; n++) {
            in.emit(n).awaitPull();
        }
        assertThat(out.expectNext()).isEqualTo(5050);
        assertThat(in.acknowledged()).isEmpty();
        out.acknowledge(1);
        assertThat(in.acknowledged()).hasSize(100);
        in.emit(7).awaitPull();
        assertThat(out.expectNext()).isEqualTo(7);
    }

    @Test
    void conflate_atTheFailureOfItsInput_emitsFirst() throws Exception {
        SinkProbe<Integer> out = run(source -> source.conflate(Integer::sum));
        in.emit(1).emit(2).awaitPull();
        in.fail(new IllegalStateException("above"));
        in.awaitClose();
        assertThat(out.expectNext()).isEqualTo(3);
        assertThat(out.expectFailure()).hasMessage("above");
    }

    @Test
    void expand_repeatsTheLatestForAsLongAsThereIsNothingNewer() throws Exception {
        SinkProbe<String> out = run(source -> source.expand(
                        n -> Stream.iterate(0, i -> i + 1).map(i -> n + "." + i).iterator()))
                .withholdAcknowledgements();
        in.emit(1).awaitPull();
        assertThat(out.expectNext(3)).containsExactly("1.0", "1.1", "1.2");
        in.emit(2, 3).awaitPull();
        assertThat(out.expectNext(3)).containsExactly("2.0", "3.0", "3.1");
        // Only an element's first output carries its acknowledgement.
        out.acknowledge(1);
        assertThat(in.acknowledged()).containsExactly(1);
        out.acknowledge(2);
        assertThat(in.acknowledged()).containsExactly(1);
        out.acknowledge(2);
        assertThat(in.acknowledged()).containsExactly(1, 2, 3);
        in.complete();
    }

    @Test
    void expand_toNothing_acknowledgesAndWaits() throws Exception {
        SinkProbe<Integer> out =
                run(source -> source.expand(n -> List.<Integer>of().iterator()));
        out.requestAll();
        in.emit(1, 2).awaitAcknowledged(2);
        out.expectNothing();
        in.complete();
        out.expectEnd();
    }

    @Test
    void extrapolate_emitsTheElementAndThenGuesses() throws Exception {
        SinkProbe<Integer> out =
                run(source -> source.extrapolate(n -> List.of(n * 10, n * 100).iterator()));
        in.emit(1).awaitPull();
        assertThat(out.expectNext(3)).containsExactly(1, 10, 100);
        out.request(1);
        in.emit(2).complete();
        assertThat(out.expectNext()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({
        "DROP_HEAD, 3 4 5, 1 2",
        "DROP_TAIL, 1 2 5, 3 4",
        "DROP_NEW, 1 2 3, 4 5",
        "DROP_BUFFER, 4 5, 1 2 3",
    })
    void buffer_thatIsFull_dropsByItsStrategyAndAcknowledges(OverflowStrategy strategy, String kept, String dropped)
            throws Exception {
        SinkProbe<Integer> out = run(source -> source.buffer(3, strategy)).withholdAcknowledgements();
        in.emit(1, 2).emit(3).emit(4, 5).awaitPull();
        List<Integer> expected = numbers(kept);
        assertThat(in.acknowledged()).isEqualTo(numbers(dropped));
        assertThat(out.expectNext(expected.size())).isEqualTo(expected);
        assertThat(in.acknowledged()).isEqualTo(numbers(dropped));
        out.acknowledge(expected.size());
        in.complete();
        out.expectEnd();
        assertThat(in.unacknowledged()).isEmpty();
    }

    private static List<Integer> numbers(String text) {
        return Stream.of(text.split(" ")).map(Integer::valueOf).toList();
    }

    @Test
    void buffer_thatIsFullAndFails_emitsWhatItHoldsFirst() throws Exception {
        SinkProbe<Integer> out = run(source -> source.buffer(3, OverflowStrategy.FAIL));
        in.emit(1, 2).emit(3, 4);
        in.awaitClose();
        assertThat(out.expectNext(3)).containsExactly(1, 2, 3);
        assertThat(out.expectFailure())
                .isInstanceOfSatisfying(
                        BufferFullException.class,
                        full -> assertThat(full.capacity()).isEqualTo(3));
        assertThat(in.unacknowledged()).containsExactly(4);
    }

    @Test
    void buffer_whoseStageBelowWaits_dropsNothingOfABatchGreaterThanItself() throws Exception {
        // While a group is open, the downstream stage waits with a deadline.
        SinkProbe<List<Integer>> out =
                run(source -> source.buffer(2, OverflowStrategy.DROP_NEW).groupedWithin(6, Duration.ofHours(1)));
        out.requestAll();
        in.emit(0);
        clock.awaitWaiters(1);
        in.emit(1, 2, 3, 4, 5);
        assertThat(out.expectNext()).containsExactly(0, 1, 2, 3, 4, 5);
    }

    @Test
    void buffer_withBackPressure_letsTheStageAboveWait() throws Exception {
        SinkProbe<Integer> out = run(source -> source.buffer(2, OverflowStrategy.BACKPRESSURE));
        in.emit(1, 2).emit(3).awaitTaken();
        in.emit(4);
        assertThat(in.untaken()).isEqualTo(1);
        assertThat(out.expectNext(4)).containsExactly(1, 2, 3, 4);
    }

    @Test
    void settings_outOfBounds_areRefused() {
        Source<Integer> source = Source.of(1);
        assertThatThrownBy(() -> lists(source, 0)).hasMessageContaining("at least 1: max");
        assertThatThrownBy(() -> source.buffer(0, OverflowStrategy.FAIL)).hasMessageContaining("capacity=0");
        assertThatThrownBy(() -> source.sliding(0, 1)).hasMessageContaining("size=0 step=1");
    }
}
