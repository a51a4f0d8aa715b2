package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.RecordOrdering;
import dev.weir.metrics.Limiter.Confidence;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.metrics.PipelineLook.ConsumerLook;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.StageSnapshot.Activity;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests from where on a stage's threads, its dispatcher or its keys are the limiter. */
class StageRulesTest {

    private final Scene scene = new Scene();

    private static Limiter some(@Nullable Limiter limiter) {
        return Objects.requireNonNull(limiter);
    }

    private static @Nullable String nameOf(@Nullable Limiter limiter) {
        return limiter == null ? null : limiter.name();
    }

    private static Activity keyed(String name, int atWork, int ready, int behindKeys, int chain) {
        return Activity.of(name, null, Scene.VIRTUAL, atWork, atWork, ready, behindKeys, "key", 0)
                .withLongestChain(chain);
    }

    // ---- Hanging calls ---------------------------------------------------------------------------------------------

    /** Ten workers. Some wait in calls that do not return. Earlier, 100 calls took a second each. */
    private @Nullable Limiter hanging(double seconds, Consumer<Scene.Stage> change) {
        Scene each = new Scene().looks(2, seconds);
        each.fused("consume", 0.1, false);
        Scene.Stage stage = each.stage("price", 10)
                .moves(0, 0)
                .earlier(100, 100, 100)
                .activity(look -> Scene.workers("price", 9, 9, 0));
        change.accept(stage);
        return StageRules.hanging(each.interval());
    }

    @Test
    void calls_hangFromFourSecondsOn_ifNineTenthsOfTheThreadsWait() {
        Limiter limiter = some(hanging(4, stage -> {}));
        assertThat(limiter.name()).isEqualTo("price");
        assertThat(limiter.sentence())
                .isEqualTo("the handlers of price do not return: 9.0 of 10 threads are at work, and none has finished"
                        + " for 4.0 s");
        assertThat(hanging(3.99, stage -> {})).isNull();
        assertThat(hanging(4, stage -> stage.activity(look -> Scene.workers("price", 8, 8, 0))))
                .as("two threads are idle")
                .isNull();
        assertThat(hanging(4, stage -> stage.activity(look -> Scene.workers("price", 9, 4, 0))))
                .as("most compute")
                .isNull();
        assertThat(hanging(4, stage -> stage.moves(0, 1)))
                .as("one has returned")
                .isNull();
        assertThat(hanging(4, stage -> stage.busy(0.01)))
                .as("one has returned without output")
                .isNull();
    }

    /** Three times as long as earlier calls. */
    @Test
    void calls_hangOnlyIfTheyTakeLongerThanEarlierOnes() {
        assertThat(hanging(6, stage -> stage.earlier(100, 100, 200))).isNotNull();
        assertThat(hanging(5.99, stage -> stage.earlier(100, 100, 200))).isNull();
        Limiter first = some(hanging(4, stage -> stage.earlier(100, 0, 0)));
        assertThat(first.sentence()).startsWith("no handler of price has returned yet: 9.0 of 10 threads");
        assertThat(first.advice()).endsWith("if they are slow, give price more threads");
        assertThat(some(hanging(4, stage -> stage.earlier(0, 0, 1))).sentence())
                .as("a call without output has returned")
                .startsWith("the handlers of price do not return");
        assertThat(hanging(5, stage -> stage.earlier(0, 0, 2)))
                .as("after two seconds")
                .isNull();
    }

    /** For a fused stage, the busy time contains the call that has not returned. */
    @Test
    void callOfAFusedStage_hangs() {
        Scene each = new Scene().looks(2, 5);
        each.stage("consume", 1).busy(0.01).idle(0.05, 0).activity(look -> onThread("consume", false));
        each.stage("map", 1).moves(0, 0).earlier(10, 10, 16.5).busy(0.9).activity(look -> onThread("map", true));
        Limiter limiter = some(StageRules.hanging(each.interval()));
        assertThat(limiter.sentence()).startsWith("the handlers of map do not return");
        assertThat(StageRules.hanging(each.past().interval()))
                .as("it has returned since")
                .isNull();

        Scene first = new Scene().looks(2, 5);
        first.stage("consume", 1).busy(0.01).idle(0.05, 0).activity(look -> onThread("consume", false));
        first.stage("map", 1).moves(0, 0).busy(0.9).activity(look -> onThread("map", true));
        assertThat(some(StageRules.hanging(first.interval())).advice()).endsWith("give map its own threads");

        Scene source = new Scene().looks(2, 5);
        source.fused("in", 1, true).moves(0, 0);
        assertThat(StageRules.hanging(source.interval()))
                .as("a source that waits")
                .isNull();
    }

    /** The thread waits in the engine, not in a call, in some of ten readings. */
    @Test
    void threadThatMostlyWaitsInTheEngine_doesNotHang() {
        for (int inEngine : new int[] {4, 5}) {
            Scene each = new Scene().looks(10, 5);
            each.stage("consume", 1).idle(0.05, 0).activity(look -> onThread("consume", false));
            each.stage("map", 1)
                    .moves(0, 0)
                    .busy(0.95)
                    .activity(look -> Activity.of("map", "t2", Scene.VIRTUAL, 1, 1, 0, 0, "", 0)
                            .withPass(look >= inEngine, false, look < inEngine));
            assertThat(nameOf(StageRules.hanging(each.interval()))).isEqualTo(inEngine < 5 ? "map" : null);
        }
    }

    private static Activity onThread(String name, boolean inPass) {
        return Activity.of(name, "t", Scene.VIRTUAL, 1, 1, 0, 0, "", 0).withPass(inPass, false, false);
    }

    @Test
    void lowestOfHangingStages_isNamed() {
        scene.looks(2, 5);
        scene.fused("consume", 0.1, false);
        for (String name : List.of("first", "second", "third")) {
            scene.workers(name, 10, name.equals("third") ? 8 : 10, true, 0)
                    .moves(0, 0)
                    .busy(0);
        }
        assertThat(nameOf(StageRules.hanging(scene.interval()))).isEqualTo("second");
    }

    // ---- Dispatchers -----------------------------------------------------------------------------------------------

    private static Activity on(String stage, Dispatcher.Kind kind, int size, long active, long queued, int waiting) {
        return Activity.of(
                stage,
                null,
                DispatcherSnapshot.of("pool", kind, size, size, active, queued, 0),
                4,
                waiting,
                9,
                0,
                "",
                0);
    }

    private @Nullable Limiter dispatcher(int size, long active, long queued, int waiting, Dispatcher.Kind kind) {
        Scene each = new Scene();
        each.fused("consume", 0.1, false);
        each.stage("price", 8)
                .busy(4)
                .activity(look -> on("price", kind, size, active, look == 0 ? queued : 0, waiting));
        each.stage("out", 1).idle(0.5, 0).activity(look -> onThread("out", false));
        return StageRules.dispatcher(each.interval());
    }

    /** Tasks wait on average in half of the readings, and four fifths of the threads are busy. */
    @Test
    void dispatcher_isTheLimiterIfTasksWaitForItsThreads() {
        Limiter limiter = some(dispatcher(10, 8, 10, 4, Dispatcher.Kind.FIXED));
        assertThat(limiter.kind()).isEqualTo(Kind.DISPATCHER);
        assertThat(limiter.name()).isEqualTo("pool");
        assertThat(limiter.sentence())
                .isEqualTo("all 10 threads of dispatcher pool are taken and 5.0 tasks wait for one, of price");
        assertThat(limiter.expectedGain()).as("5 more than 10").isCloseTo(1.5, within(1e-9));
        assertThat(limiter.lever()).isEqualTo(Lever.dispatcher("pool", 10, 15));
        assertThat(some(dispatcher(10, 8, 100, 4, Dispatcher.Kind.FIXED)).expectedGain())
                .as("the next stage is busy for half of the time")
                .isCloseTo(2, within(0.01));
        assertThat(dispatcher(10, 8, 1, 4, Dispatcher.Kind.FIXED)).isNotNull();
        assertThat(dispatcher(10, 8, 0, 4, Dispatcher.Kind.FIXED)).isNull();
        assertThat(dispatcher(10, 7, 10, 4, Dispatcher.Kind.FIXED)).isNull();
        assertThat(dispatcher(10, 8, 10, 4, Dispatcher.Kind.VIRTUAL)).isNull();
    }

    /** More threads than processors do not help stages that compute. */
    @Test
    void dispatcherOfComputingStages_growsUpToTheProcessors() {
        assertThat(some(dispatcher(8, 8, 10, 2, Dispatcher.Kind.FIXED)).name()).isEqualTo("price");
        assertThat(some(dispatcher(7, 7, 10, 2, Dispatcher.Kind.FIXED)).name()).isEqualTo("pool");
        assertThat(some(dispatcher(8, 8, 10, 3, Dispatcher.Kind.FIXED)).name()).isEqualTo("pool");
    }

    @Test
    void dispatcherWhoseStagesAreAtTheirNextLimit_getsNoMoreThreads() {
        scene.fused("consume", 1, false);
        scene.stage("price", 8).busy(4).activity(look -> on("price", Dispatcher.Kind.FIXED, 4, 4, 9, 4));
        Limiter limiter = some(StageRules.dispatcher(scene.interval()));
        assertThat(limiter.expectedGain()).isEqualTo(1);
        assertThat(limiter.lever().kind()).isEqualTo(Lever.Kind.ELSEWHERE);
    }

    /** The process uses six of eight processors. Stages that wait need no more of them. */
    @Test
    void dispatcherOfComputingStages_growsNoFurtherThanTheProcessorsAllow() {
        for (int waiting : new int[] {2, 3}) {
            Scene each = new Scene().machine(6, 0.5);
            each.fused("consume", 0.1, false);
            each.stage("price", 8).busy(4).activity(look -> on("price", Dispatcher.Kind.FIXED, 4, 4, 100, waiting));
            assertThat(some(StageRules.dispatcher(each.interval())).expectedGain())
                    .isCloseTo(waiting == 2 ? 8 / 6.0 : 10, within(0.01));
        }
    }

    // ---- Full stages -----------------------------------------------------------------------------------------------

    /** Returns the name of the saturated stage of two, with ten workers each. */
    private static @Nullable Limiter saturated(int first, int readyOfFirst, int second, int readyOfSecond) {
        Scene each = new Scene();
        each.fused("consume", 0.1, false);
        each.workers("first", 10, first, true, readyOfFirst);
        each.workers("second", 10, second, true, readyOfSecond);
        return StageRules.saturated(each.interval());
    }

    @Test
    void stage_isFullFromSeventyPercentOn_ifElementsWait() {
        assertThat(nameOf(saturated(7, 1, 0, 0))).isEqualTo("first");
        assertThat(saturated(6, 50, 0, 0)).isNull();
        assertThat(saturated(10, 0, 0, 0)).as("nothing waits").isNull();
        assertThat(nameOf(saturated(9, 5, 9, 5)))
                .as("the lower one fills the other")
                .isEqualTo("second");
        assertThat(nameOf(saturated(9, 5, 8, 5)))
                .as("the lower one is not full")
                .isEqualTo("first");
        assertThat(nameOf(saturated(7, 5, 8, 5))).as("the busier one").isEqualTo("second");
        assertThat(nameOf(saturated(8, 5, 7, 5))).isEqualTo("first");
        assertThat(some(saturated(8, 5, 7, 5)).confidence()).isEqualTo(Confidence.SURE);
        Limiter both = some(saturated(8, 5, 8, 5));
        assertThat(both.confidence()).isEqualTo(Confidence.CANDIDATES);
        assertThat(both.candidates()).hasSize(1);
    }

    /** Nearly as busy means within a twentieth: of 25 workers, 19 and 20. */
    @Test
    void stagesThatAreNearlyAsBusy_areBothCandidates() {
        for (int second : new int[] {18, 19}) {
            Scene each = new Scene();
            each.fused("consume", 0.1, false);
            each.workers("first", 25, 20, true, 5);
            each.workers("second", 25, second, true, 5);
            assertThat(some(StageRules.saturated(each.interval())).candidates()).hasSize(second - 18);
        }
    }

    /** All ten workers are busy. In some of ten readings, most waiting elements have one key. */
    @Test
    void fullStageWithAHotKey_hasBothCandidates_ifHalfOfTheReadingsShowIt() {
        for (int hot : new int[] {4, 5}) {
            Scene each = new Scene().looks(10, 1);
            each.fused("consume", 0.01, false);
            each.stage("price", 10).busy(10).activity(look -> keyed("price", 10, 50, 40, look < hot ? 40 : 2));
            assertThat(some(StageRules.saturated(each.interval())).kind())
                    .isEqualTo(hot < 5 ? Kind.STAGE_WAIT : Kind.KEY_SKEW);
        }
    }

    private static Scene twoOnAThread(boolean wait, long takenByFirst) {
        Scene each = new Scene().looks(20, 5);
        each.stage("in", 1)
                .busy(0.1)
                .moves(takenByFirst, 1_000)
                .activity(look -> Activity.of("in", "t", Scene.VIRTUAL, 1, wait ? 1 : 0, 0, 0, "", 0));
        return each;
    }

    @Test
    void fusedStage_isNamedWithItsPartOfTheThread_andGetsItsOwnThreads() {
        for (boolean wait : new boolean[] {true, false}) {
            Scene each = twoOnAThread(wait, 1_000);
            each.stage("map", 1)
                    .busy(0.7)
                    .activity(look -> Activity.of("map", "t", Scene.VIRTUAL, 1, wait ? 1 : 0, 0, 0, "", 0));
            each.fused("out", 0.1, false);
            Limiter limiter = some(StageRules.saturated(each.interval()));
            assertThat(limiter.sentence())
                    .startsWith("map has 88 % of the time of its thread, and the threads "
                            + (wait ? "wait 100 % of their time" : "compute"));
            assertThat(limiter.lever()).isEqualTo(Lever.ownThreads("map", 8, !wait));
            assertThat(limiter.expectedGain()).as("in is next").isCloseTo(8, within(0.01));
        }
    }

    @Test
    void fusedSink_getsAStageAboveIt_andASourceHandsOutFaster() {
        for (boolean wait : new boolean[] {true, false}) {
            String parallel = wait ? "mapBlocking" : "mapParallel";
            Scene sink = twoOnAThread(wait, 1_000);
            sink.stage("out", 1)
                    .busy(0.7)
                    .activity(look -> Activity.of("out", "t", Scene.VIRTUAL, 1, wait ? 1 : 0, 0, 0, "", 0));
            assertThat(some(StageRules.saturated(sink.interval())).advice())
                    .isEqualTo("do the work of the sink out in a " + parallel + " stage above it, with 8 at once");

            Scene source = new Scene();
            source.fused("in", 0.9, wait).moves(0, 1_000);
            source.fused("out", 0.1, false);
            assertThat(some(StageRules.saturated(source.interval())).advice())
                    .isEqualTo("let the source in hand out its elements faster");
            Scene first = new Scene();
            first.fused("map", 0.9, wait).moves(1_000, 1_000);
            first.fused("out", 0.1, false);
            assertThat(some(StageRules.saturated(first.interval())).lever().kind())
                    .isEqualTo(Lever.Kind.OWN_THREADS);

            Scene decoding = new Scene();
            decoding.fused("consume", 0.9, wait).moves(0, 1_000);
            decoding.fused("out", 0.1, false);
            decoding.consumers =
                    look -> StubLooks.consumer(StubLooks.partition(0).lag(600_000));
            Limiter limiter = some(StageRules.saturated(decoding.interval()));
            assertThat(limiter.kind()).isEqualTo(Kind.SOURCE_DECODE);
            assertThat(limiter.advice())
                    .startsWith("read bytes at consume and decode them in a " + parallel + " stage");
        }
    }

    /** Earlier calls took ten seconds each, so five seconds without a result are no proof of a hang. */
    @Test
    void fusedStageWithoutAResult_isSaidToHaveNone() {
        for (long results : new long[] {0, 1}) {
            Scene each = new Scene().looks(20, 5);
            each.fused("consume", 0.05, false);
            each.fused("map", 0.99, true).moves(results, results).earlier(10, 10, 100);
            each.fused("out", 0.05, false);
            assertThat(StageRules.hanging(each.interval())).isNull();
            assertThat(some(StageRules.saturated(each.interval()))
                            .sentence()
                            .contains("; none of its calls has returned for 5.0 s: a thread dump shows"))
                    .isEqualTo(results == 0);
        }
    }

    /** The dispatcher needs as many threads as the stage, if it has fewer. */
    @Test
    void dispatcherThatIsTooSmallForTheAdvice_isNamed() {
        for (int size : new int[] {14, 15}) {
            Scene each = new Scene();
            each.fused("consume", 0.01, false);
            DispatcherSnapshot pool = DispatcherSnapshot.of("pool", Dispatcher.Kind.FIXED, size, size, 10, 0, 0);
            each.stage("price", 10).busy(10).activity(look -> Activity.of("price", null, pool, 10, 10, 5, 0, "", 0));
            assertThat(some(StageRules.saturated(each.interval())).advice())
                    .isEqualTo("raise the parallelism of price from 10 to 15"
                            + (size < 15 ? ", and dispatcher pool to as many threads" : ""));
        }
    }

    /** The unit above cannot emit for three tenths of the time. */
    @Test
    void stageWithoutAQueue_isWantedIfTheUnitAboveIsBlocked() {
        for (double blocked : new double[] {0.29, 0.3}) {
            Scene each = new Scene();
            each.fused("consume", 0.1, false).idle(0.1, blocked);
            each.workers("price", 10, 8, true, 0);
            each.fused("out", 0.1, false);
            assertThat(nameOf(StageRules.saturated(each.interval()))).isEqualTo(blocked < 0.3 ? null : "price");
        }
    }

    /** Nothing shows whether elements wait for a fused stage or for the source. */
    @Test
    void sourceAndFusedStages_areFullByTheirTime() {
        scene.fused("consume", 0.7, false);
        assertThat(nameOf(StageRules.saturated(scene.interval()))).isEqualTo("consume");
        for (double works : new double[] {0.89, 0.9}) {
            Scene each = new Scene();
            each.fused("consume", 0.1, false);
            each.fused("map", works, false);
            assertThat(nameOf(StageRules.saturated(each.interval()))).isEqualTo(works < 0.9 ? null : "map");
        }
    }

    /** Ten workers. A gain needs elements that are ready. */
    @Test
    void waitingStage_growsAsFarAsElementsAreReady_andNoLessThanFourTimesForTheProcessors() {
        scene.fused("consume", 0.01, false);
        scene.workers("price", 10, 10, true, 5);
        Limiter limiter = some(StageRules.saturated(scene.interval()));
        assertThat(limiter.expectedGain()).isCloseTo(1.5, within(1e-9));
        assertThat(limiter.lever()).isEqualTo(Lever.parallelism("price", 10, 15, ""));

        Scene many = new Scene().machine(1, 0.2);
        many.fused("consume", 0.01, false);
        many.workers("price", 10, 10, true, 500);
        assertThat(some(StageRules.saturated(many.interval())).expectedGain()).isEqualTo(8);
        assertThat(some(StageRules.saturated(many.machine(7, 0.8).interval())).expectedGain())
                .isEqualTo(4);
        assertThat(some(StageRules.saturated(many.machine(0, 0.8).interval())).expectedGain())
                .isEqualTo(Interval.MOST_GAIN);
    }

    @Test
    void waitsOfAStage_areNamedByTheirMostFrequentKind() {
        for (int[] kinds : new int[][] {{6, 4, 0}, {0, 6, 4}, {4, 0, 6}, {5, 5, 0}, {5, 0, 5}}) {
            Scene each = new Scene().machine(0.5, 0.9);
            each.fused("consume", 0.01, false);
            each.stage("price", 10)
                    .busy(10)
                    .activity(look -> Scene.workers("price", 10, 10, 500).withWaits(kinds[0], kinds[1], kinds[2]));
            Limiter limiter = some(StageRules.saturated(each.interval()));
            String expected = kinds[0] > 5
                    ? "; most of it for a lock"
                    : kinds[1] > 5
                            ? "; most of it for the network or files"
                            : kinds[2] > 5 ? "; most of it asleep" : " busy";
            assertThat(limiter.sentence()).endsWith(expected);
            assertThat(limiter.expectedGain())
                    .as("calls over the network need processors elsewhere")
                    .isEqualTo(kinds[1] > 5 ? 4 : Interval.MOST_GAIN);
        }
    }

    /** Half of the working threads wait for one lock. */
    @ParameterizedTest
    @CsvSource({"10, 5, true", "10, 4, false", "1, 1, true", "1, 0, false"})
    void stageBehindOneLock_getsNoMoreThreads(int threads, int behindLock, boolean found) {
        scene.fused("consume", 0.01, false);
        scene.stage("price", threads)
                .busy(threads)
                .activity(look -> Activity.of("price", null, Scene.VIRTUAL, threads, threads, 500, 0, "", behindLock));
        Limiter limiter = some(StageRules.saturated(scene.interval()));
        assertThat(limiter.advice().startsWith("do less of price under its lock"))
                .isEqualTo(found);
        assertThat(limiter.expectedGain() == 1).isEqualTo(found);
    }

    @Test
    void computingStage_growsUpToTheProcessors_andNoFurtherThanWorkIsReady() {
        scene.fused("consume", 0.01, false);
        Scene.Stage price = scene.workers("price", 4, 4, false, 500);
        Limiter limiter = some(StageRules.saturated(scene.interval()));
        assertThat(limiter.kind()).isEqualTo(Kind.STAGE_CPU);
        assertThat(limiter.lever()).isEqualTo(Lever.parallelism("price", 4, 8, ""));
        assertThat(limiter.expectedGain()).isEqualTo(2);
        price.activity(look -> Scene.workers("price", 4, 0, 1));
        assertThat(some(StageRules.saturated(scene.interval())).expectedGain()).isEqualTo(1.25);

        Scene full = new Scene();
        full.fused("consume", 0.01, false);
        full.workers("price", 8, 8, false, 500);
        limiter = some(StageRules.saturated(full.interval()));
        assertThat(limiter.advice())
                .isEqualTo("make price cheaper: other threads would find no processor, or the next" + " stage full");
        assertThat(limiter.expectedGain()).isEqualTo(1);
    }

    /** The process uses less than half of what the threads seem to compute, on a machine with idle processors. */
    @Test
    void threadsThatUseNoProcessor_wait() {
        scene.fused("consume", 0.01, false);
        scene.workers("price", 8, 8, false, 500);
        assertThat(some(StageRules.saturated(scene.machine(3.99, 0.89).interval()))
                        .kind())
                .isEqualTo(Kind.STAGE_WAIT);
        assertThat(some(StageRules.saturated(scene.machine(3.99, 0.89).interval()))
                        .sentence())
                .contains("which wait 50 % of their time");
        assertThat(some(StageRules.saturated(scene.machine(4.01, 0.89).interval()))
                        .kind())
                .isEqualTo(Kind.STAGE_CPU);
        assertThat(some(StageRules.saturated(scene.machine(4, 0.89).interval())).kind())
                .as("half of it")
                .isEqualTo(Kind.STAGE_CPU);
        assertThat(some(StageRules.saturated(scene.machine(3.99, 0.9).interval()))
                        .kind())
                .isNotEqualTo(Kind.STAGE_WAIT);
    }

    // ---- Keys ------------------------------------------------------------------------------------------------------

    /** Ten workers. Most readings show elements behind their keys. */
    private static @Nullable Limiter skewed(int atWork, int ready, int behind, int chain) {
        Scene each = new Scene();
        each.fused("consume", 0.01, false);
        each.stage("price", 10).busy(atWork).activity(look -> keyed("price", atWork, ready, behind, chain));
        return StageRules.saturated(each.interval());
    }

    @ParameterizedTest
    @CsvSource({
        "1, 0, 8, 8, true", // eight elements wait for one key
        "1, 0, 7, 7, false",
        "1, 9, 8, 0, true", // no key is known: no more are ready than workers are idle
        "1, 10, 8, 0, false",
        "4, 6, 8, 0, true", // twice as many wait as are at work
        "4, 6, 7, 0, false",
        "5, 5, 9, 0, false",
        "6, 50, 16, 8, false", // of all that wait, less than a quarter for one key
        "6, 16, 16, 8, true",
        "6, 17, 16, 8, false",
        "6, 9, 17, 8, false", // less than half of the elements behind keys
        "7, 0, 90, 90, false" // no workers are idle, and nothing is ready
    })
    void keyedStage_isSkewedIfElementsWaitForKeys_whileWorkersAreIdle(
            int atWork, int ready, int behind, int chain, boolean found) {
        Limiter limiter = skewed(atWork, ready, behind, chain);
        assertThat(limiter != null && limiter.sentence().contains("elements wait behind others of their key"))
                .isEqualTo(found);
    }

    @Test
    void hotKey_isOneWithAQuarterOfWhatWaits() {
        Limiter hot = some(skewed(2, 0, 100, 25));
        assertThat(hot.kind()).isEqualTo(Kind.KEY_SKEW);
        assertThat(hot.sentence())
                .isEqualTo("2.0 of 10 workers of price are busy, and 100 elements wait behind others of their key,"
                        + " 25 % of them behind one key");
        assertThat(hot.expectedGain()).as("if all workers were busy").isEqualTo(5);
        Limiter few = some(skewed(2, 0, 100, 24));
        assertThat(few.kind()).isEqualTo(Kind.STAGE_WAIT);
        assertThat(few.sentence()).endsWith("24 at most behind one of them: each key in flight has a worker");
        assertThat(few.expectedGain()).isEqualTo(1);
        assertThat(ofFewKeys(4, 2)).isEqualTo(Kind.STAGE_WAIT);
        assertThat(ofFewKeys(4, 1)).as("its handlers compute").isEqualTo(Kind.STAGE_CPU);
        assertThat(some(skewed(2, 0, 10, 2)).kind())
                .as("few elements tell nothing about keys")
                .isEqualTo(Kind.KEY_SKEW);
        assertThat(some(skewed(2, 0, 11, 2)).kind()).isEqualTo(Kind.STAGE_WAIT);
        assertThat(some(skewed(2, 0, 100, 0)).sentence()).endsWith("behind others of their key");
    }

    @Test
    void hotKey_isNamedByTheHashOfTheOldestRecord_ifThatIsKnown() {
        for (Integer hash : new Integer[] {0xbeef, null}) {
            Scene each = new Scene();
            each.fused("consume", 0.01, false);
            each.stage("price", 10).busy(1).activity(look -> keyed("price", 1, 0, 90, 90));
            ConsumerDump.Oldest oldest =
                    ConsumerDump.Oldest.of(42, Duration.ofSeconds(3), hash, ConsumerDump.Oldest.IN_FLIGHT);
            each.consumers = look -> StubLooks.consumer(StubLooks.partition(0).inFlight(91)).stream()
                    .map(consumer -> ConsumerLook.of(
                            consumer.counters(),
                            consumer.dump().toBuilder()
                                    .partitions(consumer.dump().partitions().stream()
                                            .map(dump -> dump.toBuilder()
                                                    .oldest(oldest)
                                                    .build())
                                            .toList())
                                    .build()))
                    .toList();
            assertThat(some(StageRules.saturated(each.interval())).sentence())
                    .endsWith(
                            hash == null ? "of them behind one key" : "; the oldest is orders-0@42, key hash 0000beef");
        }
    }

    private static @Nullable Kind ofFewKeys(int atWork, int waiting) {
        Scene each = new Scene();
        each.fused("consume", 0.01, false);
        each.stage("price", 10)
                .busy(atWork)
                .activity(look -> Activity.of("price", null, Scene.VIRTUAL, atWork, waiting, 0, 100, "key", 0)
                        .withLongestChain(9));
        return some(StageRules.saturated(each.interval())).kind();
    }

    /** The named partition is the one with most records in flight or waiting. */
    @Test
    void stageInOrderOfPartitions_namesTheFullestPartition() {
        scene.fused("consume", 0.01, false);
        scene.stage("price", 10)
                .busy(1)
                .activity(look -> Activity.of("price", null, Scene.VIRTUAL, 1, 1, 0, 90, RecordOrdering.PARTITION, 0)
                        .withLongestChain(90));
        Limiter without = some(StageRules.saturated(scene.interval()));
        assertThat(without.kind()).isEqualTo(Kind.ONE_PARTITION);
        assertThat(without.name()).isEqualTo("price");
        scene.consumers = look -> StubLooks.consumer(
                StubLooks.partition(0).lag(50),
                StubLooks.partition(1).inFlight(90),
                StubLooks.partition(2).lag(80));
        Limiter limiter = some(StageRules.saturated(scene.interval()));
        assertThat(limiter.name()).isEqualTo("orders-1");
        assertThat(limiter.sentence()).endsWith("; most of them are in orders-1");
    }

    /** A skewed stage is the limiter unless a full stage follows it. */
    @Test
    void skewedStage_isNamedBeforeAFullStageAboveIt() {
        for (boolean isFirst : new boolean[] {true, false}) {
            Scene each = new Scene();
            each.fused("consume", 0.01, false);
            if (!isFirst) {
                each.workers("full", 10, 10, true, 50);
            }
            each.stage("skewed", 10).busy(1).activity(look -> keyed("skewed", 1, 0, 90, 90));
            if (isFirst) {
                each.workers("full", 10, 10, true, 50);
            }
            assertThat(nameOf(StageRules.saturated(each.interval()))).isEqualTo(isFirst ? "full" : "skewed");
        }
    }

    // ---- Stages that hold a window's records -----------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({
        "7, 7, 0, STAGE_WAIT", // as many wait as are at work
        "7, 6, 0, ",
        "6, 9, 5, ", // three workers are idle
        "6, 5, 5, KEY_SKEW",
        "6, 6, 5, ",
        "0, 0, 1, KEY_SKEW",
        "0, 0, 0, "
    })
    void stage_holdsTheRecordsIfMoreWaitThanAreAtWork(int atWork, int ready, int behind, @Nullable Kind expected) {
        scene.fused("consume", 0.5, false);
        scene.stage("price", 10).activity(look -> keyed("price", atWork, ready, behind, 0));
        Interval interval = scene.interval();
        Limiter limiter = StageRules.holding(interval, interval.looks);
        assertThat(limiter == null ? null : limiter.kind()).isEqualTo(expected);
    }

    // ---- Output that is not taken ----------------------------------------------------------------------------------

    @Test
    void outputThatNobodyTakes_isNamedFromHalfOfTheTimeOn() {
        assertThat(StageRules.notTaken(scene.interval())).isNull();
        scene.fused("consume", 0.1, false);
        Scene.Stage out = scene.stage("out", 1).idle(0.1, 0.5);
        Limiter limiter = some(StageRules.notTaken(scene.interval()));
        assertThat(limiter.sentence()).isEqualTo("what out hands out is not taken for 50 % of the time");
        assertThat(limiter.expectedGain()).isCloseTo(2, within(1e-9));
        out.idle(0, 0.8);
        assertThat(some(StageRules.notTaken(scene.interval())).expectedGain()).isCloseTo(5, within(1e-9));
        out.idle(0, 1);
        assertThat(some(StageRules.notTaken(scene.interval())).expectedGain())
                .as("consume is next")
                .isCloseTo(10, within(0.01));
        out.idle(0.1, 0.499);
        assertThat(StageRules.notTaken(scene.interval())).isNull();
    }
}
