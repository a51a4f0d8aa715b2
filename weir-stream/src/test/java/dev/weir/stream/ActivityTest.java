package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.StageSnapshot.Activity;
import dev.weir.stream.testing.RestProbe;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** Tests {@link RunningPipeline#activity}, the report on the threads of stages. */
class ActivityTest {

    private static final int MANY = 100_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final CountDownLatch release = new CountDownLatch(1);

    private Integer blocks(Integer element) throws InterruptedException {
        release.await();
        return element;
    }

    /** Returns the activity of stage {@code tested} when all threads have stopped moving. */
    private Activity atRest(Source<?> source) {
        try (RunningPipeline running = source.to(Sink.<Object>ignore()).run()) {
            assertThat(new RestProbe(running).awaitRest(PATIENCE)).isTrue();
            List<Activity> all = running.activity();
            release.countDown();
            running.cancel();
            return all.stream()
                    .filter(each -> each.stage().equals("tested"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void lanesThatBlock_areAtWorkAndWait_andOthersCouldBeginWithTheRest() {
        Activity activity = atRest(Source.range(0, MANY)
                .mapBlocking(3, Ordering.unordered(), this::blocks)
                .named("tested"));
        assertThat(activity.thread()).isNull();
        assertThat(activity.dispatcher().name()).isEqualTo("virtual");
        assertThat(activity.atWork()).isEqualTo(3);
        assertThat(activity.waiting()).isEqualTo(3);
        assertThat(activity.ready()).isPositive();
        assertThat(activity.behindKeys()).isZero();
    }

    @Test
    void lanesThatWaitForALock_areBehindIt_butNotThoseThatWaitForAnEvent() {
        assertThat(atRest(Source.range(0, MANY)
                                .mapBlocking(3, Ordering.unordered(), this::blocks)
                                .named("tested"))
                        .behindLock())
                .isZero();
        CountDownLatch held = new CountDownLatch(1);
        ReentrantLock lock = new ReentrantLock();
        Activity activity = atRest(Source.range(0, MANY)
                .mapBlocking(3, Ordering.unordered(), element -> {
                    lock.lockInterruptibly();
                    try {
                        held.await();
                    } finally {
                        lock.unlock();
                    }
                    return element;
                })
                .named("tested"));
        assertThat(activity.waiting()).isEqualTo(3);
        assertThat(activity.behindLock()).isEqualTo(2);
    }

    @Test
    void elementsOfOneKey_waitBehindEachOther() {
        Activity activity = atRest(Source.range(0, MANY)
                .mapBlocking(3, Ordering.<Integer>byKey(n -> "one").calledBy("shop"), this::blocks)
                .named("tested"));
        assertThat(activity.atWork()).isEqualTo(1);
        assertThat(activity.ready()).isZero();
        assertThat(activity.behindKeys()).isPositive();
        assertThat(activity.keyName()).isEqualTo("shop");
    }

    @Test
    void callsUnderWay_areAtWorkAndWait() {
        Activity activity = atRest(Source.range(0, MANY)
                .mapAsync(5, n -> new CompletableFuture<Integer>())
                .named("tested"));
        assertThat(activity.atWork()).isEqualTo(5);
        assertThat(activity.waiting()).isEqualTo(5);
    }

    @Test
    void workersThatBlock_areAtWorkAndWait() {
        try (Dispatcher pool = Dispatcher.fixed("pool", 2)) {
            Activity activity = atRest(Source.range(0, MANY)
                    .mapParallel(2, this::blocks)
                    .with(Attributes.NONE.withDispatcher(pool))
                    .named("tested"));
            assertThat(activity.dispatcher().name()).isEqualTo("pool");
            assertThat(activity.atWork()).isEqualTo(2);
            assertThat(activity.waiting()).isEqualTo(2);
        }
    }

    @Test
    void fusedStage_showsTheThreadThatItShares_andThatItsFunctionWaits() {
        Activity activity = atRest(Source.range(0, MANY)
                .map(n -> {
                    try {
                        return blocks(n);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        return n;
                    }
                })
                .named("tested"));
        assertThat(activity.thread()).isNotNull();
        assertThat(activity.atWork()).isEqualTo(1);
        assertThat(activity.waiting()).isEqualTo(1);
        assertThat(activity.locked() + activity.io() + activity.asleep()).isZero();
        assertThat(activity.waitsInEngine()).isFalse();
    }

    @Test
    void fusedStage_whoseFunctionWaitsForAPermit_isLocked() {
        Semaphore permits = new Semaphore(0);
        Activity activity =
                atRest(Source.range(0, MANY).tap(n -> permits.acquire()).named("tested"));
        assertThat(activity.locked()).isEqualTo(1);
        assertThat(activity.io() + activity.asleep()).isZero();
        assertThat(activity.waitsInEngine()).isFalse();
    }

    @Test
    void fusedStage_thatWaitsForTimeToPass_waitsInTheEngine() {
        Activity activity =
                atRest(Source.range(0, MANY).throttle(1, Duration.ofHours(1)).named("tested"));
        assertThat(activity.waiting()).isEqualTo(1);
        assertThat(activity.locked()).isZero();
        assertThat(activity.waitsInEngine()).isTrue();
    }

    @Test
    void fusedStageWithoutInput_isNotAtWork() {
        Activity activity =
                atRest(Source.queue(SourceQueue.<Integer>of(4)).map(n -> n).named("tested"));
        assertThat(activity.atWork()).isZero();
        assertThat(activity.waiting()).isZero();
    }

    @Test
    void pipelineThatHasEnded_hasNone() throws InterruptedException {
        try (RunningPipeline running = Source.of(1, 2, 3).to(Sink.ignore()).run()) {
            DrainReport ignored = running.await();
            assertThat(running.activity()).isEmpty();
        }
    }
}
