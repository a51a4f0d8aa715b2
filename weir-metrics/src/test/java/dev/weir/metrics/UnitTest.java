package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.metrics.PipelineLook.PaceLook;
import dev.weir.stream.StageSnapshot.Activity;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how the time of threads is divided among stages and causes. */
class UnitTest {

    private final Scene scene = new Scene();

    private static Activity onThread(String name, boolean inPass, boolean sibling, boolean engine, int waiting) {
        return Activity.of(name, "t", Scene.VIRTUAL, 1, waiting, 0, 0, "", 0).withPass(inPass, sibling, engine);
    }

    /** Adds a stage to a thread. Its code runs in some of the readings. */
    private void fused(String name, double busy, double starved, double blocked, int inPass) {
        scene.stage(name, 1)
                .busy(busy)
                .idle(starved, blocked)
                .activity(look -> onThread(name, look < inPass, false, false, 0));
    }

    private Unit unit() {
        return scene.interval().units.getFirst();
    }

    // ---- Parts of stages that share a thread -----------------------------------------------------------------------

    /** Two stages of a thread. The counters say three to one. */
    @ParameterizedTest
    @CsvSource({
        "0, 0, 0.75", // no reading found running code
        "8, 2, 0.75",
        "6, 12, 0.3333333333333333", // two thirds, where the counters say a quarter
        "3, 7, 0.3", // 0.25 is less than half of 0.7
        "2, 7, 0.75", // too few readings
        "5, 5, 0.75", // 0.25 is half of 0.5
        "4, 5, 0.75"
    })
    void parts_areByTheCounters_unlessEnoughReadingsContradict(int first, int second, double expected) {
        scene.looks(20, 1);
        fused("a", 0.6, 0, 0, first);
        fused("b", 0.2, 0, 0, second);
        Unit unit = unit();
        assertThat(unit.partOf(unit.stages().get(0))).isCloseTo(expected, within(1e-9));
        assertThat(unit.partOf(unit.stages().get(1))).isCloseTo(1 - expected, within(1e-9));
        scene.stage("other", 1);
        assertThat(unit.partOf(scene.interval().units.getLast().stages().getFirst()))
                .isZero();
    }

    /** The thread is never idle, but the counters contain less than three tenths of its time. */
    @ParameterizedTest
    @CsvSource({"0.29, 2, 0, 0", "0.3, 2, 0, 1", "0.1, 0, 0, 1", "0, 0, 0, 0.5", "0, 1, 3, 0.75"})
    void parts_areByTheReadings_ifTheCountersCoverLittle(double counted, int ofSecond, int ofFirst, double first) {
        scene.looks(10, 1);
        fused("a", counted, 0, 0, ofFirst);
        fused("b", 0, 0, 0, ofSecond);
        assertThat(unit().partOf(unit().stages().getFirst())).isCloseTo(first, within(1e-9));
    }

    @Test
    void heaviest_isTheStageWithTheLargestPart_butOfTheEngineOnlyIfAlone() {
        fused("a", 0.2, 0.1, 0, 0);
        fused("b", 0.3, 0.1, 0, 0);
        fused("c", 0.3, 0.1, 0, 0);
        assertThat(unit().heaviest().name()).as("the first of equal ones").isEqualTo("b");
        fused("again-7", 0.9, 0.1, 0, 0);
        assertThat(unit().heaviest().name()).isEqualTo("b");
        Scene engine = new Scene();
        engine.stage("due", 1).busy(0.9).activity(look -> onThread("due", false, false, false, 0));
        assertThat(engine.interval().units.getFirst().heaviest().name()).isEqualTo("due");
    }

    @ParameterizedTest
    @ValueSource(strings = {"again", "failed", "divertTo", "done", "results", "due", "due-12"})
    void stagesOfTheEngine_areInternal(String name) {
        assertThat(Unit.isInternal(name)).isTrue();
        assertThat(Unit.isInternal(name + "x")).isFalse();
        assertThat(Unit.isInternal("my-" + name)).isFalse();
    }

    /** No call has finished. The first stage that has taken less has the element. */
    @Test
    void heaviest_beforeAnyCallHasFinished_isTheStageWithTheElement() {
        for (int holder = 0; holder <= 3; holder++) {
            Scene each = new Scene();
            for (int i = 0; i < 4; i++) {
                String name = "s" + i;
                long taken = i < holder || holder == 0 ? 5 : i == holder ? 4 : 0;
                long emitted = i < holder || holder == 0 ? 5 : 0;
                each.stage(name, 1).moves(taken, emitted).activity(look -> onThread(name, false, false, false, 0));
            }
            assertThat(each.interval().units.getFirst().heaviest().name()).isEqualTo("s" + holder);
        }
    }

    // ---- Threads that work -----------------------------------------------------------------------------------------

    @Test
    void sharedThread_worksWhileItWaitsForNothing_andTheEngineDoesNotWork() {
        fused("a", 0.1, 0.3, 0.2, 0);
        assertThat(unit().utilisation()).as("more than is counted").isCloseTo(0.5, within(1e-9));
        Scene counted = new Scene();
        counted.stage("a", 1).busy(0.8).idle(0.3, 0.2).activity(look -> onThread("a", true, false, false, 0));
        assertThat(counted.interval().units.getFirst().utilisation()).isCloseTo(0.8, within(1e-9));
        Scene engine = new Scene().looks(4, 1);
        engine.stage("a", 1).busy(0.1).idle(0.2, 0).activity(look -> onThread("a", false, false, look % 2 == 0, 0));
        assertThat(engine.interval().units.getFirst().utilisation())
                .as("half of the readings found it in the engine")
                .isCloseTo(0.4, within(1e-9));
    }

    @Test
    void ownWorkers_workAsCountedOrSeen_butNoMoreThanThereAre() {
        for (double[] each : new double[][] {{2, 3, 3}, {4, 3, 4}, {9, 3, 8}}) {
            Scene workers = new Scene();
            workers.stage("a", 8).busy(each[0]).activity(look -> Scene.workers("a", (int) each[1], 0, 0));
            Unit unit = workers.interval().units.getFirst();
            assertThat(unit.used()).isCloseTo(each[2], within(1e-9));
            assertThat(unit.utilisation()).isCloseTo(each[2] / 8, within(1e-9));
        }
    }

    @Test
    void rateLimit_isNoWork() {
        fused("a", 0.7, 0.1, 0.2, 0);
        scene.paces = look -> List.of(PaceLook.of("a", 5, look * Scene.SECOND / 2, true));
        assertThat(unit().used()).isCloseTo(0.5, within(1e-9));
        assertThat(unit().idle().paused()).isCloseTo(0.5 * 0.5 / 0.8, within(1e-9));
        scene.paces = look -> List.of(PaceLook.of("a", 5, 9L * look * Scene.SECOND, true));
        assertThat(unit().used()).as("at most the time that is left").isCloseTo(0.3, within(1e-9));
    }

    @Test
    void units_findWork_andHaveWorkWaiting() {
        fused("a", 0.9, 0.09, 0, 0);
        assertThat(unit().findsWork()).isTrue();
        Scene atTheBound = new Scene();
        atTheBound.fused("a", 0.9, false);
        assertThat(atTheBound.interval().units.getFirst().findsWork()).isFalse();
        for (int ready : new int[] {0, 1}) {
            Scene workers = new Scene();
            workers.workers("a", 8, 8, true, ready);
            Unit unit = workers.interval().units.getFirst();
            assertThat(unit.findsWork()).isEqualTo(ready == 1);
            assertThat(unit.hasWorkWaiting(0)).isEqualTo(ready == 1);
            assertThat(unit.hasWorkWaiting(0.3)).isTrue();
        }
    }

    @Test
    void unit_waitsFromHalfOfItsWorkOn() {
        for (int waiting : new int[] {3, 4}) {
            Scene workers = new Scene();
            workers.stage("a", 8).busy(8).activity(look -> Scene.workers("a", 8, waiting, 0));
            assertThat(workers.interval().units.getFirst().waits()).isEqualTo(waiting == 4);
        }
    }

    // ---- Shares ----------------------------------------------------------------------------------------------------

    /** The waits of a pass are divided by kind. */
    @Test
    void timeOfAWaitingStage_isDividedByKindOfWait() {
        scene.looks(4, 1);
        scene.stage("a", 1)
                .busy(0.8)
                .idle(0.2, 0)
                .activity(look -> onThread("a", true, false, false, look < 3 ? 1 : 0)
                        .withWaits(look == 0 ? 1 : 0, look == 1 ? 1 : 0, look == 2 ? 1 : 0));
        StageTime time = scene.interval().times().getFirst();
        assertThat(time.computing()).isCloseTo(0.2, within(1e-9));
        assertThat(time.locked()).isCloseTo(0.2, within(1e-9));
        assertThat(time.io()).isCloseTo(0.2, within(1e-9));
        assertThat(time.asleep()).isCloseTo(0.2, within(1e-9));
        assertThat(time.waitingOther()).isCloseTo(0, within(1e-9));
        assertThat(time.starved()).isCloseTo(0.2, within(1e-9));
    }

    @Test
    void stageOfASharedThread_isElsewhereWhileOthersWork() {
        fused("a", 0.6, 0.1, 0.1, 0);
        fused("b", 0.2, 0.1, 0.1, 0);
        List<StageTime> times = scene.looks(2, 2).interval().times();
        assertThat(times.get(0).computing()).isCloseTo(0.6, within(1e-9));
        assertThat(times.get(0).elsewhere()).isCloseTo(0.2, within(1e-9));
        assertThat(times.get(1).computing()).isCloseTo(0.2, within(1e-9));
        assertThat(times.get(1).elsewhere()).isCloseTo(0.6, within(1e-9));
        assertThat(times.get(1).starved()).isCloseTo(0.1, within(1e-9));
        assertThat(times.get(1).blocked()).isCloseTo(0.1, within(1e-9));
        assertThat(times.get(1).nanosPerElement()).isCloseTo(0.2 * 1e9 / 500, within(1.0));
    }

    /** A slower branch explains the larger of the two idle times first. */
    @ParameterizedTest
    @CsvSource({
        "0.5, 0.1, 2, 0.3, 0.2, 0.1",
        "0.1, 0.5, 2, 0.1, 0.2, 0.3",
        "0.5, 0.1, 6, 0, 0.6, 0",
        "0.1, 0.5, 6, 0, 0.6, 0",
        "0.1, 0.1, 9, 0, 0.2, 0"
    })
    void waitForASlowerBranch_isPartOfTheIdleTime(
            double starved, double blocked, int ofTen, double restStarved, double sibling, double restBlocked) {
        scene.looks(10, 1);
        scene.stage("a", 1)
                .busy(1 - starved - blocked)
                .idle(starved, blocked)
                .activity(look -> onThread("a", true, look < ofTen, false, 0));
        StageTime time = scene.interval().times().getFirst();
        assertThat(time.starved()).isCloseTo(restStarved, within(1e-9));
        assertThat(time.sibling()).isCloseTo(sibling, within(1e-9));
        assertThat(time.blocked()).isCloseTo(restBlocked, within(1e-9));
    }

    /** Whatever the counters and readings say, the shares of each stage are its whole time. */
    @Test
    void shares_addUpToOne() {
        Random random = new Random(11);
        for (int i = 0; i < 300; i++) {
            Scene each = new Scene().looks(2 + random.nextInt(20), 0.1 + random.nextDouble());
            int stages = 1 + random.nextInt(5);
            List<String> names = new ArrayList<>();
            for (int s = 0; s < stages; s++) {
                String name = "s" + s;
                names.add(name);
                boolean isOwn = random.nextInt(3) == 0;
                long seed = random.nextLong();
                Scene.Stage stage = each.stage(name, 1 + random.nextInt(4))
                        .busy(random.nextInt(3) * random.nextDouble())
                        .idle(random.nextDouble() * random.nextInt(2), random.nextDouble() * random.nextInt(2));
                if (random.nextInt(4) > 0) {
                    stage.activity(look -> sample(new Random(seed + look), name, isOwn ? null : "t" + seed % 2));
                }
            }
            double paused = random.nextInt(2) * random.nextDouble();
            each.paces = look ->
                    List.of(PaceLook.of(names.getFirst(), 5, Math.round(look * paused * Scene.SECOND / 10), true));
            each.machine(random.nextBoolean() ? Double.NaN : 8 * random.nextDouble(), 0.5);
            for (StageTime time : each.interval().times()) {
                assertThat(time.shares().values())
                        .as("%s", time)
                        .allSatisfy(share -> assertThat(share).isBetween(-1e-9, 1 + 1e-9));
                assertThat(time.shares().values().stream()
                                .mapToDouble(share -> share)
                                .sum())
                        .as("%s", time)
                        .isCloseTo(1, within(1e-9));
            }
        }
    }

    private static Activity sample(Random random, String name, @Nullable String thread) {
        int atWork = random.nextInt(4);
        int waiting = random.nextInt(atWork + 1);
        int io = random.nextInt(waiting + 1);
        boolean isInPass = atWork > 0 && random.nextBoolean();
        return Activity.of(name, thread, Scene.VIRTUAL, atWork, waiting, random.nextInt(9), random.nextInt(9), "", 0)
                .withWaits(waiting - io, io, 0)
                .withPass(
                        isInPass, !isInPass && random.nextBoolean(), !isInPass && waiting > 0 && random.nextBoolean());
    }
}
