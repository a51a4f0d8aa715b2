package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.kafka.ConsumerDump.Oldest;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.StageSnapshot.Activity;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the figures of one stage, and the words on the oldest record. */
class StageLoadTest {

    private static StageSnapshot counters(long seconds, long in, long out, long busy, long up, long down) {
        long second = Scene.SECOND;
        return StageSnapshot.of("a", 4, in, out, busy * second, up * second, down * second, 0, seconds * second);
    }

    private static StageLoad load(List<Activity> samples) {
        return StageLoad.between(counters(0, 0, 0, 0, 0, 0), counters(1, 0, 0, 0, 0, 0), samples, Scene.SECOND);
    }

    /** Returns one sample per number of threads at work. */
    private static List<Activity> atWork(int... threads) {
        return IntStream.of(threads)
                .mapToObj(each -> Scene.workers("a", each, 0, 0))
                .toList();
    }

    /** Several threads work, wait for input and wait for room for 13 seconds in all. */
    @Test
    void counters_areDividedByTheInterval_orByTheTimeOfAllThreads() {
        StageSnapshot first = counters(0, 10, 20, 9, 5, 7);
        StageSnapshot last = counters(4, 110, 220, 17, 7, 10);
        StageLoad load = StageLoad.between(first, last, List.of(), 4.0 * Scene.SECOND);
        assertThat(load.busy()).isEqualTo(2);
        assertThat(load.starved()).isCloseTo(2 / 13.0, within(1e-9));
        assertThat(load.blocked()).isCloseTo(3 / 13.0, within(1e-9));
        assertThat(load.in()).isEqualTo(100);
        assertThat(load.out()).isEqualTo(200);
        StageLoad idle = StageLoad.between(first, last, List.of(), 20.0 * Scene.SECOND);
        assertThat(idle.starved()).isCloseTo(0.1, within(1e-9));
        assertThat(idle.blocked()).isCloseTo(0.15, within(1e-9));
        StageLoad again = StageLoad.between(last, first, List.of(), 4.0 * Scene.SECOND);
        assertThat(List.of(again.busy(), again.starved(), again.blocked()))
                .as("the counters began again")
                .containsOnly(0.0);
        assertThat(again.in() + again.out()).isZero();
    }

    @Test
    void shares_countReadings() {
        List<Activity> samples = atWork(0, 1, 2, 5);
        assertThat(load(samples).atWork()).isEqualTo(2);
        assertThat(load(samples).share(each -> each.atWork() > 1)).isEqualTo(0.5);
        assertThat(load(samples).shareAtWork(each -> each.atWork() > 1)).isCloseTo(2 / 3.0, within(1e-9));
        assertThat(load(atWork(0, 0)).shareAtWork(each -> true)).isZero();
        assertThat(load(List.of()).share(each -> true)).isZero();
        assertThat(load(List.of()).atWork()).isZero();
        assertThat(load(List.of()).isSequential()).isFalse();
        assertThat(load(atWork(1)).isSequential()).isFalse();
        assertThat(load(List.of(Scene.workers("a", 1, 0, 0).sequential())).isSequential())
                .isTrue();
    }

    private static Activity pass(int atWork, int waiting, boolean inPass, boolean sibling, boolean engine) {
        return Scene.workers("a", atWork, waiting, 0).withPass(inPass, sibling, engine);
    }

    @Test
    void waits_areOfUserCodeOrOfTheEngine() {
        StageLoad load = load(List.of(
                pass(1, 1, true, false, false),
                pass(1, 0, true, false, false),
                pass(1, 0, true, false, false),
                pass(1, 1, false, false, true),
                pass(0, 0, false, true, false)));
        assertThat(load.inPass()).isEqualTo(3);
        assertThat(load.waitShareInPass()).isCloseTo(1 / 3.0, within(1e-9));
        assertThat(load.engineShare()).as("of four readings at work").isEqualTo(0.25);
        assertThat(load.siblingShare()).as("of all readings").isCloseTo(0.2, within(1e-9));
        assertThat(load.waitShare()).as("without the engine").isCloseTo(1 / 3.0, within(1e-9));
        assertThat(load(List.of(pass(1, 1, false, false, true))).waitShare()).isNaN();
        assertThat(load(List.of(pass(0, 0, false, false, false))).waitShareInPass())
                .isNaN();
        assertThat(load(atWork(0)).engineShare()).isZero();
        assertThat(load(List.of()).waitShare()).isNaN();
    }

    @Test
    void kindsOfWaits_areSharesOfAllWaits() {
        StageLoad load = load(List.of(
                Scene.workers("a", 4, 4, 0).withWaits(1, 2, 0),
                Scene.workers("a", 4, 0, 0),
                Scene.workers("a", 4, 4, 0).withWaits(1, 0, 0)));
        assertThat(load.ofWaits(Activity::locked)).isCloseTo(0.25, within(1e-9));
        assertThat(load.ofWaits(Activity::io)).isCloseTo(0.25, within(1e-9));
        assertThat(load(atWork(4)).ofWaits(Activity::locked)).isZero();
    }

    // ---- Oldest records --------------------------------------------------------------------------------------------

    private static PartitionDump partition(int number, @Nullable Oldest oldest) {
        return PartitionDump.builder()
                .topic("orders")
                .partition(number)
                .oldest(oldest)
                .build();
    }

    private static Oldest record(long offset, long millis) {
        return Oldest.of(offset, Duration.ofMillis(millis), 0x1f, Oldest.IN_FLIGHT);
    }

    @Test
    void oldestRecord_isTheOneOfTheGreatestAge() {
        PartitionDump young = partition(0, record(5, 100));
        PartitionDump old = partition(1, record(6, 2_340));
        PartitionDump asOld = partition(2, record(7, 2_340));
        PartitionDump none = partition(3, null);
        assertThat(Partitions.withOldest(List.of(none, young, old, asOld))).isEqualTo(old);
        assertThat(Partitions.withOldest(List.of(old, young))).isEqualTo(old);
        assertThat(Partitions.withOldest(List.of(none))).isNull();
        assertThat(Partitions.withOldest(List.of(none, partition(4, record(8, 0)))))
                .as("it has just begun")
                .isNotNull();
        assertThat(Partitions.oldest(List.of(young, old))).isEqualTo("; orders-1@6 is unfinished for 2.3 s");
        assertThat(Partitions.oldest(List.of(none))).isEmpty();
    }
}
