package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.metrics.Limiter.Confidence;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.metrics.PipelineLook.ConsumerLook;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.StageSnapshot.Activity;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests sentences, advice and gains for two readings, one second apart. */
class LimiterFinderTest {

    private static final long SECOND = 1_000_000_000;
    private static final DispatcherSnapshot VIRTUAL =
            DispatcherSnapshot.of("virtual", Dispatcher.Kind.VIRTUAL, Integer.MAX_VALUE, 8, 8, 0, 0);

    private final List<StageSnapshot> before = new ArrayList<>();
    private final List<StageSnapshot> after = new ArrayList<>();
    private final List<Activity> activity = new ArrayList<>();
    private MachineLook first = MachineLook.unknown(8);
    private MachineLook second = MachineLook.unknown(8);

    /** Adds a stage that is busy for {@code busy} thread seconds in the second, and moves 1000 elements. */
    private LimiterFinderTest stage(String name, int parallelism, double busy, double starved, double blocked) {
        before.add(StageSnapshot.of(name, parallelism, 0, 0, 0, 0, 0, 0, SECOND));
        after.add(StageSnapshot.of(
                name,
                parallelism,
                1000,
                1000,
                (long) (busy * SECOND),
                (long) (starved * parallelism * SECOND),
                (long) (blocked * parallelism * SECOND),
                0,
                2 * SECOND));
        return this;
    }

    private LimiterFinderTest fused(String name, String thread, double busy, double starved, double blocked) {
        activity(name, thread, busy > 0.5 ? 1 : 0, 0, 0);
        return stage(name, 1, busy, starved, blocked);
    }

    private LimiterFinderTest activity(String name, @Nullable String thread, int atWork, int waiting, int ready) {
        activity.add(Activity.of(name, thread, VIRTUAL, atWork, waiting, ready, 0, "", 0));
        return this;
    }

    /**
     * Sets a machine of eight processors. The process uses {@code used} of them. {@code load} is the busy fraction of
     * all.
     */
    private LimiterFinderTest machine(double used, double load) {
        first = MachineLook.of(8, 0, load, 0);
        second = MachineLook.of(8, used * SECOND, load, 0);
        return this;
    }

    private Limiter find() {
        return find(List.of());
    }

    private Limiter find(List<ConsumerLook> consumers) {
        return find(consumers, consumers);
    }

    private Limiter find(List<ConsumerLook> earlier, List<ConsumerLook> consumers) {
        return LimiterFinder.find(
                PipelineLook.of(0, before, activity, earlier, List.of(), first),
                PipelineLook.of(SECOND, after, activity, consumers, List.of(), second));
    }

    /** 8 workers wait, the next stage is busy for a third of the time, and many processors are idle. */
    @Test
    void lanesThatWait_growAsFarAsTheNextStageAllows() {
        fused("consume", "consume", 0.05, 0, 0.95);
        activity("price", null, 8, 8, 500);
        stage("price", 8, 8, 0, 0);
        fused("produce", "produce", 1 / 3.0, 2 / 3.0, 0);
        Limiter limiter = machine(0.96, 0.12).find();
        assertThat(limiter.kind()).isEqualTo(Kind.STAGE_WAIT);
        assertThat(limiter.advice()).isEqualTo("raise the parallelism of price from 8 to 24");
        assertThat(limiter.expectedGain()).isCloseTo(3, within(0.01));
        assertThat(limiter.sentence())
                .isEqualTo("price has 8.0 of 8 threads at work, which wait 100 % of their time;"
                        + " the machine's processors are 12 % busy");
    }

    @Test
    void lanesThatWaitForOneLock_areNotAdvisedToBeMore() {
        activity.add(Activity.of("ledger", null, VIRTUAL, 16, 16, 500, 0, "", 15));
        stage("consume", 1, 0.01, 0, 0.9).stage("ledger", 16, 16, 0, 0);
        Limiter limiter = machine(0.4, 0.05).find();
        assertThat(limiter.kind()).isEqualTo(Kind.STAGE_WAIT);
        assertThat(limiter.name()).isEqualTo("ledger");
        assertThat(limiter.sentence()).endsWith("; 15 of them for one lock");
        assertThat(limiter.advice()).startsWith("do less of ledger under its lock");
        assertThat(limiter.expectedGain()).isEqualTo(1);
    }

    /**
     * Regression: the finding promised no gain from more threads, although four times the workers gave four times the
     * rate.
     */
    @Test
    void lanesThatWait_areNotBoundByProcessors_thatOthersUse() {
        activity("price", null, 8, 8, 500);
        stage("consume", 1, 0.01, 0, 0.9).stage("price", 8, 8, 0, 0);
        Limiter limiter = machine(0.4, 1).find();
        assertThat(limiter.kind()).isEqualTo(Kind.STAGE_WAIT);
        assertThat(limiter.expectedGain()).isEqualTo(Interval.MOST_GAIN);
        assertThat(limiter.lever().kind()).isEqualTo(Lever.Kind.PARALLELISM);
        assertThat(limiter.lever().to()).isEqualTo(128);
    }

    /** Regression: larger batches were promised to gain 1.66 and gained 0.93. */
    @Test
    void lanesThatCompute_growNoFurtherThanTheProcessors_whateverTheLoadSays() {
        activity("price", null, 6, 0, 500);
        stage("consume", 1, 0.01, 0, 0.9).stage("price", 6, 6, 0, 0);
        assertThat(machine(6.4, 0.4).find().expectedGain()).isCloseTo(8 / 6.4, within(0.01));
        assertThat(machine(6.4, Double.NaN).find().expectedGain()).isCloseTo(8 / 6.4, within(0.01));
    }

    @Test
    void lanesThatWait_growNoFurtherThanWorkWaits() {
        activity("price", null, 8, 8, 4);
        stage("consume", 1, 0.01, 0, 0.9).stage("price", 8, 8, 0, 0);
        assertThat(find().expectedGain()).isCloseTo(1.5, within(0.01));
    }

    @Test
    void heaviestOfFusedStages_isNamed_andTheOthersLimitNext() {
        fused("consume", "all", 0.1, 0.02, 0)
                .fused("parse", "all", 0.68, 0.02, 0)
                .fused("produce", "all", 0.2, 0.02, 0);
        Limiter limiter = find();
        assertThat(limiter.kind()).isEqualTo(Kind.STAGE_CPU);
        assertThat(limiter.name()).isEqualTo("parse");
        assertThat(limiter.expectedGain()).isCloseTo(1 / 0.3, within(0.01));
    }

    /** The stage already has nearly a whole thread. */
    @Test
    void fusedStageThatWaits_getsThreadsOfItsOwn_asManyAsTheOthersOnItsThreadAllow() {
        activity("look up", "all", 1, 1, 0);
        activity("encode", "all", 0, 0, 0);
        stage("look up", 1, 0.9, 0, 0).stage("encode", 1, 0.1, 0, 0);
        Limiter limiter = machine(0.4, 0.99).find();
        assertThat(limiter.kind()).isEqualTo(Kind.STAGE_WAIT);
        assertThat(limiter.advice()).startsWith("give look up its own threads: mapBlocking or mapAsync with 1");
        assertThat(limiter.expectedGain()).isCloseTo(10, within(0.1));
    }

    /** A platform thread in a blocking read looks runnable, but uses no processor time. */
    @Test
    void threadsThatUseNoProcessor_wait_thoughTheyLookRunnable() {
        activity("fetch page", null, 4, 0, 500);
        stage("consume", 1, 0.01, 0, 0.9).stage("fetch page", 4, 4, 0, 0);
        Limiter limiter = machine(0.2, 0.05).find();
        assertThat(limiter.kind()).isEqualTo(Kind.STAGE_WAIT);
        assertThat(limiter.sentence()).contains("wait 95 % of their time");
    }

    @Test
    void stageThatComputesOnAFullMachine_isMachineCpu_andTheHeaviestIsNamed() {
        activity("parse", null, 8, 0, 500);
        activity("encode", null, 1, 0, 0);
        stage("consume", 1, 0.01, 0, 0.9).stage("parse", 8, 7.2, 0, 0).stage("encode", 8, 0.8, 0, 0);
        Limiter limiter = machine(7.9, 0.99).find();
        assertThat(limiter.kind()).isEqualTo(Kind.MACHINE_CPU);
        assertThat(limiter.advice()).contains("make parse cheaper: it is 89 % of the stages' work");
        assertThat(limiter.expectedGain()).isCloseTo(1 / 0.55, within(0.02));
    }

    /** Another process uses one processor, which does not slow a single computing thread. */
    @Test
    void stageThatComputes_isNamed_thoughOthersFillTheMachine() {
        fused("consume", "all", 0.1, 0, 0).fused("parse", "all", 0.9, 0, 0);
        Limiter limiter = machine(0.98, 1).find();
        assertThat(limiter.kind()).isEqualTo(Kind.STAGE_CPU);
        assertThat(limiter.name()).isEqualTo("parse");
        assertThat(limiter.confidence()).isEqualTo(Confidence.SURE);
    }

    @Test
    void stageThatGetsTooLittleOfAProcessor_isNamed_withWhatItDoesNotGet() {
        activity("consume", "all", 1, 0, 0).activity("parse", "all", 1, 0, 0);
        stage("consume", 1, 0.1, 0, 0).stage("parse", 1, 0.9, 0, 0);
        Limiter limiter = machine(0.5, 1).find();
        assertThat(limiter.kind()).isEqualTo(Kind.STAGE_CPU);
        assertThat(limiter.sentence())
                .endsWith("by others too: of the 1.0 processors that the stages want the process gets 0.5");
    }

    /** Regression: brokers kept the machine busy, and the finding was "produce", which used half a thread. */
    @Test
    void fullMachine_isNamed_ifRecordsWaitAndNoStageIsFull() {
        activity("produce", "all", 1, 0, 0);
        stage("consume", 1, 0.1, 0, 0.4).stage("produce", 1, 0.5, 0.5, 0);
        List<ConsumerLook> behind =
                StubLooks.consumer(StubLooks.partition(0).inFlight(50).lag(900_000));
        Limiter limiter = machine(1.2, 0.99).find(behind);
        assertThat(limiter.kind()).isEqualTo(Kind.MACHINE_CPU);
        assertThat(limiter.sentence())
                .contains("no stage is at its limit: this process uses 1.2 of them, its stages 0.6");
        assertThat(machine(1.2, 0.6).find(behind).kind()).isNotEqualTo(Kind.MACHINE_CPU);
        assertThat(machine(1.2, 0.99).find().kind()).isNotEqualTo(Kind.MACHINE_CPU);
    }

    /** Regression: the finding was that the pipeline keeps up, although 59,488 buffered records did not leave. */
    @Test
    void recordsThatAreFetchedAndWait_areABacklog() {
        fused("consume", "consume", 0.1, 0.9, 0);
        Limiter limiter = machine(0.1, 0.1)
                .find(StubLooks.consumer(StubLooks.partition(0).buffered(59_488).lag(59_488)));
        assertThat(limiter.kind()).isNotIn(Kind.ARRIVAL, Kind.SOURCE_IDLE);
    }

    @Test
    void windowsThatAreFull_areNoKeepingUp() {
        fused("consume", "consume", 0.1, 0.9, 0);
        Limiter limiter = machine(0.1, 0.1)
                .find(StubLooks.consumer(
                        StubLooks.partition(0).inFlight(500).lag(500).paused(Paused.WINDOW)));
        assertThat(limiter.kind()).isEqualTo(Kind.WINDOW);
    }

    @Test
    void fullWindowWithoutUnfinishedRecords_isNotDoubled() {
        fused("consume", "consume", 0.1, 0.9, 0);
        Limiter limiter = machine(0.1, 0.1)
                .find(StubLooks.consumer(StubLooks.partition(0).lag(500_000).paused(Paused.WINDOW)));
        assertThat(limiter.kind()).isNotEqualTo(Kind.WINDOW);
    }

    /** With at most once, buffered records wait for a commit. The first reading had none. */
    @Test
    void fullWindowWhoseRecordsAreAllBuffered_isNotNamed() {
        fused("consume", "consume", 0.1, 0.9, 0);
        List<ConsumerLook> earlier =
                StubLooks.consumer(StubLooks.partition(0).lag(500_000).paused(Paused.WINDOW));
        Limiter limiter = machine(0.1, 0.1)
                .find(
                        earlier,
                        StubLooks.consumer(StubLooks.partition(0)
                                .lag(500_000)
                                .buffered(400)
                                .paused(Paused.WINDOW)));
        assertThat(limiter.kind()).isNotEqualTo(Kind.WINDOW);
    }

    @Test
    void dispatcherWhoseNextStageIsFull_isNotAdvisedItsOwnSize() {
        DispatcherSnapshot jdbc = DispatcherSnapshot.of("jdbc", Dispatcher.Kind.FIXED, 2, 2, 2, 5, 0);
        activity.add(Activity.of("store", null, jdbc, 2, 2, 100, 0, "", 0));
        stage("consume", 1, 0.01, 0, 0.9).stage("store", 8, 2, 0, 0);
        Limiter limiter = machine(1.5, 1).find();
        assertThat(limiter.kind()).isEqualTo(Kind.DISPATCHER);
        assertThat(limiter.lever().to()).isGreaterThan(2);
        activity("last", null, 4, 4, 100);
        stage("last", 4, 4, 0, 0);
        Limiter next = find();
        assertThat(next.advice()).doesNotContain("from 2 to 2");
    }

    @Test
    void adviceWithoutALever_isAFact_andPromisesNothing() {
        fused("consume", "all", 0.05, 0, 0);
        activity("look up", "all", 1, 1, 0);
        stage("look up", 1, 0.9, 0, 0);
        fused("out", "all", 0.05, 0, 0);
        Limiter limiter = machine(0.2, 0.2).find();
        assertThat(limiter.advice()).startsWith("give look up its own threads");
        assertThat(limiter.expectedGain()).isGreaterThan(2);
        Limiter said = limiter.inWordsOf(FrontEnd.COMMAND_LINE, words -> words);
        assertThat(said.advice())
                .isEqualTo("look up works on one element at a time, and only its code can change that");
        assertThat(said.expectedGain()).isEqualTo(1);
    }

    /** The number of busy workers depends on arrivals: some workers are idle. */
    @Test
    void busyLanesWithoutWorkWaiting_areNotTheLimiter() {
        fused("consume", "consume", 0.1, 0.9, 0);
        activity("price", null, 6, 6, 0);
        stage("price", 8, 6, 0.25, 0);
        assertThat(find().kind()).isEqualTo(Kind.ARRIVAL);
    }

    /** A consumer that has just started may get partitions a second later, so it gets no advice about other members. */
    @Test
    void consumerWithoutPartitions_isTakenIn_orHasNothingLeft() {
        before.add(StageSnapshot.of("consume", 1, 0, 0, 0, 0, 0, 0, SECOND));
        after.add(StageSnapshot.of("consume", 1, 0, 0, 0, SECOND, 0, 0, 2 * SECOND));
        Limiter joining = find(StubLooks.unassigned(0));
        assertThat(joining.kind()).isEqualTo(Kind.SOURCE_IDLE);
        assertThat(joining.sentence()).isEqualTo("no partition is assigned yet: the group takes the consumer in");
        assertThat(joining.advice()).startsWith("wait; if it continues");
        Limiter standby = find(StubLooks.unassigned(1));
        assertThat(standby.kind()).isEqualTo(Kind.SOURCE_IDLE);
        assertThat(standby.sentence()).isEqualTo("no partition is assigned");
        assertThat(standby.advice()).isEqualTo("look whether other members of the group have them all");
    }

    @Test
    void stages_thatAreNone_haveNothingToDo() {
        Limiter limiter = find();
        assertThat(limiter.kind()).isEqualTo(Kind.ARRIVAL);
        assertThat(limiter.expectedGain()).isEqualTo(1);
        assertThat(limiter.measuredGain()).isNull();
    }

    @Test
    void oneLook_isRefused() {
        PipelineLook look = PipelineLook.of(5, before, activity, List.of(), List.of(), first);
        assertThatThrownBy(() -> LimiterFinder.find(List.of(look))).isInstanceOf(IllegalArgumentException.class);
        PipelineLook earlier = PipelineLook.of(4, before, activity, List.of(), List.of(), first);
        assertThatThrownBy(() -> LimiterFinder.find(look, earlier)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void kinds_haveTheIdsOfTheCommandLine() {
        assertThat(Kind.STAGE_CPU.id()).isEqualTo("stage-cpu");
        assertThat(Kind.SHARE_FETCH_LOCK.id()).isEqualTo("share-fetch-lock");
    }

    @Test
    void limiter_withAGainBelowOne_isRefused() {
        assertThatThrownBy(() -> Limiter.of(Kind.GC, "gc", "", "", 0.5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0.5");
        assertThat(Limiter.of(Kind.GC, "gc", "", "", 2).measured(1.8).measuredGain())
                .isEqualTo(1.8);
    }
}
