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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests operators that wait. In simulated time, waits are exact to the nanosecond. */
class TimeOperatorsTest {

    private static final Duration TICK = Duration.ofNanos(1);

    private final VirtualClock clock = new VirtualClock();
    private final SourceProbe<Integer> in = new SourceProbe<>();
    private final List<RunningPipeline> started = new ArrayList<>();

    private <R> SinkProbe<R> run(Function<Source<Integer>, Source<R>> stage) {
        SinkProbe<R> out = new SinkProbe<R>().requestAll();
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

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    /** Advances to just before {@code by}, where nothing may arrive, and then to {@code by}. */
    private void advanceExactly(Duration by, SinkProbe<?> out) {
        clock.advance(by.minus(TICK));
        out.expectNothing();
        clock.advance(TICK);
    }

    @Test
    void groupedWithin_emitsWhenTheWindowOfTheFirstElementEnds() throws Exception {
        SinkProbe<List<Integer>> out = run(source -> source.groupedWithin(10, millis(100)));
        clock.advance(millis(5000));
        in.emit(1).awaitPull();
        clock.advance(millis(60));
        in.emit(2, 3).awaitPull();
        advanceExactly(millis(40), out);
        assertThat(out.expectNext()).containsExactly(1, 2, 3);
        in.awaitPull();
        clock.advance(millis(5000));
        in.emit(4).awaitPull();
        advanceExactly(millis(100), out);
        assertThat(out.expectNext()).containsExactly(4);
    }

    @Test
    void groupedWithin_fullGroup_goesAtOnceAndBeginsANewWindow() throws Exception {
        SinkProbe<List<Integer>> out = run(source -> source.groupedWithin(2, millis(100)));
        in.emit(1).awaitPull();
        clock.advance(millis(60));
        in.emit(2, 3).awaitPull();
        assertThat(out.expectNext()).containsExactly(1, 2);
        advanceExactly(millis(100), out);
        assertThat(out.expectNext()).containsExactly(3);
    }

    @Test
    void groupedWithin_atTheFailureOfItsInput_emitsFirst() throws Exception {
        SinkProbe<List<Integer>> out = run(source -> source.groupedWithin(10, millis(100)));
        in.emit(1).fail(new IllegalStateException("above"));
        assertThat(out.expectNext()).containsExactly(1);
        assertThat(out.expectFailure()).hasMessage("above");
        assertThat(in.acknowledged()).containsExactly(1);
    }

    @Test
    void groupedWeightedWithin_emitsByWeightOrTime() throws Exception {
        SinkProbe<List<Integer>> out = run(source -> source.groupedWeightedWithin(10, millis(100), Integer::longValue));
        in.emit(4, 5, 2, 30, 1).awaitPull();
        assertThat(out.expectNext(3)).containsExactly(List.of(4, 5), List.of(2), List.of(30));
        advanceExactly(millis(100), out);
        assertThat(out.expectNext()).containsExactly(1);
    }

    @Test
    void delay_holdsEachElementForItsTime() throws Exception {
        SinkProbe<Integer> out = run(source -> source.delay(millis(100)));
        in.emit(1).awaitPull();
        clock.advance(millis(60));
        in.emit(2).awaitPull();
        advanceExactly(millis(40), out);
        assertThat(out.expectNext()).isEqualTo(1);
        in.awaitPull();
        advanceExactly(millis(60), out);
        assertThat(out.expectNext()).isEqualTo(2);
    }

    @Test
    void delay_byElement_keepsTheOrder() throws Exception {
        SinkProbe<Integer> out = run(source -> source.delay(Duration::ofMillis, 100));
        in.emit(50, 10, 70, -5).awaitPull();
        advanceExactly(millis(50), out);
        assertThat(out.expectNext(2)).containsExactly(50, 10);
        in.awaitPull();
        advanceExactly(millis(20), out);
        assertThat(out.expectNext(2)).containsExactly(70, -5);
    }

    @Test
    void delay_holdingItsMost_takesNothingIn() throws Exception {
        SinkProbe<Integer> out = run(source -> source.delay(element -> millis(100), 2));
        in.emit(1, 2).emit(3);
        clock.awaitWaiters(1);
        assertThat(in.untaken()).isEqualTo(1);
        advanceExactly(millis(100), out);
        assertThat(out.expectNext(2)).containsExactly(1, 2);
        // The stage accepts element 3 only now, so the delay of that element starts here.
        in.awaitPull();
        advanceExactly(millis(100), out);
        assertThat(out.expectNext()).isEqualTo(3);
    }

    @Test
    void delay_endAndFailure_waitBehindWhatIsHeld() throws Exception {
        SinkProbe<Integer> out = run(source -> source.delay(millis(100)));
        in.emit(1).fail(new IllegalStateException("above"));
        clock.awaitWaiters(1);
        advanceExactly(millis(100), out);
        assertThat(out.expectNext()).isEqualTo(1);
        assertThat(out.expectFailure()).hasMessage("above");
    }

    @Test
    void takeWithin_endsAtItsTimeAndClosesWhatIsAbove() throws Exception {
        SinkProbe<Integer> out = run(source -> source.takeWithin(millis(100)));
        in.emit(1, 2).awaitPull();
        assertThat(out.expectNext(2)).containsExactly(1, 2);
        advanceExactly(millis(100), out);
        out.expectEnd();
        in.awaitClose();
        assertThat(in.acknowledged()).containsExactly(1, 2);
    }

    @Test
    void takeWithin_noTime_takesNothing() throws Exception {
        SinkProbe<Integer> out = run(source -> source.takeWithin(millis(-1)));
        out.expectEnd();
    }

    @Test
    void dropWithin_dropsAndAcknowledgesUntilItsTime() throws Exception {
        SinkProbe<Integer> out = run(source -> source.dropWithin(millis(100)));
        in.emit(1, 2).awaitPull();
        clock.advance(millis(100).minus(TICK));
        in.emit(3).awaitPull();
        assertThat(in.acknowledged()).containsExactly(1, 2, 3);
        clock.advance(TICK);
        in.emit(4, 5);
        assertThat(out.expectNext(2)).containsExactly(4, 5);
    }

    @Test
    void initialDelay_pullsNothingBefore() throws Exception {
        SinkProbe<Integer> out = run(source -> source.initialDelay(millis(100)));
        in.emit(1);
        clock.awaitWaiters(1);
        advanceExactly(millis(100), out);
        assertThat(out.expectNext()).isEqualTo(1);
        in.emit(2);
        assertThat(out.expectNext()).isEqualTo(2);
    }

    @Test
    void debounce_emitsAfterQuiet_andAcknowledgesTheOthers() throws Exception {
        SinkProbe<Integer> out = run(source -> source.debounce(millis(100)));
        in.emit(1, 2).awaitPull();
        assertThat(in.acknowledged()).containsExactly(1);
        clock.advance(millis(99));
        in.emit(3).awaitPull();
        assertThat(in.acknowledged()).containsExactly(1, 2);
        advanceExactly(millis(100), out);
        assertThat(out.expectNext()).isEqualTo(3);
        in.awaitPull();
        clock.advance(millis(1000));
        in.awaitPull();
        out.expectNothing();
        in.emit(4).complete();
        assertThat(out.expectNext()).isEqualTo(4);
        out.expectEnd();
        assertThat(in.unacknowledged()).isEmpty();
    }

    @Test
    void sample_emitsTheLatestAtTheEndOfEachInterval() throws Exception {
        SinkProbe<Integer> out = run(source -> source.sample(millis(100)));
        clock.advance(millis(30));
        in.emit(1).awaitPull();
        clock.advance(millis(30));
        in.emit(2, 3).awaitPull();
        assertThat(in.acknowledged()).containsExactly(1, 2);
        advanceExactly(millis(40), out);
        assertThat(out.expectNext()).isEqualTo(3);
        in.awaitPull();
        // Nothing has arrived for two and a half intervals.
        clock.advance(millis(250));
        in.emit(4).awaitPull();
        advanceExactly(millis(50), out);
        assertThat(out.expectNext()).isEqualTo(4);
        in.emit(5).complete();
        assertThat(out.expectNext()).isEqualTo(5);
        out.expectEnd();
    }

    @Test
    void throttle_spreadsElementsEvenly() throws Exception {
        SinkProbe<Integer> out = run(source -> source.throttle(10, Duration.ofSeconds(1)));
        in.emit(1, 2, 3);
        assertThat(out.expectNext()).isEqualTo(1);
        for (int n = 2; n <= 3; n++) {
            clock.awaitWaiters(1);
            advanceExactly(millis(100), out);
            assertThat(out.expectNext()).isEqualTo(n);
        }
        assertThat(in.untaken()).isZero();
        in.emit(4);
        clock.awaitWaiters(1);
        advanceExactly(millis(100), out);
        assertThat(out.expectNext()).isEqualTo(4);
    }

    @Test
    void throttle_afterAPause_letsTheBurstPass() throws Exception {
        SinkProbe<Integer> out = run(source -> source.throttle(10, Duration.ofSeconds(1), 3, ThrottleMode.SHAPING));
        clock.advance(Duration.ofHours(1));
        in.emit(1, 2, 3, 4, 5);
        assertThat(out.expectNext(3)).containsExactly(1, 2, 3);
        clock.awaitWaiters(1);
        advanceExactly(millis(100), out);
        assertThat(out.expectNext()).isEqualTo(4);
        clock.awaitWaiters(1);
        // The time of two elements passes, but only one is available.
        clock.advance(millis(200));
        assertThat(out.expectNext()).isEqualTo(5);
        in.emit(6, 7);
        assertThat(out.expectNext()).isEqualTo(6);
    }

    @Test
    void throttle_byCost_letsADearElementWaitForItsWholeCost() throws Exception {
        SinkProbe<Integer> out =
                run(source -> source.throttle(10, Duration.ofSeconds(1), 2, Integer::longValue, ThrottleMode.SHAPING));
        in.emit(1, 6, 0, 1);
        assertThat(out.expectNext()).isEqualTo(1);
        clock.awaitWaiters(1);
        // One permit of the burst is left, and five more are needed.
        advanceExactly(millis(500), out);
        assertThat(out.expectNext(2)).containsExactly(6, 0);
        clock.awaitWaiters(1);
        advanceExactly(millis(100), out);
        assertThat(out.expectNext()).isEqualTo(1);
    }

    @Test
    void throttle_enforcing_failsBehindTheElementsInTime() throws Exception {
        SinkProbe<Integer> out = run(source -> source.throttle(10, Duration.ofSeconds(1), 2, ThrottleMode.ENFORCING));
        in.emit(1, 2, 3, 4);
        assertThat(out.expectNext(2)).containsExactly(1, 2);
        assertThat(out.expectFailure())
                .isInstanceOfSatisfying(
                        RateExceededException.class,
                        failure -> assertThat(failure.early()).isEqualTo(millis(100)));
        assertThat(in.unacknowledged()).containsExactly(3, 4);
    }

    @Test
    void throttle_enforcingAndSkipping_dropsWhatIsTooMuch() throws Exception {
        SinkProbe<Integer> out = run(source -> source.throttle(10, Duration.ofSeconds(1), 2, ThrottleMode.ENFORCING)
                .with(Attributes.NONE.withSupervision(Supervision.skip())));
        in.emit(1, 2, 3, 4).awaitPull();
        assertThat(out.expectNext(2)).containsExactly(1, 2);
        assertThat(in.acknowledged()).containsExactly(1, 2, 3, 4);
        clock.advance(millis(100));
        in.emit(5, 6);
        assertThat(out.expectNext()).isEqualTo(5);
        in.awaitAcknowledged(6);
        out.expectNothing();
    }

    @Test
    void chain_ofTimedOperators_addsTheirTimes() throws Exception {
        SinkProbe<List<Integer>> out =
                run(source -> source.delay(millis(1000)).debounce(millis(10)).groupedWithin(10, millis(100)));
        in.emit(1).awaitPull();
        advanceExactly(millis(1000), out);
        in.awaitPull();
        advanceExactly(millis(10), out);
        in.awaitPull();
        advanceExactly(millis(100), out);
        assertThat(out.expectNext()).containsExactly(1);
    }

    @Test
    void timedOperator_belowABoundary_waitsAsWell() throws Exception {
        SinkProbe<List<Integer>> out = run(source -> source.async().groupedWithin(10, millis(100)));
        in.emit(1);
        clock.awaitWaiters(1);
        advanceExactly(millis(100), out);
        assertThat(out.expectNext()).containsExactly(1);
    }

    @Test
    void settings_outOfBounds_areRefused() {
        Source<Integer> source = Source.of(1);
        assertThatThrownBy(() -> source.groupedWithin(0, millis(1))).hasMessageContaining("count=0");
        assertThatThrownBy(() -> source.groupedWithin(1, millis(0))).hasMessageContaining("window=PT0S");
        assertThatThrownBy(() -> source.delay(n -> millis(1), 0)).hasMessageContaining("maxHeld=0");
        assertThatThrownBy(() -> source.debounce(millis(-1))).hasMessageContaining("quiet=PT-0.001S");
        assertThatThrownBy(() -> source.sample(millis(0))).hasMessageContaining("interval=PT0S");
        assertThatThrownBy(() -> source.throttle(0, millis(1))).hasMessageContaining("elements=0");
        assertThatThrownBy(() -> source.throttle(1, millis(0))).hasMessageContaining("per=PT0S");
        assertThatThrownBy(() -> source.throttle(1, millis(1), 0, ThrottleMode.SHAPING))
                .hasMessageContaining("burst=0");
    }
}
