package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.metrics.PipelineLook.ConsumerLook;
import dev.weir.metrics.StubLooks.Partition;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests from where on a full window or the byte budget is the limiter. */
class WindowRulesTest {

    private static final Partition READ = StubLooks.partition(0).inFlight(5).lag(600_000);

    private final Scene scene = new Scene();

    private boolean isFull() {
        return WindowRules.full(scene.interval()) != null;
    }

    private Limiter full() {
        return Objects.requireNonNull(WindowRules.full(scene.interval()));
    }

    /** Pauses the partition in some of ten readings. */
    private void paused(Paused reason, int ofTen, Partition partition) {
        scene.looks(10, 1);
        scene.consumers = look -> StubLooks.consumer(look < ofTen ? partition.paused(reason) : partition);
    }

    @ParameterizedTest
    @CsvSource({"0.39, 5, true", "0.39, 4, false", "0.4, 2, true", "0.4, 1, false"})
    void window_isTheLimiterFromHalfOfTheTimeOn_orAFifthIfTheSourceStarves(double starved, int ofTen, boolean found) {
        scene.stage("consume", 1).idle(starved, 0.1);
        for (Paused reason : List.of(Paused.WINDOW, Paused.BUDGET)) {
            paused(reason, ofTen, READ);
            assertThat(isFull()).as("%s", reason).isEqualTo(found);
        }
        paused(Paused.STARTING, 10, READ);
        assertThat(isFull()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(
            value = Paused.class,
            names = {"WINDOW", "BUDGET"})
    void setting_isDoubled(Paused reason) {
        scene.stage("consume", 1).idle(0.5, 0.1);
        paused(reason, 10, READ);
        Limiter limiter = full();
        boolean isWindow = reason == Paused.WINDOW;
        assertThat(limiter.kind()).isEqualTo(isWindow ? Kind.WINDOW : Kind.BYTE_BUDGET);
        assertThat(limiter.name()).isEqualTo("orders-0");
        assertThat(limiter.advice()).isEqualTo("double " + (isWindow ? "maxOutstandingRecords" : "bufferBytes"));
        assertThat(limiter.sentence())
                .isEqualTo("partitions with records to read are paused 100 % of the time, because "
                        + (isWindow ? "their windows are full" : "the memory budget is used up")
                        + ", with 5 records unfinished and stages that wait");
        assertThat(limiter.expectedGain()).isEqualTo(2);
        scene.fused("price", 0.8, true);
        assertThat(full().expectedGain()).as("the next limit").isCloseTo(1.25, within(0.01));
    }

    @Test
    void severalFullPartitions_areNamedByTheirConsumer() {
        scene.stage("consume", 1).idle(0.5, 0.1);
        scene.consumers = look -> StubLooks.consumer(
                READ.paused(Paused.WINDOW),
                StubLooks.partition(1).inFlight(5).lag(9_000).paused(Paused.WINDOW),
                StubLooks.partition(2).lag(9_000));
        assertThat(full().name()).isEqualTo("[orders]");
        assertThat(full().sentence()).contains("paused 67 % of the time", "with 10 records");
        scene.consumers =
                look -> StubLooks.consumer(READ.paused(Paused.WINDOW), StubLooks.partition(1), StubLooks.partition(2));
        assertThat(full().name()).as("one of them is full").isEqualTo("orders-0");
        assertThat(full().sentence()).as("the others have nothing to read").contains("paused 100 % of the time");
    }

    /** The mean over the readings with a full window: half a record. */
    @Test
    void windowWithoutUnfinishedRecords_isNotTheLimiter() {
        scene.stage("consume", 1).idle(0.5, 0.1);
        scene.looks(10, 1);
        Partition none = StubLooks.partition(0).lag(600_000).paused(Paused.WINDOW);
        scene.consumers = look -> StubLooks.consumer(look % 2 == 0 ? none.inFlight(1) : none);
        assertThat(isFull()).isTrue();
        scene.consumers = look -> StubLooks.consumer(look % 3 == 0 ? none.inFlight(1) : none);
        assertThat(isFull()).isFalse();
        scene.stage("price", 1).busy(0.5).idle(0.5, 0);
        assertThat(isFull()).as("a stage is busy").isTrue();
    }

    /** Fetched records use up bytes even if none is in flight. */
    @Test
    void budgetOfBufferedRecords_isTheLimiter() {
        scene.stage("consume", 1).idle(0.5, 0.1);
        Partition buffered = StubLooks.partition(0).buffered(1).lag(600_000);
        paused(Paused.BUDGET, 10, buffered);
        assertThat(full().kind()).isEqualTo(Kind.BYTE_BUDGET);
        paused(Paused.WINDOW, 10, buffered);
        assertThat(isFull()).isFalse();
        scene.consumers = look -> StubLooks.consumer(buffered.inFlight(5).paused(Paused.WINDOW, Paused.BUDGET));
        assertThat(full().kind()).as("both").isEqualTo(Kind.WINDOW);
    }

    /** The next stage takes less than the window lets through, though no stage holds the records. */
    @Test
    void fullWindow_whoseSourceIsBlockedMoreThanStarved_isNotTheLimiter() {
        Scene.Stage consume = scene.stage("consume", 1).idle(0.45, 0.45);
        paused(Paused.WINDOW, 10, READ);
        assertThat(isFull()).isTrue();
        consume.idle(0.4, 0.41);
        assertThat(isFull()).isFalse();
        paused(Paused.BUDGET, 10, READ);
        assertThat(isFull()).isTrue();
    }

    // ---- Timers ----------------------------------------------------------------------------------------------------

    /** Readings see room. The timer says for how long the window was full. */
    private boolean isFullByTimer(double seconds, long fullMillis, Partition partition) {
        scene.looks(2, seconds);
        scene.consumers = look -> StubLooks.consumer(partition.windowFull(Duration.ofMillis(700 + look * fullMillis)));
        return isFull();
    }

    @Test
    void timer_countsForReadingsThatAreApart_ofPartitionsWithMoreRecords() {
        scene.stage("consume", 1).busy(0.6).idle(0.3, 0.1);
        assertThat(isFullByTimer(1, 500, READ)).isTrue();
        assertThat(isFullByTimer(1, 499, READ)).isFalse();
        assertThat(isFullByTimer(0.4, 200, READ)).isTrue();
        assertThat(isFullByTimer(0.399, 300, READ)).isFalse();
        assertThat(isFullByTimer(1, 900, StubLooks.partition(0).inFlight(5).lag(5)))
                .as("all records were read")
                .isFalse();
        assertThat(isFullByTimer(1, 900, READ.paused(Paused.USER))).isFalse();
        assertThat(isFullByTimer(1, -600, READ)).as("the timer began again").isFalse();
    }

    @Test
    void timers_areWeighedByPartition() {
        scene.stage("consume", 1).busy(0.6).idle(0.3, 0.1);
        Partition other = StubLooks.partition(1).lag(9_000);
        scene.consumers = look -> StubLooks.consumer(READ.windowFull(Duration.ofMillis(look * 1_000L)), other);
        assertThat(full().sentence()).contains("paused 50 % of the time");
        scene.consumers = look -> StubLooks.consumer(READ.windowFull(Duration.ofMillis(look * 990L)), other);
        assertThat(isFull()).isFalse();
        scene.consumers = look -> StubLooks.consumer(
                READ.windowFull(Duration.ofMillis(look * 3_000L)), other.windowFull(Duration.ofMillis(look * 1_000L)));
        assertThat(full().sentence()).contains("paused 100 % of the time");
    }

    /** The partition is assigned after one or two thirds of 1.2 seconds. */
    @Test
    void timer_countsSinceThePartitionIsThere() {
        scene.looks(4, 1.2);
        scene.stage("consume", 1).busy(0.6).idle(0.3, 0.1);
        scene.consumers = look -> look < 1
                ? StubLooks.unassigned(1)
                : StubLooks.consumer(READ.windowFull(Duration.ofMillis(200L * look)));
        assertThat(full().sentence()).contains("paused 50 % of the time");
        scene.looks(4, 1.17);
        scene.consumers = look -> look < 2
                ? StubLooks.unassigned(1)
                : StubLooks.consumer(READ.windowFull(Duration.ofMillis(300L * look)));
        assertThat(isFull()).as("0.39 seconds are too short").isFalse();
    }

    private static List<ConsumerLook> ofBudget(long fullMillis, int epoch) {
        return StubLooks.consumer(READ).stream()
                .map(each -> ConsumerLook.of(
                        each.counters(),
                        each.dump().toBuilder()
                                .partitions(each.dump().partitions().stream()
                                        .map(PartitionDump::toBuilder)
                                        .map(builder -> builder.budgetFull(Duration.ofMillis(fullMillis))
                                                .epoch(epoch)
                                                .build())
                                        .toList())
                                .build()))
                .toList();
    }

    /** A partition that comes back has new timers. */
    @Test
    void timerOfTheBudget_countsWithinOneAssignment() {
        scene.stage("consume", 1).busy(0.6).idle(0.3, 0.1);
        scene.consumers = look -> ofBudget(100 + look * 600L, 1);
        assertThat(full().kind()).isEqualTo(Kind.BYTE_BUDGET);
        scene.consumers = look -> ofBudget(100 + look * 600L, look);
        assertThat(isFull()).isFalse();
    }
}
