package dev.weir.console.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.console.tune.TuneStep.Verdict;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.stream.Attributes;
import dev.weir.stream.Backoff;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.Supervision;
import dev.weir.stream.control.StageControl;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the tuner on pipelines unknown to it. All tests but the last use a simulated clock. */
@Timeout(60)
class TunerTest {

    private static Limiter wait(String stage, double gain) {
        return Limiter.of(Kind.STAGE_WAIT, stage, "it waits", "more workers", gain);
    }

    private static TuneReport tune(ModelPipeline model) throws InterruptedException {
        return Tuner.builder().build().run(model, step -> {});
    }

    @Test
    void waitingStage_getsWorkersUntilTheNextLimit() throws Exception {
        ModelPipeline model = new ModelPipeline()
                .stage("fetch", 4, 512, null)
                .stage("store", 4, 512, null)
                .rate(of -> Math.min(of.workers("fetch") * 50.0, 2_000.0))
                .limiter(of -> wait("fetch", 2));

        TuneReport report = tune(model);

        assertThat(report.end()).isEqualTo(TuneReport.End.DONE);
        // 40 workers reach 2,000/s. The tuner steps past that number, then halfway back.
        assertThat(model.workers("fetch")).isBetween(40L, 60L);
        assertThat(model.workers("store")).isEqualTo(4);
        assertThat(report.settings()).containsOnlyKeys("stage.fetch.parallelism");
        assertThat(report.totalGain()).isBetween(9.5, 10.5);
        assertThat(report.steps().getFirst().verdict()).isEqualTo(Verdict.FIRST);
        assertThat(report.steps().get(1).expectedGain()).isEqualTo(2);
        assertThat(report.steps().get(1).measuredGain()).isBetween(1.9, 2.1);
        assertThat(report.lasting()).anyMatch(line -> line.contains("workers in the stage \"fetch\""));
    }

    @Test
    void wrongLimiter_costsStepsButNotTheResult() throws Exception {
        ModelPipeline model = new ModelPipeline()
                .stage("fetch", 4, 512, null)
                .stage("parse", 4, 512, null)
                .stage("store", 4, 512, null)
                .rate(of -> Math.min(of.workers("fetch") * 50.0, 2_000.0))
                .limiter(of -> wait("store", 8));

        TuneReport report = tune(model);

        assertThat(model.workers("fetch")).isGreaterThanOrEqualTo(40);
        assertThat(model.workers("store")).isEqualTo(4);
        assertThat(model.workers("parse")).isEqualTo(4);
        assertThat(report.steps()).anyMatch(TuneStep::isTakenBack);
    }

    @Test
    void controlThatBringsNothing_isTakenBack() throws Exception {
        ModelPipeline model = new ModelPipeline()
                .stage("fetch", 4, 512, null)
                .control("source.maxOutstandingRecords", 1_000, 1, 8_000)
                .control("source.bufferBytes", 1 << 20, 1 << 20, 1 << 23);

        TuneReport report = tune(model);

        assertThat(report.settings()).isEmpty();
        assertThat(report.lasting()).isEmpty();
        assertThat(model.workers("fetch")).isEqualTo(4);
        assertThat(model.value("source.maxOutstandingRecords")).isEqualTo(1_000);
        assertThat(report.steps().stream().skip(1))
                .isNotEmpty()
                .allSatisfy(step -> assertThat(step.verdict()).isEqualTo(Verdict.EQUAL));
        assertThat(report.totalGain()).isEqualTo(1);
    }

    @Test
    void twoStagesEquallyFull_areRaisedTogether() throws Exception {
        ModelPipeline model = new ModelPipeline()
                .stage("customer", 4, 512, null)
                .stage("consent", 4, 512, null)
                .rate(of -> Math.min(Math.min(of.workers("customer"), of.workers("consent")) * 50.0, 800.0))
                .limiter(of -> wait("customer", 1.5));

        TuneReport report = tune(model);

        assertThat(model.workers("customer")).isGreaterThanOrEqualTo(16);
        assertThat(model.workers("consent")).isGreaterThanOrEqualTo(16);
        assertThat(report.totalGain()).isBetween(3.8, 4.2);
    }

    @Test
    void stageBoundByItsDispatcher_takesThatAlong() throws Exception {
        ModelPipeline model = new ModelPipeline()
                .control("dispatcher.jdbc.size", 5, 2, 1_024)
                .stage("store", 4, 512, "jdbc")
                .rate(of -> Math.min(of.workers("store") * 50.0, 1_600.0));

        TuneReport report = tune(model);

        assertThat(model.workers("store")).isBetween(32L, 48L);
        // The stage needs all threads but one, which runs the other stages.
        assertThat(model.value("dispatcher.jdbc.size")).isGreaterThan(model.workers("store"));
        assertThat(report.lasting()).anyMatch(line -> line.contains("properties: dispatcher.jdbc.size="));
    }

    @Test
    void failures_stopAStepAndKeepItFromBeingTriedHigher() throws Exception {
        ModelPipeline model = new ModelPipeline()
                .stage("fetch", 8, 512, null)
                .rate(of -> of.workers("fetch") * 50.0)
                // The service refuses more than 20 simultaneous calls.
                .failures(of -> of.workers("fetch") > 20 ? 100.0 : 0.0);

        TuneReport report = tune(model);

        assertThat(model.workers("fetch")).isBetween(16L, 20L);
        assertThat(report.end()).isEqualTo(TuneReport.End.DONE);
        assertThat(report.steps())
                .filteredOn(step -> step.verdict() == Verdict.GUARDED)
                .isNotEmpty()
                .allSatisfy(step -> assertThat(step.reason()).contains("records or calls failed"));
    }

    /**
     * The service handles 16 calls at a time and lets others wait. From 100 on, it refuses calls, which ends the
     * pipeline.
     */
    @ParameterizedTest
    @CsvSource({"4, 1", "4, 16", "8, 16", "12, 4", "24, 16"})
    void serviceThatIsFull_isNoticedBeforeItRefuses(int workers, double promised) throws Exception {
        ModelPipeline model = new ModelPipeline();
        model.stage("fetch", workers, 512, null)
                .rate(of -> Math.min(of.workers("fetch"), 16) * 50.0)
                .call(of -> Duration.ofMillis(Math.max(20, 20 * of.workers("fetch") / 16)))
                .limiter(of -> {
                    if (of.workers("fetch") > 100) {
                        of.end();
                    }
                    return wait("fetch", promised);
                });

        TuneReport report = tune(model);

        assertThat(report.end()).isEqualTo(TuneReport.End.DONE);
        assertThat(model.workers("fetch")).isBetween(16L, 24L);
    }

    /** Each worker slows all calls down, although the rate still rises a little. */
    @Test
    void callsThatBecomeSlow_stopAStep_andHaveTheirStageNamed() throws Exception {
        ModelPipeline model = new ModelPipeline()
                .stage("fetch", 8, 512, null)
                .rate(of -> 400 * Math.pow(of.workers("fetch") / 8.0, 0.4))
                .call(of -> Duration.ofNanos((long) (20e6 * Math.pow(of.workers("fetch") / 8.0, 0.6))));

        TuneReport report = tune(model);

        assertThat(model.workers("fetch")).isBetween(16L, 25L);
        assertThat(report.steps())
                .filteredOn(step -> step.verdict() == Verdict.GUARDED)
                .isNotEmpty()
                .allSatisfy(step -> assertThat(step.reason()).contains("ms in fetch, over 40.0 ms"));
    }

    /** From the twentieth second on, calls are slow with any setting, because other work keeps the machine busy. */
    @Test
    void callsThatBecomeSlowWithoutAChange_areNoReasonToStop() throws Exception {
        ModelPipeline model = new ModelPipeline()
                .stage("fetch", 4, 512, null)
                .stage("store", 4, 512, null)
                .rate(of -> Math.min(of.workers("fetch") * 50.0, 1_600.0) / (of.seconds() > 20 ? 3 : 1))
                .call(of -> Duration.ofMillis(of.seconds() > 20 ? 60 : 20));

        TuneReport report = tune(model);

        assertThat(model.workers("fetch")).isGreaterThanOrEqualTo(16);
        assertThat(report.end()).isEqualTo(TuneReport.End.DONE);
    }

    @Test
    void pipelineThatEndsDuringATrial_hasTheStepNamed() throws Exception {
        ModelPipeline model = new ModelPipeline().stage("fetch", 8, 512, null);
        model.rate(of -> {
            if (of.workers("fetch") > 20) {
                of.end();
            }
            return of.workers("fetch") * 50.0;
        });

        TuneReport report = tune(model);

        assertThat(report.end()).isEqualTo(TuneReport.End.PIPELINE_ENDED);
        assertThat(report.reason()).contains("stage.fetch.parallelism 16 -> 32");
        assertThat(report.settings()).containsEntry("stage.fetch.parallelism", 16L);
    }

    /** The limiter promises sixteen times the rate, but twice the workers can at most double it. */
    @Test
    void expectedGain_isThatOfTheStep() throws Exception {
        ModelPipeline model = new ModelPipeline()
                .stage("fetch", 8, 512, null)
                .rate(of -> Math.min(of.workers("fetch"), 64) * 50.0)
                .limiter(of -> wait("fetch", 16));

        assertThat(tune(model).steps().stream().skip(1))
                .allSatisfy(step -> assertThat(step.expectedGain()).isBetween(1.0, 2.0));
    }

    /** Once the queue is empty, the store's workers get only what the parser emits. */
    @ParameterizedTest
    @CsvSource({"400, 1", "3000, 1", "3000, 4", "100000, 2", "1000000, 2"})
    void queueThatIsWorkedOff_isNoGain(double queued, int window) throws Exception {
        ModelPipeline model = new ModelPipeline().stage("store", 8, 512, null);
        model.rate(of -> of.queued() > 1 ? of.workers("store") * 50.0 : Math.min(of.workers("store") * 50.0, 400))
                .queued(queued, of -> 400.0);

        TuneReport report =
                Tuner.builder().window(Duration.ofSeconds(window)).build().run(model, step -> {});

        assertThat(report.steps())
                .allSatisfy(step -> assertThat(step.measuredGain()).isLessThan(1.2));
        assertThat(model.workers("store")).isEqualTo(8);
    }

    /** Two of three records are dropped before the store. They must not look like a queue. */
    @Test
    void stageThatGetsFewerElements_isTunedAsAnyOther() throws Exception {
        ModelPipeline model = new ModelPipeline().stage("store", 4, 512, null);
        model.rate(of -> Math.min(of.workers("store") * 50.0, 1_600.0))
                .queued(10, of -> 3 * Math.min(of.workers("store") * 50.0, 1_600.0));

        assertThat(tune(model).totalGain()).isBetween(7.5, 8.5);
    }

    @Test
    void failuresOfBefore_areNoReasonToStop() throws Exception {
        ModelPipeline model = new ModelPipeline()
                .stage("fetch", 8, 512, null)
                .rate(of -> Math.min(of.workers("fetch") * 50.0, 1_600.0))
                // One call in ten fails, whatever the rate.
                .failures(of -> Math.min(of.workers("fetch") * 5.0, 160.0));

        assertThat(tune(model).steps()).noneMatch(step -> step.verdict() == Verdict.GUARDED);
        assertThat(model.workers("fetch")).isBetween(32L, 48L);
    }

    @Test
    void oldRecords_stopAStep() throws Exception {
        ModelPipeline model = new ModelPipeline()
                .control("source.maxOutstandingRecords", 100, 1, 800)
                .rate(of -> of.value("source.maxOutstandingRecords") * 10.0)
                .oldest(of -> Duration.ofMillis(of.value("source.maxOutstandingRecords")));

        TuneReport report =
                Tuner.builder().maxLatency(Duration.ofMillis(250)).build().run(model, step -> {});

        assertThat(model.value("source.maxOutstandingRecords")).isBetween(200L, 250L);
        assertThat(report.steps()).anyMatch(step -> step.reason().contains("over 250 ms"));
    }

    @Test
    void failuresThatStayAfterTheStepBack_endIt() throws Exception {
        boolean[] broken = new boolean[1];
        ModelPipeline model = new ModelPipeline()
                .stage("fetch", 8, 512, null)
                .rate(of -> 400.0)
                .failures(of -> {
                    broken[0] |= of.workers("fetch") > 8;
                    return broken[0] ? 100.0 : 0.0;
                });

        TuneReport report = tune(model);

        assertThat(report.end()).isEqualTo(TuneReport.End.GUARD);
        assertThat(model.workers("fetch")).isEqualTo(8);
    }

    @Test
    void stageThatGetsSlowerWithMore_isTriedWithFewer() throws Exception {
        ModelPipeline model =
                new ModelPipeline().stage("lock", 64, 512, null).rate(of -> 64_000.0 / of.workers("lock"));

        assertThat(tune(model).totalGain()).isGreaterThan(7);
        assertThat(model.workers("lock")).isLessThanOrEqualTo(8);
    }

    @Test
    void stageWithOneWorker_isLeftAloneUnlessAskedFor() throws Exception {
        ModelPipeline model = new ModelPipeline()
                .stage("in order", 1, 512, null)
                .rate(of -> Math.min(of.workers("in order") * 50.0, 400.0));

        TuneReport report = tune(model);
        assertThat(report.leftAlone()).containsExactly("in order");
        assertThat(model.workers("in order")).isEqualTo(1);

        assertThat(Tuner.builder()
                        .raise("in order")
                        .build()
                        .run(model, step -> {})
                        .leftAlone())
                .isEmpty();
        assertThat(model.workers("in order")).isBetween(8L, 12L);
    }

    @Test
    void pipelineThatKeepsUp_isLeftAsItIs() throws Exception {
        ModelPipeline model = new ModelPipeline()
                .stage("fetch", 4, 512, null)
                .limiter(of -> Limiter.of(Kind.ARRIVAL, "arrival", "it keeps up", "nothing", 1));

        assertThat(tune(model.backlog(10)).end()).isEqualTo(TuneReport.End.KEEPS_UP);
        assertThat(model.changes).isEmpty();
        // The limiter says that the pipeline keeps up. The backlog contradicts it.
        assertThat(tune(model.backlog(100_000)).end()).isEqualTo(TuneReport.End.DONE);
        assertThat(model.changes).isNotEmpty();
    }

    @Test
    void pipelineInWhichNothingMoves_isLeftAsItIs() throws Exception {
        ModelPipeline model = new ModelPipeline().stage("fetch", 4, 512, null).rate(of -> 0.0);

        assertThat(tune(model).end()).isEqualTo(TuneReport.End.IDLE);
        assertThat(model.changes).isEmpty();
    }

    @Test
    void pipelineThatEndsDuringATrial_getsItsSettingBack() throws Exception {
        ModelPipeline model = new ModelPipeline()
                .stage("fetch", 4, 512, null)
                .stage("store", 4, 512, null)
                .endAtRead(200);

        TuneReport report = tune(model);

        assertThat(report.end()).isEqualTo(TuneReport.End.PIPELINE_ENDED);
        assertThat(model.changes).isNotEmpty();
        assertThat(model.workers("fetch")).isEqualTo(4);
        assertThat(model.workers("store")).isEqualTo(4);
    }

    @Test
    void stop_duringATrial_restoresTheLastSettingThatWasAccepted() throws Exception {
        Tuner tuner = Tuner.builder().build();
        ModelPipeline model = new ModelPipeline().stage("fetch", 4, 512, null).rate(of -> {
            if (of.workers("fetch") > 8) {
                tuner.stop();
            }
            return of.workers("fetch") * 50.0;
        });

        TuneReport report = tuner.run(model, step -> {});

        assertThat(report.end()).isEqualTo(TuneReport.End.STOPPED);
        assertThat(model.workers("fetch")).isEqualTo(8);
        assertThat(report.settings()).containsEntry("stage.fetch.parallelism", 8L);
    }

    /** Regression: a stop ended every later run of the same tuner as well. */
    @Test
    void stop_endsOneRun_alsoIfItComesBeforeThatRun() throws Exception {
        Tuner tuner = Tuner.builder().build();
        ModelPipeline model = new ModelPipeline().stage("fetch", 4, 512, null);

        tuner.stop();
        TuneReport stopped = tuner.run(model, step -> {});
        TuneReport after = tuner.run(model, step -> {});

        assertThat(stopped.end()).isEqualTo(TuneReport.End.STOPPED);
        assertThat(after.end()).isEqualTo(TuneReport.End.DONE);
    }

    static List<Arguments> standstills() {
        return IntStream.rangeClosed(5, 90)
                .boxed()
                .flatMap(begin -> IntStream.of(20, 30, 40).mapToObj(length -> Arguments.of(begin, length)))
                .toList();
    }

    /** The standstill may happen at any time, even while the previous setting is measured again. */
    @ParameterizedTest
    @MethodSource("standstills")
    void standstill_isNoGain(int begin, int length) throws Exception {
        ModelPipeline model = new ModelPipeline()
                .stage("fetch", 4, 512, null)
                .stage("store", 4, 512, null)
                .control("source.maxOutstandingRecords", 1_000, 1, 8_000)
                .rate(of -> of.seconds() >= begin && of.seconds() < begin + length ? 0.0 : 1_000.0);

        TuneReport report = tune(model);

        assertThat(report.steps())
                .allSatisfy(step -> assertThat(step.measuredGain()).isFinite())
                .noneMatch(step -> step.verdict() == Verdict.FASTER);
        assertThat(report.settings()).as("%s", report).isEmpty();
        assertThat(report.end()).isEqualTo(TuneReport.End.DONE);
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 9, 14, 24, 44})
    void pipelineThatStopsForGood_endsTheSearch_andHasItsSettingBack(int begin) throws Exception {
        ModelPipeline model = new ModelPipeline()
                .stage("fetch", 4, 512, null)
                .stage("store", 4, 512, null)
                .rate(of -> of.seconds() >= begin ? 0.0 : 1_000.0);

        TuneReport report = tune(model);

        assertThat(report.end()).isEqualTo(TuneReport.End.IDLE);
        assertThat(report.reason()).contains("nothing moved for 4");
        assertThat(report.settings()).isEmpty();
        assertThat(model.workers("fetch")).isEqualTo(4);
        assertThat(model.workers("store")).isEqualTo(4);
    }

    @Test
    void stepWithWhichNothingMoves_isTakenBack_andTheSearchGoesOn() throws Exception {
        ModelPipeline model = new ModelPipeline()
                .stage("fetch", 4, 512, null)
                .stage("store", 4, 512, null)
                .rate(of -> of.workers("store") > 4 ? 0.0 : Math.min(of.workers("fetch") * 50.0, 800.0))
                .limiter(of -> wait("store", 2));

        TuneReport report = tune(model);

        assertThat(report.end()).isEqualTo(TuneReport.End.DONE);
        assertThat(model.workers("store")).isEqualTo(4);
        assertThat(model.workers("fetch")).isGreaterThanOrEqualTo(16);
        assertThat(report.steps().get(1).reason()).contains("nothing moved");
    }

    @Test
    void pipelineOfOneElementInAWindow_hasARate() throws Exception {
        ModelPipeline model = new ModelPipeline().stage("fetch", 1, 512, null).rate(of -> 0.06);

        assertThat(tune(model).steps().getFirst().perSecond()).isBetween(0.03, 0.2);
    }

    /**
     * Cases: a slower step is reverted, settings before and after a step are measured alternately, or the guard stops a
     * step.
     */
    @ParameterizedTest
    @ValueSource(strings = {"slower", "equal", "guarded"})
    void refusedTakeBack_endsTheSearch_andIsNamed(String kind) throws Exception {
        ModelPipeline model = new ModelPipeline()
                .control("dispatcher.jdbc.size", 5, 2, 1_024)
                .stage("store", 4, 512, "jdbc")
                .rate(of -> kind.equals("slower") ? 4_000.0 / of.workers("store") : 1_000.0)
                .failures(of -> kind.equals("guarded") && of.workers("store") > 4 ? 100.0 : 0.0)
                .refuse((key, value) -> key.equals("stage.store.parallelism") && value == 4);

        TuneReport report = tune(model);

        assertThat(report.end()).isEqualTo(TuneReport.End.NOT_TAKEN_BACK);
        assertThat(report.reason()).contains("stage.store.parallelism=4", "out of bounds");
        assertThat(report.steps()).hasSize(2);
        assertThat(report.steps().getLast().verdict()).isEqualTo(Verdict.STUCK);
        assertThat(report.steps().getLast().isTakenBack()).isFalse();
        assertThat(report.settings()).containsEntry("stage.store.parallelism", model.workers("store"));
        assertThat(model.workers("store")).isEqualTo(8);
    }

    @Test
    void refusedTakeBack_afterAStop_isNamed() throws Exception {
        Tuner tuner = Tuner.builder().build();
        ModelPipeline model = new ModelPipeline()
                .stage("fetch", 4, 512, null)
                .rate(of -> {
                    if (of.workers("fetch") > 4) {
                        tuner.stop();
                    }
                    return 1_000.0;
                })
                .refuse((key, value) -> value == 4);

        TuneReport report = tuner.run(model, step -> {});

        assertThat(report.end()).isEqualTo(TuneReport.End.NOT_TAKEN_BACK);
        assertThat(report.reason()).contains("stage.fetch.parallelism=4", "stopped");
        assertThat(report.settings()).containsEntry("stage.fetch.parallelism", 8L);
    }

    /** After each change, records are old for a moment, as in a rebalance or a garbage collection. */
    @ParameterizedTest
    @ValueSource(longs = {100, 2_000, 10_000})
    void oldRecords_forLessThanTwoSeconds_areNoReasonToStop(long windowMillis) throws Exception {
        ModelPipeline model = new ModelPipeline()
                .stage("fetch", 4, 512, null)
                .rate(of -> Math.min(of.workers("fetch") * 50.0, 800.0))
                .oldest(of -> Duration.ofSeconds(of.sinceChange() < 1.8 && of.seconds() > 30 ? 20 : 0));

        TuneReport report =
                Tuner.builder().window(Duration.ofMillis(windowMillis)).build().run(model, step -> {});

        assertThat(report.steps()).noneMatch(step -> step.verdict() == Verdict.GUARDED);
        assertThat(model.workers("fetch")).isGreaterThanOrEqualTo(16);
    }

    /** Calls fail only after their timeout, and records become old only after a wait. */
    @ParameterizedTest
    @CsvSource({"100, true", "500, true", "2000, true", "100, false", "500, false", "2000, false"})
    void troubleThatBeginsAfterASecond_isSeenWithAnyWindow(long windowMillis, boolean fails) throws Exception {
        ModelPipeline model = new ModelPipeline()
                .stage("fetch", 8, 512, null)
                .rate(of -> of.workers("fetch") * 50.0)
                .failures(of -> fails && of.workers("fetch") > 20 && of.sinceChange() > 1 ? 100.0 : 0.0)
                .oldest(of -> Duration.ofSeconds(!fails && of.workers("fetch") > 20 && of.sinceChange() > 1 ? 20 : 0));

        TuneReport report =
                Tuner.builder().window(Duration.ofMillis(windowMillis)).build().run(model, step -> {});

        assertThat(model.workers("fetch")).isBetween(16L, 20L);
        assertThat(report.steps()).anyMatch(step -> step.verdict() == Verdict.GUARDED);
    }

    /** Regression: the tuner gave up before its first step, while windows were filling up. */
    @ParameterizedTest
    @CsvSource({"1500, 50, 2000", "6000, 50, 2000", "30000, 50, 2000", "3000, 5, 2000", "3000, 5, 1000", "600, 2, 500"})
    void recordsThatGrowOlderWhileWindowsFill_areNoReasonToStop(int outstanding, double ofOne, long windowMillis)
            throws Exception {
        ModelPipeline model = new ModelPipeline().stage("fetch", 4, 256, null);
        ToDoubleFunction<ModelPipeline> perSecond = now -> Math.min(now.workers("fetch"), 32) * ofOne;
        model.rate(perSecond::applyAsDouble)
                .oldest(now -> Duration.ofMillis(
                        (long) (1_000 * Math.min(now.seconds(), outstanding / perSecond.applyAsDouble(now)))));

        TuneReport report =
                Tuner.builder().window(Duration.ofMillis(windowMillis)).build().run(model, step -> {});

        assertThat(report.end()).as("%s", report).isEqualTo(TuneReport.End.DONE);
        assertThat(model.workers("fetch")).isGreaterThanOrEqualTo(32);
    }

    @Test
    void alternative_isTriedFirstWhereItsStageLimits_andStaysIfItIsFaster() throws Exception {
        Semaphore never = new Semaphore(0);
        AtomicBoolean slow = new AtomicBoolean(true);
        AtomicBoolean useless = new AtomicBoolean();
        try (RunningPipeline running = Source.repeat(1)
                .map(element -> element)
                .named("parse")
                .mapBlocking(1, Ordering.input(), element -> {
                    boolean ignored = never.tryAcquire(slow.get() ? 10 : 2, TimeUnit.MILLISECONDS);
                    return element;
                })
                .named("unpack")
                .to(Sink.ignore())
                .run()) {
            TuneReport report = Tuner.builder()
                    .window(Duration.ofMillis(500))
                    .alternative("parse", useless::set)
                    .alternative("unpack", other -> slow.set(!other))
                    .maxSteps(2)
                    .build()
                    .run(running, step -> {});

            assertThat(report.steps().get(1).settings()).isEqualTo(Map.of("alternative.unpack", 1L));
            assertThat(report.settings()).isEqualTo(Map.of("alternative.unpack", 1L));
            assertThat(report.lasting()).containsExactly("code: the other code of the stage \"unpack\"");
            assertThat(slow).isFalse();
            assertThat(useless).isFalse();
        }
    }

    @Test
    void alternatives_ofAPipelineElsewhere_areRefused() {
        Tuner tuner = Tuner.builder().alternative("parse", other -> {}).build();
        assertThatThrownBy(() -> tuner.run(new ModelPipeline(), step -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("alternatives");
    }

    /** Regression: after an error, the settings of a trial stayed in force. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void failureDuringATrial_takesItBack(boolean isError) {
        ModelPipeline model = new ModelPipeline()
                .stage("store", 4, 1_024, "jdbc")
                .rate(of -> {
                    if (of.workers("store") == 4) {
                        return 100.0;
                    }
                    if (isError) {
                        throw new NoClassDefFoundError("planted");
                    }
                    throw new IllegalStateException("planted");
                });

        assertThatThrownBy(() -> Tuner.builder().build().run(model, step -> {}))
                .isInstanceOf(isError ? NoClassDefFoundError.class : IllegalStateException.class)
                .hasMessage("planted");

        assertThat(model.workers("store")).isEqualTo(4);
    }

    @Test
    void failureDuringATrial_thatCannotBeTakenBack_isNotHiddenByTheSecondFailure() {
        ModelPipeline model = new ModelPipeline()
                .stage("store", 4, 1_024, null)
                .rate(of -> {
                    if (of.workers("store") == 4) {
                        return 100.0;
                    }
                    throw new IllegalStateException("planted in the trial");
                })
                .refuse((key, value) -> {
                    if (value == 4) {
                        throw new IllegalStateException("planted in the step back");
                    }
                    return false;
                });

        assertThatThrownBy(() -> Tuner.builder().build().run(model, step -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("planted in the trial")
                .satisfies(failure -> assertThat(failure.getSuppressed())
                        .singleElement()
                        .satisfies(second -> assertThat(second).hasMessage("planted in the step back")));
    }

    /** A database refuses connections beyond some number, which ends a pipeline without retries. */
    @ParameterizedTest
    @ValueSource(ints = {20, 256})
    void stageThatGainsWithoutEnd_getsNoMoreWorkersThanAllowed(int most) throws Exception {
        ModelPipeline model = new ModelPipeline()
                .control("dispatcher.jdbc.size", 4, 1, 1_024)
                .stage("store", 4, 1_024, "jdbc")
                .rate(of -> 100.0 * of.workers("store"));

        TuneReport report = (most == 256 ? Tuner.builder() : Tuner.builder().maxWorkers(most))
                .build()
                .run(model, step -> {});

        assertThat(model.workers("store")).isEqualTo(most);
        assertThat(report.settings()).containsEntry("dispatcher.jdbc.size", (long) most);
        assertThat(report.end()).isEqualTo(TuneReport.End.DONE);
        assertThat(report.reason()).contains("as many workers as the tuner may give a stage");
    }

    @Test
    void lasting_ofAStageWithAnApostrophe_isOneArgumentOfAShell() {
        assertThat(Lasting.lines(Map.of("stage.it's.parallelism", 8L)))
                .contains("until the next start: weir console PID --set 'stage.it'\\''s.parallelism=8'");
    }

    @Test
    void bounds_areRefusedByName() {
        assertThatThrownBy(() -> Tuner.builder().window(Duration.ofMillis(1))).hasMessageContaining("window");
        assertThatThrownBy(() -> Tuner.builder().maxLatency(Duration.ZERO)).hasMessageContaining("maxLatency");
        assertThatThrownBy(() -> Tuner.builder().maxSteps(0)).hasMessageContaining("maxSteps");
        assertThatThrownBy(() -> Tuner.builder().maxWorkers(0)).hasMessageContaining("maxWorkers");
    }

    /** The service accepts 20 calls at a time. A refused call is tried six times before the pipeline ends. */
    @Test
    void serviceThatRefusesCalls_getsNoMoreOfThemThanItTakes() throws Exception {
        Semaphore room = new Semaphore(20);
        Supervision again = Supervision.retry(
                RetryPolicy.of(6, Backoff.between(Duration.ofMillis(50), Duration.ofSeconds(5))), Supervision.fail());
        try (RunningPipeline running = Source.repeat(1)
                .mapBlocking(4, Ordering.unordered(), element -> {
                    if (!room.tryAcquire()) {
                        throw new IOException("503");
                    }
                    try {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                    } finally {
                        room.release();
                    }
                    return element;
                })
                .with(Attributes.NONE.withSupervision(again).withName("call"))
                .to(Sink.ignore())
                .run()) {
            TuneReport report = Tuner.builder()
                    .window(Duration.ofMillis(300))
                    .maxSteps(6)
                    .build()
                    .run(running, step -> {});

            assertThat(report.end()).as("%s", report.steps()).isNotEqualTo(TuneReport.End.PIPELINE_ENDED);
            assertThat(report.settings().get("stage.call.parallelism")).isBetween(8L, 20L);
            assertThat(report.steps())
                    .filteredOn(step -> step.verdict() == Verdict.GUARDED)
                    .isNotEmpty()
                    .allSatisfy(step -> assertThat(step.reason()).contains("failed"));
            assertThat(running.handles(StageControl.class).getFirst().failedCalls())
                    .isPositive();
        }
    }

    /** With 2 workers and 20 ms per element, the stage reaches 100 elements per second. */
    @Test
    void sleepingStage_ofARunningPipeline_getsMoreWorkers() throws Exception {
        try (Dispatcher pool = Dispatcher.fixed("lookups", 2);
                RunningPipeline running = Source.repeat(1)
                        .mapBlocking(2, Ordering.unordered(), element -> {
                            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                            return element;
                        })
                        .with(Attributes.NONE.withDispatcher(pool))
                        .named("look up")
                        .to(Sink.ignore())
                        .run()) {
            TuneReport report = Tuner.builder()
                    .window(Duration.ofMillis(300))
                    .maxSteps(3)
                    .build()
                    .run(running, step -> {});

            assertThat(report.settings().get("stage.look up.parallelism")).isGreaterThanOrEqualTo(4);
            assertThat(pool.size()).isGreaterThanOrEqualTo(4);
            assertThat(report.steps()).hasSize(3);
            assertThat(List.copyOf(report.lasting())).isNotEmpty();
        }
    }
}
