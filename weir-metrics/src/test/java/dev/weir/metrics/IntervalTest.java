package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ShareHandle;
import dev.weir.metrics.PipelineLook.ConsumerLook;
import dev.weir.metrics.PipelineLook.PaceLook;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.StageSnapshot.Activity;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the values that rules read from an interval. */
class IntervalTest {

    private final Scene scene = new Scene();

    private static IntFunction<List<ConsumerLook>> lag(IntFunction<Long> byLook) {
        return look -> StubLooks.consumer(StubLooks.partition(0).lag(byLook.apply(look)));
    }

    @Test
    void readings_areTwoOrMore_inOrder() {
        List<PipelineLook> looks = scene.readings();
        assertThatThrownBy(() -> Interval.of(looks.subList(0, 1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Interval.of(looks.reversed())).isInstanceOf(IllegalArgumentException.class);
        assertThat(Interval.of(looks).seconds).isEqualTo(1);
        assertThat(Interval.of(List.of(looks.getFirst(), looks.getFirst())).seconds)
                .isEqualTo(1e-9);
    }

    // ---- Machine ---------------------------------------------------------------------------------------------------

    /** With eight processors. The free ones are the smaller number by the process and by the load. */
    @ParameterizedTest
    @CsvSource({
        "2, NaN, 4",
        "2, 0.25, 4",
        "2, 0.5, 3",
        "2, 1, 1",
        "8, 1, 1",
        "9, NaN, 1",
        "0.1, 0, 80",
        "0, 0, 16",
        "-1, 0, 16",
        "NaN, 0.5, 16"
    })
    void processors_allowTheGrowthThatFreeOnesGive(double used, double load, double expected) {
        Interval interval = scene.looks(3, 2).machine(used, load).interval();
        assertThat(interval.processorsAllow()).isCloseTo(expected, within(1e-9));
        assertThat(interval.processCpu()).isEqualTo(used, within(1e-9));
    }

    // ---- Growth ----------------------------------------------------------------------------------------------------

    /** The source emits 1,000 a second for two seconds. The backlog is known in two readings. */
    @ParameterizedTest
    @CsvSource({
        "0, 0, 1",
        "0, 2000, 2.2", // 1,000 more arrive in a second, and 200 of the backlog
        "5000, 5000, 1.5",
        "5000, 4000, 0.9", // 500 a second arrive
        "3000, 1000, 0.1", // nothing arrives
        "5000, 1000, 0.1",
        "-1, 0, 16",
        "0, -1, 16",
    })
    void source_canSustainArrivalsAndATenthOfTheBacklog(long before, long after, double expected) {
        scene.looks(2, 2);
        scene.stage("consume", 1).moves(2_000, 2_000);
        scene.consumers = lag(look -> look == 0 ? before : after);
        Interval interval = scene.interval();
        assertThat(interval.lasts()).isCloseTo(expected, within(1e-9));
        assertThat(interval.sourceAllows()).isCloseTo(Math.clamp(expected, 1, 16), within(1e-9));
    }

    @Test
    void growthOfTheSource_isUnknown_withoutARate_inAShortTime_orForSeveralConsumers() {
        Scene.Stage consume = scene.stage("consume", 1).moves(0, 0);
        scene.consumers = lag(look -> 0L);
        assertThat(scene.interval().lasts()).isEqualTo(Interval.MOST_GAIN);
        scene.consumers = lag(look -> 5L);
        assertThat(scene.interval().lasts()).isEqualTo(Interval.MOST_GAIN);
        scene.consumers = lag(look -> 0L);
        consume.moves(100, 100);
        assertThat(scene.interval().lasts()).isEqualTo(1);
        assertThat(scene.looks(2, 0.4).interval().lasts()).isEqualTo(1);
        assertThat(scene.looks(2, 0.399).interval().lasts()).isEqualTo(Interval.MOST_GAIN);
        scene.looks(2, 1);
        IntFunction<List<ConsumerLook>> one = scene.consumers;
        scene.consumers = look -> Stream.concat(one.apply(look).stream(), one.apply(look).stream())
                .toList();
        assertThat(scene.interval().lasts()).isEqualTo(Interval.MOST_GAIN);
        scene.consumers = look -> StubLooks.unassigned(1);
        assertThat(scene.interval().lasts()).isEqualTo(Interval.MOST_GAIN);
    }

    /** The lag is known from the second of three readings on. */
    @Test
    void arrivals_areCountedSinceTheLagIsKnown() {
        scene.looks(3, 2);
        scene.stage("consume", 1).moves(2_000, 2_000);
        scene.consumers = lag(look -> look == 0 ? -1L : 500L * (look - 1));
        assertThat(scene.interval().lasts()).isCloseTo(1.55, within(1e-9));
        scene.consumers = look -> StubLooks.consumer(
                StubLooks.partition(0).lag(look == 0 ? -1 : 500L * (look - 1)),
                StubLooks.partition(1).lag(0));
        assertThat(scene.interval().lasts()).isCloseTo(1.55, within(1e-9));
    }

    /** Elements in the queue of a source. Its writers may wait if it does not grow by a twentieth of the output. */
    @Test
    void queueOfASource_tellsItsArrivals_ifItGrows() {
        scene.looks(5, 4);
        Scene.Stage in = scene.stage("in", 1).moves(4_000, 4_000);
        in.depth(look -> 100 * look);
        assertThat(scene.interval().lasts()).as("since the third reading").isCloseTo(1.14, within(1e-9));
        in.depth(look -> look == 4 ? 100 : 0);
        assertThat(scene.interval().lasts()).isEqualTo(Interval.MOST_GAIN);
        in.depth(look -> look == 4 ? 101 : 0);
        assertThat(scene.interval().lasts()).isCloseTo(1.0606, within(1e-9));
        in.depth(look -> look < 2 ? 0 : 900);
        assertThat(scene.interval().lasts()).isEqualTo(Interval.MOST_GAIN);
    }

    @Test
    void nextLimit_isTheFirstOfOtherUnits_source_andProcessors() {
        assertThat(scene.interval().nextLimit(null)).isEqualTo(Interval.MOST_GAIN);
        scene.fused("consume", 0.1, false);
        scene.fused("wait", 0.5, true);
        scene.fused("compute", 0.4, false);
        scene.fused("idle", 0, false);
        List<Unit> units = scene.interval().units;
        assertThat(scene.interval().nextLimit(null)).isCloseTo(2, within(1e-9));
        assertThat(scene.interval().nextLimit(units.get(1))).isCloseTo(2.5, within(1e-9));
        assertThat(scene.interval().nextLimit(units.get(2))).isCloseTo(2, within(1e-9));

        scene.machine(6, 0.75);
        List<Unit> onABusyMachine = scene.interval().units;
        assertThat(scene.interval().nextLimit(onABusyMachine.get(2)))
                .as("it computes")
                .isCloseTo(8 / 6.0, within(1e-9));
        assertThat(scene.interval().nextLimit(onABusyMachine.get(1)))
                .as("it waits")
                .isCloseTo(2.5, within(1e-9));

        scene.consumers = lag(look -> 200L * look);
        assertThat(scene.interval().nextLimit(scene.interval().units.get(1))).isCloseTo(1.22, within(1e-9));
        scene.fused("full", 1, true);
        assertThat(scene.interval().nextLimit(null)).isEqualTo(1);
    }

    // ---- Backlog ---------------------------------------------------------------------------------------------------

    @Test
    void unread_areRecordsThatMayBeFetchedAndAreNot() {
        StubLooks.Partition some = StubLooks.partition(0).lag(100).buffered(30).inFlight(20);
        scene.consumers = look -> StubLooks.consumer(
                some,
                StubLooks.partition(1).lag(5).buffered(7),
                StubLooks.partition(2).lag(-1),
                StubLooks.partition(3).lag(3).paused(Paused.WINDOW));
        Interval interval = scene.interval();
        assertThat(interval.unread()).isEqualTo(53);
        assertThat(interval.buffered()).isEqualTo(37);
        assertThat(interval.inFlight()).isEqualTo(20);
        assertThat(interval.unfinished()).isEqualTo(20);
        scene.shares = List.of(ShareHandle.Snapshot.builder()
                .lag(9)
                .lanes(1)
                .pollRecords(1)
                .acquireMode("batch")
                .workers(8)
                .inHand(6)
                .limit(ShareHandle.Limit.of("", "", "", "", 1))
                .build());
        assertThat(scene.interval().unfinished()).isEqualTo(26);
    }

    @ParameterizedTest
    @EnumSource(Paused.class)
    void partitionsHeldBackForOtherReasons_areNoBacklog(Paused reason) {
        boolean isHeld =
                List.of(Paused.USER, Paused.NOT_DUE, Paused.UNREAD, Paused.END).contains(reason);
        scene.consumers = look -> StubLooks.consumer(
                StubLooks.partition(0).lag(9_000).buffered(40).paused(reason));
        assertThat(scene.interval().unread()).isEqualTo(isHeld ? 0 : 8_960);
        assertThat(scene.interval().buffered()).isEqualTo(isHeld ? 0 : 40);
    }

    /** The first stage emits 100 records a second. */
    @Test
    void pipeline_keepsUpWithWhatLastsOneAndAHalfSeconds() {
        scene.stage("consume", 1).moves(200, 200);
        scene.looks(2, 2);
        scene.consumers = lag(look -> 150L);
        assertThat(scene.interval().rate()).isEqualTo(100);
        assertThat(scene.interval().keepsUp()).isTrue();
        assertThat(scene.interval().hasBacklog()).isFalse();
        scene.consumers = lag(look -> 151L);
        assertThat(scene.interval().keepsUp()).isFalse();
        assertThat(scene.interval().hasBacklog()).isTrue();
        scene.consumers = look ->
                StubLooks.consumer(StubLooks.partition(0).lag(151).buffered(100).inFlight(51));
        assertThat(scene.interval().keepsUp()).isTrue();
        assertThat(scene.interval().hasBacklog()).as("fetched records wait").isTrue();
        scene.consumers =
                look -> StubLooks.consumer(StubLooks.partition(0).lag(160).buffered(60));
        assertThat(scene.interval().keepsUp())
                .as("unread and fetched records together")
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({"WINDOW, 5, true", "WINDOW, 6, false", "BUDGET, 5, true", "BUDGET, 6, false", "USER, 9, true"})
    void pipeline_whosePartitionsAreMostlyFull_doesNotKeepUp(Paused reason, int ofTen, boolean keepsUp) {
        scene.looks(10, 1).stage("consume", 1);
        scene.consumers = look ->
                StubLooks.consumer(look < ofTen ? StubLooks.partition(0).paused(reason) : StubLooks.partition(0));
        assertThat(scene.interval().keepsUp()).isEqualTo(keepsUp);
    }

    // ---- Stages ----------------------------------------------------------------------------------------------------

    @Test
    void branchesThatNeverHadAnElement_areLeftOutOfThePast() {
        scene.stage("consume", 1).moves(0, 0);
        scene.stage("done", 1).moves(0, 0).earlier(1, 0, 0);
        scene.stage("never", 1).moves(0, 0);
        scene.stage("holds", 1).moves(0, 0).depth(look -> 1);
        scene.stage("emits", 1).moves(0, 0).earlier(0, 1, 0);
        assertThat(scene.interval().stages()).hasSize(5);
        assertThat(scene.interval().moves()).isFalse();
        Interval past = scene.past().interval();
        assertThat(past.stages()).extracting(StageLoad::name).containsExactly("consume", "done", "holds", "emits");
        assertThat(past.times())
                .extracting(StageTime::stage)
                .containsExactly("consume", "done", "never", "holds", "emits");
        assertThat(new Scene().past().interval().units).isEmpty();
    }

    @Test
    void stagesOfOneThread_areOneUnit() {
        scene.fused("a", "t1", 0.1, false);
        scene.stage("b", 4).busy(1);
        scene.fused("c", "t1", 0.1, false);
        scene.fused("d", "t2", 0.1, false);
        assertThat(scene.interval().units)
                .extracting(unit -> unit.stages().stream().map(StageLoad::name).toList())
                .containsExactly(List.of("a", "c"), List.of("b"), List.of("d"));
    }

    @Test
    void timesOfStages_areSharesOfTheInterval() {
        scene.looks(3, 2);
        scene.fused("consume", 0.5, false).idle(0.1, 0.4);
        scene.fused("price", 0.7, false).idle(0.3, 0);
        scene.paces = look -> List.of(
                PaceLook.of("consume", 5, (12 + look) * Scene.SECOND / 4, true), PaceLook.of("x", 5, 9L * look, true));
        Interval interval = scene.interval();
        assertThat(interval.pausedAt("consume")).isCloseTo(0.25, within(1e-9));
        assertThat(interval.pausedAt("price")).isZero();
        assertThat(interval.starvedSince(interval.first)).isCloseTo(0.1, within(1e-9));
        assertThat(interval.starvedSince(interval.looks.get(1))).isCloseTo(0.1, within(1e-9));
        assertThat(new Scene().interval().starvedSince(interval.first)).isZero();
        assertThat(interval.blockedAbove(interval.units.get(0))).isZero();
        assertThat(interval.blockedAbove(interval.units.get(1))).isCloseTo(0.4, within(1e-9));
        assertThat(interval.shareOfLooks(look -> look.atNanos() == 0)).isCloseTo(1 / 3.0, within(1e-9));
        assertThat(interval.pauseShare()).isZero();
        assertThat(scene.collecting(0.25).interval().pauseShare()).isCloseTo(0.25, within(1e-9));
    }

    /** The process computes for a quarter of the stages' busy time, so a stage without samples waits for the rest. */
    @Test
    void stageWithoutSamples_waitsAsMuchAsTheProcessDoesNotCompute() {
        scene.stage("a", 4).busy(3);
        scene.stage("b", 4).busy(1);
        assertThat(scene.machine(1, 0.1).interval().units)
                .extracting(Unit::waitShare)
                .containsExactly(0.75, 0.75);
        assertThat(scene.machine(9, 0.1).interval().units)
                .extracting(Unit::waitShare)
                .containsExactly(0.0, 0.0);
        assertThat(scene.machine(Double.NaN, 0.1).interval().units)
                .extracting(Unit::waitShare)
                .containsExactly(0.0, 0.0);
    }

    /** Several stages of one dispatcher show it in one reading several times. */
    @Test
    void dispatchers_areListedOncePerReading() {
        scene.looks(3, 1);
        for (String stage : List.of("a", "b", "c")) {
            scene.stage(stage, 1)
                    .activity(look -> Activity.of(
                            stage,
                            null,
                            DispatcherSnapshot.of(
                                    stage.equals("c") ? "own" : "both", Dispatcher.Kind.FIXED, 4, look, 4, 0, 0),
                            1,
                            0,
                            0,
                            0,
                            "",
                            0));
        }
        assertThat(scene.interval().dispatchers()).containsOnlyKeys("both", "own");
        assertThat(scene.interval().dispatchers().get("both")).hasSize(3);
        assertThat(scene.interval().dispatchers().get("own")).hasSize(3);
    }
}
