package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.StageSnapshot.Activity;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a slow stage shows progress within a batch. Regression: with 100 ms per element, the console showed no
 * rate for a minute, and named a neighbouring stage as the bottleneck.
 */
class PassProgressTest {

    private static final int MANY = 1_000_000;

    private final Semaphore permits = new Semaphore(0);

    @AfterEach
    void letAllGo() {
        permits.release(Integer.MAX_VALUE / 2);
    }

    private <T> T slow(T element) {
        permits.acquireUninterruptibly();
        return element;
    }

    private static void until(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            assertThat(Thread.currentThread().isInterrupted())
                    .as("past its deadline")
                    .isFalse();
            Thread.onSpinWait();
        }
    }

    private static StageSnapshot stage(RunningPipeline running, String name) {
        return running.stages().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Activity activity(RunningPipeline running, String name) {
        return running.activity().stream()
                .filter(each -> each.stage().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private void assertMoves(RunningPipeline running, String slow) {
        permits.release(3);
        // The stages of an inner stream appear with its first element.
        until(() -> running.stages().stream().anyMatch(each -> each.name().equals(slow) && each.elementsIn() == 3));
        long busy = stage(running, slow).busyNanos();
        assertThat(busy).isPositive();
        permits.release(2);
        until(() -> stage(running, slow).elementsIn() == 5);
        assertThat(stage(running, slow).busyNanos()).isGreaterThan(busy);
        until(() -> running.activity().stream().anyMatch(each -> each.stage().equals(slow) && each.isInPass()));
        for (Activity each : running.activity()) {
            assertThat(each.isInPass()).as(each.stage()).isEqualTo(each.stage().equals(slow));
        }
        until(() -> activity(running, slow).locked() == 1);
    }

    @Test
    void mapBetweenQuickMaps_movesWithinItsBatch_andIsTheOneInHand() {
        try (RunningPipeline running = Source.range(0, MANY)
                .map(n -> n + 1)
                .named("first")
                .map(this::slow)
                .named("slow")
                .map(n -> n + 1)
                .named("last")
                .to(Sink.<Object>forEach(n -> {}).named("out"))
                .run()) {
            assertMoves(running, "slow");
            running.cancel();
            letAllGo();
        }
    }

    @Test
    void filter_movesWithinItsBatch() {
        try (RunningPipeline running = Source.range(0, MANY)
                .filter(n -> slow(n) >= 0)
                .named("slow")
                .to(Sink.<Object>forEach(n -> {}).named("out"))
                .run()) {
            assertMoves(running, "slow");
            running.cancel();
            letAllGo();
        }
    }

    @Test
    void sink_movesWithinItsBatch() {
        try (RunningPipeline running = Source.range(0, MANY)
                .map(n -> n + 1)
                .to(Sink.<Object>forEach(this::slow).named("slow"))
                .run()) {
            assertMoves(running, "slow");
            running.cancel();
            letAllGo();
        }
    }

    @Test
    void stageWithinGroupBy_movesWithinItsBatch() {
        try (RunningPipeline running = Source.range(0, MANY)
                .groupBy(n -> n % 4, 4, group -> group.map(this::slow).named("slow"))
                .to(Sink.<Object>forEach(n -> {}).named("out"))
                .run()) {
            assertMoves(running, "slow");
            running.cancel();
            letAllGo();
        }
    }

    /** One loop processes the map and the sink when the map becomes slow. */
    @Test
    void mapThatTurnsSlow_isTheOneInHand() {
        CountDownLatch slowFrom = new CountDownLatch(1);
        try (RunningPipeline running = Source.range(0, Integer.MAX_VALUE)
                .map(n -> n + 1)
                .named("first")
                .map(n -> slowFrom.getCount() == 0 ? slow(n) : n)
                .named("slow")
                .map(n -> n + 1)
                .named("last")
                .to(Sink.<Object>forEach(n -> {}).named("out"))
                .run()) {
            until(() -> stage(running, "out").elementsIn() > MANY);
            slowFrom.countDown();
            until(() -> activity(running, "slow").locked() == 1);
            assertThat(activity(running, "slow").isInPass()).isTrue();
            assertThat(activity(running, "first").isInPass()).isFalse();
            assertThat(activity(running, "out").isInPass()).isFalse();
            long in = stage(running, "slow").elementsIn();
            permits.release(7);
            until(() -> stage(running, "slow").elementsIn() == in + 7);
            running.cancel();
            letAllGo();
        }
    }

    @Test
    void elementsThatSupervisionDrops_areNeverCountedAsHandedOn() throws Exception {
        try (RunningPipeline running = Source.range(0, 512)
                .map(n -> {
                    if (slow(n) % 2 == 0) {
                        throw new IllegalArgumentException("even");
                    }
                    return n;
                })
                .named("odd")
                .supervised(Supervision.skip())
                .map(n -> n)
                .named("next")
                .to(Sink.<Object>forEach(n -> {}).named("out"))
                .run()) {
            permits.release(9);
            until(() -> stage(running, "odd").elementsIn() == 9);
            assertThat(stage(running, "odd").elementsOut()).isEqualTo(4);
            letAllGo();
            var unused = running.await();
            assertThat(stage(running, "odd").elementsIn()).isEqualTo(512);
            for (String below : List.of("odd", "next", "out")) {
                assertThat(stage(running, below).elementsOut()).as(below).isEqualTo(256);
            }
        }
    }

    @Test
    void stageThatHasFailed_isNoLongerBusy() {
        try (RunningPipeline running = Source.range(0, MANY)
                .to(Sink.<Integer>forEach(n -> {
                            throw new IllegalStateException("refused");
                        })
                        .named("out"))
                .run()) {
            assertThatThrownBy(running::await).hasMessageContaining("refused");
            long busy = stage(running, "out").busyNanos();
            long later = System.nanoTime() + 1_000_000;
            until(() -> System.nanoTime() > later);
            assertThat(stage(running, "out").busyNanos()).isEqualTo(busy);
        }
    }

    @Test
    void fastBranchOfABroadcast_isStarved_andWaitsForItsSibling() {
        try (RunningPipeline running = Source.range(0, MANY)
                .broadcast(List.<Function<? super Source<Integer>, Source<Integer>>>of(
                        branch -> branch.map(n -> n).named("fast"),
                        branch -> branch.map(this::slow).named("slow")))
                .to(Sink.<Object>forEach(n -> {}).named("out"))
                .run()) {
            until(() -> running.activity().stream()
                    .anyMatch(each -> each.stage().equals("fast") && each.waitsForSibling()));
            long starved = stage(running, "fast").blockedUpNanos();
            assertThat(activity(running, "fast").atWork()).isZero();
            until(() -> stage(running, "fast").blockedUpNanos() > starved);
            assertThat(activity(running, "slow").waitsForSibling()).isFalse();
            running.cancel();
            letAllGo();
        }
    }
}
