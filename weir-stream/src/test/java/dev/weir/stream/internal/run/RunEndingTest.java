package dev.weir.stream.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.RunningPipeline;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RunEndingTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final RunEnding ending = new RunEnding();
    private final List<String> calls = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();

    private static long inAnHour() {
        return System.nanoTime() + HOUR.toNanos();
    }

    private void onStop(String hook) {
        ending.onStop(() -> calls.add(hook), failures::add);
    }

    @Test
    void stop_callsEachHookOnce_alsoLaterOnes() {
        onStop("first");
        onStop("second");
        assertThat(ending.isStopping()).isFalse();
        assertThat(calls).isEmpty();
        ending.stop(Stage.NEVER, failures::add);
        assertThat(ending.isStopping()).isTrue();
        assertThat(calls).containsExactly("first", "second");
        onStop("late");
        assertThat(calls).containsExactly("first", "second", "late");
        ending.stop(inAnHour(), failures::add);
        assertThat(calls).hasSize(3);
        assertThat(failures).isEmpty();
    }

    @Test
    void hook_thatThrows_isReported_andKeepsNoOtherFromItsCall() {
        IllegalStateException unchecked = new IllegalStateException("planted");
        AssertionError error = new AssertionError("planted");
        ending.onStop(
                () -> {
                    throw unchecked;
                },
                failures::add);
        onStop("second");
        ending.stop(Stage.NEVER, failures::add);
        assertThat(calls).containsExactly("second");
        assertThat(failures).containsExactly(unchecked);
        ending.onStop(
                () -> {
                    throw error;
                },
                failures::add);
        assertThat(failures).containsExactly(unchecked, error);
    }

    @Test
    void hooks_afterTheRelease_areNotKept() {
        onStop("hook");
        ending.onTermination(patience -> {
            calls.add("closed");
            return "";
        });
        ending.release();
        ending.stop(Stage.NEVER, failures::add);
        ending.terminate(failures::add);
        assertThat(calls).isEmpty();
    }

    @Test
    void patience_isTheDefault_untilADrainLimitsIt() {
        assertThat(ending.patience()).isEqualTo(RunningPipeline.DEFAULT_DRAIN);
        assertThat(ending.patienceWithin()).isEqualTo(PipelineRun.LONGEST_DEADLINE);
        ending.stop(Stage.NEVER, failures::add);
        assertThat(ending.patience()).isEqualTo(RunningPipeline.DEFAULT_DRAIN);
        assertThat(ending.patienceWithin()).isEqualTo(PipelineRun.LONGEST_DEADLINE);
        ending.stop(inAnHour(), failures::add);
        assertThat(ending.patience()).isBetween(HOUR.dividedBy(2), HOUR);
        assertThat(ending.patienceWithin()).isBetween(HOUR.dividedBy(2), HOUR);
        // A stop without a deadline does not lift the limit.
        ending.stop(Stage.NEVER, failures::add);
        assertThat(ending.patience()).isBetween(HOUR.dividedBy(2), HOUR);
    }

    @Test
    void patience_afterTheDeadlineOrAFailure_isZero() {
        ending.stop(System.nanoTime() - 1, failures::add);
        assertThat(ending.patience()).isZero();
        assertThat(ending.patienceWithin()).isZero();
        RunEnding failed = new RunEnding();
        failed.fail(new IllegalStateException("planted"));
        assertThat(failed.patience()).isZero();
        assertThat(failed.patienceWithin()).isZero();
    }

    @Test
    void patience_onceAThreadNeverReturns_isASecondAtMost() {
        ending.stop(inAnHour(), failures::add);
        ending.expectLess();
        assertThat(ending.patience()).isEqualTo(Duration.ofSeconds(1));
        ending.stop(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(900), failures::add);
        assertThat(ending.patience()).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void resources_areClosedInReverseOrder_thoughOneThrows() {
        IllegalStateException planted = new IllegalStateException("planted");
        ending.onTermination(patience -> "records of the first");
        ending.onTermination(patience -> "");
        ending.onTermination(patience -> {
            throw planted;
        });
        ending.onTermination(patience -> "records of the last");
        ending.leftUndone("earlier");
        ending.leftUndone("");
        ending.terminate(failures::add);
        assertThat(ending.leftUndone()).containsExactly("earlier", "records of the last", "records of the first");
        assertThat(failures).containsExactly(planted);
    }

    /** Regression: each resource had the time that was left when the first one was closed. */
    @Test
    void resources_shareTheTimeThatIsLeft() {
        List<Duration> patience = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            ending.onTermination(given -> {
                patience.add(given);
                ending.fail(new IllegalStateException("cancelled at the deadline"));
                return "";
            });
        }
        ending.stop(inAnHour(), failures::add);
        ending.terminate(failures::add);
        assertThat(patience.getFirst()).isBetween(HOUR.dividedBy(2), HOUR);
        assertThat(patience.getLast()).isZero();
    }

    @Test
    void elementsOfCutStreams_areSummedUpByStage_beforeOtherWork() {
        ending.leftUndone("a consumer");
        ending.cutOff("split", 1, "merge");
        ending.cutOff("group", 2, "unfold");
        ending.cutOff("group", 3, "tick");
        ending.cutOff("group", 4, "unfold");
        assertThat(ending.leftUndone())
                .containsExactly(
                        "group: 9 elements are left unfinished, as the stop cut off what was made of them, at tick"
                                + " and unfold",
                        "split: 1 element is left unfinished, as the stop cut off what was made of it, at merge",
                        "a consumer");
    }

    @Test
    void failure_isTheFirstOne_withTheOthersAsSuppressed() {
        IllegalStateException first = new IllegalStateException("first");
        IllegalStateException second = new IllegalStateException("second");
        assertThat(ending.cause()).isNull();
        ending.fail(first);
        ending.fail(first);
        ending.fail(second);
        ending.fail(new InterruptedException());
        ending.fail(new CompletionException(new InterruptedException()));
        assertThat(ending.cause()).isSameAs(first);
        assertThat(first.getSuppressed()).containsExactly(second);
    }

    @Test
    void failure_afterACancellation_isNotAdded() {
        CancellationException cancelled = new CancellationException();
        ending.fail(cancelled);
        ending.fail(new IllegalStateException("of a stage that was interrupted"));
        assertThat(ending.cause()).isSameAs(cancelled);
        assertThat(cancelled.getSuppressed()).isEmpty();
    }
}
