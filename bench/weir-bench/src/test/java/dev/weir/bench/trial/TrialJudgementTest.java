package dev.weir.bench.trial;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.explore.Attempt;
import dev.weir.bench.explore.Kind;
import dev.weir.bench.explore.Outcome;
import dev.weir.bench.explore.Outcome.Result;
import dev.weir.bench.workload.ExploreSettings;
import dev.weir.bench.workload.Handlers;
import dev.weir.bench.workload.LatencyTarget;
import dev.weir.bench.workload.LockWindow;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.HandlerTime;
import dev.weir.driver.Report;
import dev.weir.driver.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Judges reports of a known load: 200 records per second for 30 seconds, with one report per second. */
class TrialJudgementTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long BEGIN = Long.MAX_VALUE - 15 * SECOND; // nanoTime overflows during the trial
    private static final int SECONDS = 30;
    private static final int RATE = 200;
    private static final long END = BEGIN + SECONDS * SECOND;

    private final WorkloadPoint point = Workload.parse("w", """
                    name: w
                    scenario: work
                    drivers: [plain]
                    topic.partitions: 2
                    options: {concurrency: 2, work.millis: 5, ordering: none}
                    """, false).points().get(0);
    private final Histogram onTime = histogram(RATE * SECONDS, 0);
    private String target = "p99<=100ms";

    private static Histogram histogram(long count, long millis) {
        Histogram histogram = new Histogram(3);
        if (count > 0) {
            histogram.recordValueWithCount(TimeUnit.MILLISECONDS.toNanos(millis), count);
        }
        return histogram;
    }

    private ExploreSettings settings() {
        return ExploreSettings.of(point, LatencyTarget.of(target));
    }

    /**
     * Returns the judgement of a trial with these records and this lateness per second. The second partition is three
     * times as late.
     */
    private TrialJudgement trial(Kind kind, LongUnaryOperator records, LongUnaryOperator lateMillis) {
        TrialJudgement trial = new TrialJudgement(
                new Attempt(kind, RATE),
                settings(),
                point,
                Handlers.ofGroup(point, settings().members()),
                BEGIN,
                SECONDS);
        for (int second = 0; second < SECONDS; second++) {
            long count = records.applyAsLong(second);
            long late = lateMillis.applyAsLong(second);
            trial.add(0, BEGIN + second * SECOND, BEGIN + (second + 1) * SECOND, interval(count), timings(count, late));
        }
        return trial;
    }

    private static Report.Interval interval(long count) {
        return new Report.Interval(
                0,
                count,
                count * 100,
                new Usage(SECOND / 2, 0, 0, 0, -1, -1, 0, 0, 0),
                new HandlerTime(count, count * 5_000_000),
                List.of(),
                false);
    }

    private static List<Histogram> timings(long count, long lateMillis) {
        return List.of(histogram(count / 2, lateMillis), histogram(count - count / 2, 3 * lateMillis));
    }

    private Outcome outcome(Kind kind, LongUnaryOperator records, LongUnaryOperator lateMillis) {
        return trial(kind, records, lateMillis).outcome(false, END, RATE * SECONDS, onTime);
    }

    @Test
    void hold_withinTheTarget_passes() {
        assertThat(outcome(Kind.HOLD, second -> RATE, second -> 20).result()).isEqualTo(Result.PASSED);
    }

    @Test
    void hold_beyondTheTarget_fails_withTheFigure() {
        Outcome outcome = outcome(Kind.HOLD, second -> RATE, second -> 40);
        assertThat(outcome.result()).isEqualTo(Result.FAILED);
        assertThat(outcome.why()).startsWith("p99 was 1");
    }

    @Test
    void worstPartition_isJudgedByItself() {
        target = "p40<=50ms";
        assertThat(outcome(Kind.HOLD, second -> RATE, second -> 40).result()).isEqualTo(Result.PASSED);
        target = "worst p40<=50ms";
        assertThat(outcome(Kind.HOLD, second -> RATE, second -> 40).why()).startsWith("the worst partition's p40");
    }

    /** A twelfth of the records exceed the limit, all of them in the last third of the {@code HOLD} trial. */
    @Test
    void hold_thatMissesTheTargetAtItsEnd_fails() {
        target = "p80<=100ms";
        assertThat(outcome(Kind.HOLD, second -> RATE, second -> second < 25 ? 10 : 90)
                        .result())
                .isEqualTo(Result.FAILED);
    }

    @Test
    void hold_thatFallsBehind_fails_thoughTheTargetIsMet() {
        target = "p99<=10s";
        Outcome outcome = outcome(Kind.HOLD, second -> RATE, second -> 30 * second);
        assertThat(outcome.result()).isEqualTo(Result.FAILED);
        assertThat(outcome.why()).startsWith("members fell behind by ");
        assertThat(outcome(Kind.HOLD, second -> RATE, second -> 300).result()).isEqualTo(Result.PASSED);
    }

    /** Records that never arrive have no latency. */
    @Test
    void stallAtTheEnd_fails() {
        Outcome outcome = outcome(Kind.STEP, second -> second < 27 ? RATE : 0, second -> 5);
        assertThat(outcome.result()).isEqualTo(Result.FAILED);
        assertThat(outcome.why()).contains("of 200 records a second arrived");
        assertThat(outcome(Kind.STEP, second -> 0, second -> 0).result()).isEqualTo(Result.FAILED);
    }

    /**
     * Regression: an interval counted whole or not at all, by its midpoint. The last third of this trial is 1.7 s long
     * and may contain the midpoints of only three half-second intervals, so a tenth of the records seemed to be
     * missing.
     */
    @Test
    void intervalsThatOverlapTheEndsOfAWindow_countInPart() {
        for (int phaseMillis = 0; phaseMillis < 500; phaseMillis += 50) {
            TrialJudgement trial = new TrialJudgement(new Attempt(Kind.STEP, RATE), settings(), point, 2, BEGIN, 5.1);
            long phase = TimeUnit.MILLISECONDS.toNanos(phaseMillis) - SECOND;
            for (int half = 0; half < 14; half++) {
                long start = BEGIN + phase + half * SECOND / 2;
                trial.add(0, start, start + SECOND / 2, interval(RATE / 2), timings(RATE / 2, 5));
            }
            assertThat(trial.outcome(false, BEGIN + 6 * SECOND, 5 * RATE, onTime)
                            .result())
                    .as("phase of %d ms", phaseMillis)
                    .isEqualTo(Result.PASSED);
        }
    }

    @Test
    void perturbed_isRecovered_onceTheTargetIsMetAgain() {
        Outcome outcome = outcome(Kind.PAUSE, second -> RATE, second -> second < 8 ? 5_000 : 5);
        assertThat(outcome.result()).isEqualTo(Result.PASSED);
        assertThat(outcome.recoveryMillis()).isEqualTo(8_000);
        assertThat(outcome.projected()).isFalse();
    }

    /** The lateness shrinks by 900 ms every ten seconds. */
    @Test
    void perturbed_thatCatchesUp_isRecovering() {
        Outcome outcome = outcome(Kind.PAUSE, second -> RATE, second -> 9_000 - 90 * second);
        assertThat(outcome.result()).isEqualTo(Result.PASSED);
        assertThat(outcome.projected()).isTrue();
        assertThat(outcome.recoveryMillis()).isBetween(105_000.0, 115_000.0);
    }

    @Test
    void perturbed_thatDoesNotCatchUp_hasNotRecovered() {
        for (int perSecond : new int[] {0, 1, -50, -400}) {
            Outcome outcome = outcome(Kind.RESTART, second -> RATE / 2, second -> 15_000 - perSecond * second);
            assertThat(outcome.result()).as("%s", outcome).isEqualTo(Result.FAILED);
            assertThat(outcome.recoveryMillis()).isNaN();
        }
        assertThat(outcome(Kind.RESTART, second -> 0, second -> 0).result()).isEqualTo(Result.FAILED);
    }

    @Test
    void lateGenerator_isNoFailureOfTheSystem_norAnExcuseForAPass() {
        Histogram late = histogram(RATE * SECONDS, 0);
        late.recordValueWithCount(TimeUnit.MILLISECONDS.toNanos(50), RATE * SECONDS / 50);
        TrialJudgement failed = trial(Kind.STEP, second -> RATE, second -> 400);
        assertThat(failed.outcome(false, END, RATE * SECONDS, onTime).result()).isEqualTo(Result.FAILED);
        assertThat(failed.outcome(false, END, RATE * SECONDS, late).result()).isEqualTo(Result.GENERATOR_BOUND);
        assertThat(failed.outcome(true, END, RATE * SECONDS, late).result()).isEqualTo(Result.GENERATOR_BOUND);
        assertThat(trial(Kind.STEP, second -> RATE, second -> 5)
                        .outcome(false, END, RATE * SECONDS, late)
                        .result())
                .isEqualTo(Result.PASSED);
    }

    /** Dead members report no late records. The other members' reports look as if the group caught up. */
    @Test
    void perturbed_whoseMembersAreDead_doesNotCatchUp() {
        Outcome outcome = outcome(Kind.RESTART, second -> RATE * 9 / 10, second -> 9_000 - 90 * second);
        assertThat(outcome.result()).isEqualTo(Result.FAILED);
    }

    @Test
    void silentPartition_isAFailure_thoughTheOthersBringEnough() {
        for (Kind kind : List.of(Kind.STEP, Kind.PAUSE)) {
            TrialJudgement trial = new TrialJudgement(
                    new Attempt(kind, RATE),
                    settings(),
                    point,
                    Handlers.ofGroup(point, settings().members()),
                    BEGIN,
                    SECONDS);
            for (int second = 0; second < SECONDS; second++) {
                trial.add(
                        0,
                        BEGIN + second * SECOND,
                        BEGIN + (second + 1) * SECOND,
                        new Report.Interval(
                                0,
                                RATE,
                                RATE,
                                new Usage(0, 0, 0, 0, -1, -1, 0, 0, 0),
                                HandlerTime.NONE,
                                List.of(),
                                false),
                        List.of(histogram(RATE, 50 - second), histogram(0, 0)));
            }
            Outcome outcome = trial.outcome(false, END, RATE * SECONDS, onTime);
            assertThat(outcome.result()).isEqualTo(Result.FAILED);
            assertThat(outcome.why()).startsWith("no record of partition 1 arrived");
        }
    }

    @Test
    void generatorThatSendsLittle_isNoFailureOfTheSystem() {
        TrialJudgement failed = trial(Kind.STEP, second -> RATE / 2, second -> 5);
        assertThat(failed.outcome(false, END, RATE * SECONDS / 2, onTime).result())
                .isEqualTo(Result.GENERATOR_BOUND);
        assertThat(failed.outcome(false, END, RATE * SECONDS, onTime).result()).isEqualTo(Result.FAILED);
        assertThat(failed.outcome(true, BEGIN + SECOND / 4, 0, onTime).result()).isEqualTo(Result.FAILED);
    }

    /** The group catches up while the generator sends late. This must not count as a recovery. */
    @Test
    void lateGenerator_isNoRecovery() {
        Histogram late = histogram(RATE * SECONDS, 50);
        TrialJudgement catchesUp = trial(Kind.PAUSE, second -> RATE, second -> 9_000 - 90 * second);
        assertThat(catchesUp.outcome(false, END, RATE * SECONDS, late).result()).isEqualTo(Result.GENERATOR_BOUND);
    }

    @Test
    void figures_areOfWhatWasJudged() {
        TrialJudgement trial = trial(Kind.HOLD, second -> RATE, second -> 20);
        TrialResult result = trial.result(
                trial.outcome(false, END, RATE * SECONDS, onTime),
                BEGIN + SECONDS * SECOND,
                15 * SECOND,
                Map.of("host: busy %", 80.0, LockWindow.HELD, 1_900.0));
        assertThat(result.figures().driverCores()).isEqualTo(0.5);
        assertThat(result.figures().brokerCores()).isEqualTo(0.5);
        assertThat(result.figures().hostBusyShare()).isEqualTo(0.8);
        assertThat(result.figures().handlerMillis()).isEqualTo(5);
        assertThat(result.figures().locksHeldShare()).isEqualTo(0.95);
        assertThat(result.measured().totals().metrics()).containsEntry(LockWindow.HELD_PERCENT, 95.0);
        assertThat(result.figures().handlersBusyShare()).isEqualTo(RATE * 0.005 / 4);
        assertThat(result.measured().totals().records()).isEqualTo(RATE * SECONDS);
        assertThat(new ArrayList<>(result.measured().latencies())).hasSize(4);
    }

    @Test
    void reports_ofOtherTimes_areLeftOut() {
        TrialJudgement trial = trial(Kind.HOLD, second -> RATE, second -> 20);
        Report.Interval late = new Report.Interval(
                0, 1_000_000, 1, new Usage(0, 0, 0, 0, -1, -1, 0, 0, 0), HandlerTime.NONE, List.of(), false);
        List<Histogram> timings = List.of(histogram(1_000_000, 9_000), histogram(0, 0));
        trial.add(0, BEGIN - SECOND, BEGIN, late, timings);
        trial.add(0, trial.toNanos(), trial.toNanos() + SECOND, late, timings);
        assertThat(trial.outcome(false, END, RATE * SECONDS, onTime).result()).isEqualTo(Result.PASSED);
        assertThat(trial.contains(BEGIN - SECOND, BEGIN)).isFalse();
        assertThat(trial.contains(BEGIN, BEGIN + SECOND)).isTrue();
    }
}
