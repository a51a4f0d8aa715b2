package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.kafka.ShareHandle;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.metrics.PipelineLook.PaceLook;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests from where on the machine, a rate limit or a share group's member is the limiter. */
class MachineAndPaceRulesTest {

    private final Scene scene = new Scene();

    private static Limiter some(@Nullable Limiter limiter) {
        return Objects.requireNonNull(limiter);
    }

    private static void kind(@Nullable Limiter limiter, @Nullable Kind kind) {
        assertThat(limiter == null ? null : limiter.kind()).isEqualTo(kind);
    }

    // ---- Garbage collector -----------------------------------------------------------------------------------------

    @Test
    void collector_isTheLimiterFromAQuarterOfTheTimeOn_andItsTimeIsTheGain() {
        assertThat(MachineRules.collector(scene.collecting(0.2499).interval())).isNull();
        assertThat(some(MachineRules.collector(scene.collecting(0.25).interval()))
                        .expectedGain())
                .isCloseTo(1 / 0.75, within(1e-9));
        Limiter half =
                some(MachineRules.collector(scene.looks(2, 4).collecting(0.5).interval()));
        assertThat(half.kind()).isEqualTo(Kind.GC);
        assertThat(half.sentence()).contains("for 50 % of the time");
        assertThat(half.expectedGain()).isCloseTo(2, within(1e-9));
        assertThat(some(MachineRules.collector(scene.collecting(1).interval())).expectedGain())
                .isEqualTo(Interval.MOST_GAIN);
    }

    // ---- Processors ------------------------------------------------------------------------------------------------

    /** The stages want some of eight processors and get some. The last column: whether the machine is full. */
    @ParameterizedTest
    @CsvSource({
        "8, 8, 0.9, true", // all processors are wanted
        "8, 8, 0.8999, false",
        "8, 8, NaN, false",
        "7.2, 7.2, 0.95, true", // nine tenths of them
        "7.1, 7.1, 0.95, false", // most of them, and the process has what it wants
        "2, 1.4, 0.95, false", // 70 % of what it wants
        "2, 1.39, 0.95, true",
        "2, NaN, 0.95, true", // unknown
        "0.5, 0.1, 0.95, true",
        "0.49, 0.1, 0.95, false" // too little to judge
    })
    void machine_isFullIfItsLoadIsHigh_andStagesNeedAllOfItOrGetTooLittle(
            double computing, double used, double load, boolean full) {
        if (computing < 1) {
            scene.fused("price", computing, false);
        } else {
            scene.stage("price", 8).busy(computing).activity(look -> Scene.workers("price", 1, 0, 9));
        }
        Interval interval = scene.machine(used, load).interval();
        assertThat(interval.computing()).isEqualTo(computing, within(1e-9));
        assertThat(MachineRules.isFull(interval)).isEqualTo(full);
        kind(MachineRules.processors(interval), full ? Kind.MACHINE_CPU : null);
    }

    @Test
    void deprivedStages_areSaidToGetLess() {
        scene.workers("price", 8, 4, false, 9);
        assertThat(MachineRules.deprived(scene.machine(2, 0.95).interval()))
                .isEqualTo(", by others too: of the 4.0 processors that the stages want the process gets 2.0");
        assertThat(MachineRules.deprived(scene.machine(4, 0.95).interval())).isEmpty();
        assertThat(MachineRules.deprived(scene.machine(2, 0.5).interval())).isEmpty();
    }

    /** Half of the heaviest stage's work is saved: a sixth of 12 processors. Stages of the engine stay as they are. */
    @Test
    void gainOnAFullMachine_isHalfOfTheHeaviestStage() {
        scene.workers("price", 8, 4, false, 9);
        scene.workers("rate", 2, 2, false, 9);
        scene.workers("again", 8, 6, false, 9);
        Limiter limiter = MachineRules.outOfProcessors(scene.machine(8, 1).interval());
        assertThat(limiter.expectedGain()).isCloseTo(1.2, within(1e-9));
        assertThat(limiter.sentence())
                .isEqualTo("the machine's 8 processors are 100 % busy, and the stages want 12 of them");
        assertThat(limiter.advice()).endsWith("or make price cheaper: it is 33 % of the stages' work");

        Limiter none = MachineRules.outOfProcessors(new Scene().machine(8, 1).interval());
        assertThat(none.expectedGain()).isEqualTo(1);
        assertThat(none.advice()).isEqualTo("give it more processors or another instance");
    }

    @Test
    void fullMachineWithWaitingRecords_isTheLimiterIfNoStageIsFull() {
        scene.fused("consume", 0.3, false);
        scene.workers("price", 10, 6, false, 9);
        scene.consumers = look -> StubLooks.consumer(StubLooks.partition(0).lag(60_000));
        scene.machine(2, 0.9);
        Limiter limiter = some(MachineRules.takenElsewhere(scene.interval()));
        assertThat(limiter.sentence())
                .isEqualTo("the machine's 8 processors are 90 % busy, and no stage is at its limit:"
                        + " this process uses 2.0 of them, its stages 6.3");
        kind(MachineRules.takenElsewhere(scene.machine(2, 0.89).interval()), null);
        assertThat(some(MachineRules.takenElsewhere(
                                scene.machine(Double.NaN, 0.95).interval()))
                        .sentence())
                .endsWith("no stage is at its limit");

        scene.consumers = look -> StubLooks.consumer(StubLooks.partition(0).lag(1));
        kind(MachineRules.takenElsewhere(scene.machine(2, 0.95).interval()), null);
        scene.consumers = look -> StubLooks.consumer(StubLooks.partition(0).lag(60_000));
        scene.workers("busy", 10, 7, false, 9);
        kind(MachineRules.takenElsewhere(scene.machine(2, 0.95).interval()), null);
    }

    // ---- Rates and share groups ------------------------------------------------------------------------------------

    private Limiter paced(double perSecond, double waits) {
        scene.paces = look -> List.of(
                PaceLook.of("other", 7, 3, true),
                PaceLook.of("slow", perSecond, 5 + Math.round(look * waits * Scene.SECOND), false));
        return scene.find();
    }

    @Test
    void rate_isTheLimiterFromHalfOfTheTimeOn() {
        scene.fused("consume", 0.2, false);
        scene.fused("slow", 0.5, false);
        assertThat(PaceRules.rate(scene.interval())).isNull();
        Limiter limiter = paced(500, 0.5);
        assertThat(limiter.name()).isEqualTo("slow");
        assertThat(limiter.sentence())
                .isEqualTo("slow lets 500 a second pass, and elements wait for that 50 % of the time");
        assertThat(limiter.expectedGain()).as("the next limit is consume").isCloseTo(5, within(0.01));
        assertThat(paced(500, 0.4999).sentence()).doesNotContain("a second pass");
        assertThat(paced(0, 0.9).sentence()).as("no rate").doesNotContain("a second pass");
        assertThat(paced(500, 1.7).sentence())
                .as("several streams under one name")
                .endsWith("wait for that 100 % of the time");
    }

    private @Nullable Limiter share(String kind, double gain) {
        scene.shares = List.of(ShareHandle.Snapshot.builder()
                .lag(9)
                .lanes(1)
                .pollRecords(1)
                .acquireMode("batch")
                .workers(8)
                .limit(ShareHandle.Limit.of(kind, "name", "sentence", "advice", gain))
                .build());
        return PaceRules.share(scene.interval());
    }

    @Test
    void memberOfAShareGroup_namesALimitOfShareGroupsOnly() {
        for (Kind kind : Kind.values()) {
            boolean isOfShareGroups = kind.id().startsWith("share-");
            kind(share(kind.id(), 3), isOfShareGroups ? kind : null);
        }
        kind(share("share-of-something", 3), null);
        Limiter limiter = some(share("share-window", 3));
        assertThat(List.of(limiter.name(), limiter.sentence(), limiter.advice()))
                .containsExactly("name", "sentence", "advice");
        assertThat(limiter.expectedGain()).isEqualTo(3);
        assertThat(some(share("share-window", 0.5)).expectedGain()).isEqualTo(1);
        assertThat(some(share("share-window", 99)).expectedGain()).isEqualTo(Interval.MOST_GAIN);
    }
}
