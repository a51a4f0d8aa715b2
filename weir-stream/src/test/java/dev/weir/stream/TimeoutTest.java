package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.StreamTimeoutException.Kind;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TimeoutTest {

    private static final Duration TEN = Duration.ofSeconds(10);

    private final VirtualClock clock = new VirtualClock();
    private final HandFedSource<Integer> fed = new HandFedSource<>();
    private final BlockingQueue<Integer> seen = new LinkedBlockingQueue<>();

    private RunningPipeline run(Source<Integer> source) {
        return source.to(Sink.forEach(seen::add)).named("timed").on(clock).run();
    }

    private void advanceSeconds(long seconds) throws InterruptedException {
        clock.awaitWaiters(1);
        clock.advance(Duration.ofSeconds(seconds));
    }

    private static void assertTimesOut(RunningPipeline running, Kind kind, String stage) {
        assertThatThrownBy(running::await).isInstanceOfSatisfying(StreamTimeoutException.class, e -> {
            assertThat(e.kind()).isEqualTo(kind);
            assertThat(e.stage()).isEqualTo(stage);
            assertThat(e.pipeline()).isEqualTo("timed");
            assertThat(e.timeout()).isEqualTo(TEN);
            assertThat(e).hasMessageContaining("PT10S: stage=" + stage + " pipeline=timed");
        });
    }

    @Test
    void idleTimeout_failsOnceNothingCameForSoLong() throws Exception {
        RunningPipeline running = run(fed.source().idleTimeout(TEN));
        for (int i = 0; i < 3; i++) {
            advanceSeconds(9);
            fed.emit(i);
            assertThat(seen.take()).isEqualTo(i);
        }
        advanceSeconds(9);
        advanceSeconds(1);
        assertTimesOut(running, Kind.IDLE, "idleTimeout");
        assertThat(fed.closings()).isEqualTo(1);
    }

    @Test
    void idleTimeout_doesNotCountTheTimeBelow_butDoesAcrossShortPulls() throws Exception {
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        CountDownLatch slow = new CountDownLatch(1);
        fed.emit(1);
        RunningPipeline running = fed.source()
                .idleTimeout(TEN)
                .to(Sink.<Integer>custom("impatient", context -> upstream -> {
                    Batch<Integer> first = upstream.pull(Stage.NEVER);
                    events.add("first " + (first == null ? "end" : first.size()));
                    slow.await();
                    for (int i = 0; i < 2; i++) {
                        Batch<Integer> none = upstream.pull(
                                context.clock().after(Duration.ofSeconds(6).toNanos()));
                        events.add("then " + (none == null ? "end" : none.size()));
                    }
                }))
                .named("timed")
                .on(clock)
                .run();
        assertThat(events.take()).isEqualTo("first 1");
        clock.advance(Duration.ofHours(1));
        slow.countDown();
        advanceSeconds(6);
        assertThat(events.take()).isEqualTo("then 0");
        advanceSeconds(4);
        assertTimesOut(running, Kind.IDLE, "idleTimeout");
    }

    @Test
    void initialTimeout_caresForTheFirstElementOnly() throws Exception {
        RunningPipeline late = run(fed.source().initialTimeout(TEN));
        advanceSeconds(10);
        assertTimesOut(late, Kind.INITIAL, "initialTimeout");

        HandFedSource<Integer> other = new HandFedSource<>();
        RunningPipeline inTime = run(other.source().initialTimeout(TEN).idleTimeout(Duration.ofDays(1)));
        advanceSeconds(9);
        other.emit(1);
        assertThat(seen.take()).isEqualTo(1);
        advanceSeconds(3600);
        other.emit(2);
        assertThat(seen.take()).isEqualTo(2);
        other.complete();
        assertThat(inTime.await().drained()).isTrue();
    }

    @Test
    void initialTimeout_ofAStreamThatEndsEmpty_doesNotFail() throws Exception {
        RunningPipeline running = run(fed.source().initialTimeout(TEN));
        fed.complete();
        assertThat(running.await().drained()).isTrue();
    }

    @Test
    void completionTimeout_failsHoweverMuchComes() throws Exception {
        RunningPipeline running = run(fed.source().completionTimeout(TEN));
        for (int i = 0; i < 4; i++) {
            advanceSeconds(2);
            fed.emit(i);
            assertThat(seen.take()).isEqualTo(i);
        }
        advanceSeconds(2);
        assertTimesOut(running, Kind.COMPLETION, "completionTimeout");

        CountDownLatch flowing = new CountDownLatch(10_000);
        RunningPipeline endless = Source.from(() -> IntStream.iterate(0, n -> n).iterator())
                .completionTimeout(TEN)
                .to(Sink.forEach(n -> flowing.countDown()))
                .named("timed")
                .on(clock)
                .run();
        flowing.await();
        clock.advance(TEN);
        assertTimesOut(endless, Kind.COMPLETION, "completionTimeout");
    }

    @Test
    void timeout_canBeRecoveredFrom() throws Exception {
        RunningPipeline running = run(fed.source().idleTimeout(TEN).recover(failure -> -1));
        advanceSeconds(10);
        assertThat(running.await().drained()).isTrue();
        assertThat(seen).containsExactly(-1);
    }

    @Test
    void backpressureTimeout_failsThePipelineWhenNobodyAsks_evenIfWhatIsBelowBlocksForEver() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        TrackedSource<Integer> source = TrackedSource.numbers(10, 2);
        RunningPipeline running = source.source()
                .backpressureTimeout(TEN)
                .to(Sink.<Integer>custom("stuck", context -> upstream -> {
                    upstream.pull(Stage.NEVER);
                    inside.countDown();
                    new CountDownLatch(1).await();
                }))
                .named("timed")
                .on(clock)
                .run();
        inside.await();
        advanceSeconds(10);
        assertTimesOut(running, Kind.BACK_PRESSURE, "backpressureTimeout");
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isZero();
        ThreadCensus.assertNoneLeft("timed");
    }

    @Test
    void backpressureTimeout_doesNotCountTheTimeAbove() throws Exception {
        RunningPipeline running = run(fed.source().backpressureTimeout(TEN));
        for (int i = 0; i < 5; i++) {
            fed.awaitAsked();
            // Two timeouts pass without an element.
            advanceSeconds(20);
            fed.emit(i);
            assertThat(seen.take()).isEqualTo(i);
        }
        fed.complete();
        assertThat(running.await().drained()).isTrue();
        ThreadCensus.assertNoneLeft("timed");
    }

    @Test
    void keepAlive_putsInAnElementPerInterval_thatNobodyWaitsFor() throws Exception {
        BlockingQueue<AckTarget> targets = new LinkedBlockingQueue<>();
        RunningPipeline running = fed.source()
                .keepAlive(TEN, () -> -1)
                .to(Sink.<Integer>custom("looking", context -> upstream -> {
                    Batch<Integer> batch;
                    while ((batch = upstream.pull(Stage.NEVER)) != null) {
                        if (!batch.isEmpty()) {
                            seen.add(batch.get(0));
                            targets.add(batch.target(0));
                        }
                    }
                }))
                .on(clock)
                .run();
        advanceSeconds(9);
        fed.emit(1);
        assertThat(seen.take()).isEqualTo(1);
        advanceSeconds(9);
        assertThat(seen).isEmpty();
        advanceSeconds(1);
        assertThat(seen.take()).isEqualTo(-1);
        advanceSeconds(10);
        assertThat(seen.take()).isEqualTo(-1);
        fed.emit(2);
        assertThat(seen.take()).isEqualTo(2);
        fed.complete();
        assertThat(running.await().drained()).isTrue();
        assertThat(targets).allMatch(target -> target == AckTarget.NONE);
    }

    @Test
    void keepAlive_whoseSupplierThrows_isSupervised() throws Exception {
        IllegalStateException planted = new IllegalStateException("planted");
        BlockingQueue<Integer> calls = new LinkedBlockingQueue<>();
        AtomicInteger count = new AtomicInteger();
        RunningPipeline running = run(fed.source()
                .keepAlive(TEN, () -> {
                    int call = count.incrementAndGet();
                    calls.add(call);
                    if (call == 1) {
                        throw new IllegalArgumentException("not this time");
                    }
                    if (call == 3) {
                        throw planted;
                    }
                    return -1;
                })
                .supervised(Supervision.of(e -> e == planted ? Supervision.Decision.FAIL : Supervision.Decision.SKIP)));
        advanceSeconds(10);
        assertThat(calls.take()).isEqualTo(1);
        advanceSeconds(10);
        assertThat(seen.take()).isEqualTo(-1);
        advanceSeconds(10);
        assertThatThrownBy(running::await).isSameAs(planted);
        assertThat(seen).isEmpty();
    }
}
