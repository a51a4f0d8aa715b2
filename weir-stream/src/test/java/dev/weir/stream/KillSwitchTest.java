package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KillSwitchTest {

    private static final String NAME = "switched";

    private final KillSwitch killSwitch = new KillSwitch();
    private final IllegalStateException planted = new IllegalStateException("planted");
    private final CountDownLatch inside = new CountDownLatch(1);

    private RunningPipeline run(Source<Integer> source) {
        return source.to(Sink.ignore()).named(NAME).run();
    }

    private int blockForEver() {
        try {
            inside.countDown();
            new CountDownLatch(1).await();
            return 0;
        } catch (InterruptedException e) {
            throw new IllegalStateException("disguised", e);
        }
    }

    /** Returns stages to place upstream of the switch. Either they or the source block. */
    private List<UnaryOperator<Source<Integer>>> blocking() {
        return List.of(
                source -> source,
                source -> source.async(),
                source -> source.map(n -> blockForEver()),
                source -> source.map(n -> blockForEver()).supervised(Supervision.skip()),
                source -> source.mapParallel(2, n -> blockForEver()).supervised(Supervision.skip()),
                source -> source.mapBlocking(2, Ordering.input(), n -> blockForEver())
                        .supervised(Supervision.skip()),
                source -> source.<Integer>map(n -> {
                            inside.countDown();
                            throw planted;
                        })
                        .supervised(Supervision.retry(
                                RetryPolicy.of(9, Backoff.between(Duration.ofDays(9), Duration.ofDays(9))),
                                Supervision.skip())),
                source -> source.map(n -> blockForEver()).recover(failure -> -1),
                source -> source.map(n -> blockForEver()).restarted(RestartSettings.of(Backoff.NONE)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8})
    void shutdown_whileAStageAboveBlocksForEver_completesAndClosesIt(int place) throws Exception {
        TrackedSource<Integer> source =
                TrackedSource.numbers(place < 2 ? 0 : 1, 1).heldOpen();
        List<StreamEnd> ends = new ArrayList<>();
        RunningPipeline running =
                run(blocking().get(place).apply(source.source()).via(killSwitch).watch(ends::add));
        if (place >= 2) {
            inside.await();
        }
        killSwitch.shutdown();
        assertThat(running.await().drained()).isTrue();
        assertThat(ends).containsExactly(new StreamEnd.Completed());
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isZero();
        ThreadCensus.assertNoneLeft(NAME);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8})
    void abort_whileAStageAboveBlocksForEver_failsWithTheCause(int place) throws Exception {
        TrackedSource<Integer> source =
                TrackedSource.numbers(place < 2 ? 0 : 1, 1).heldOpen();
        RunningPipeline running =
                run(blocking().get(place).apply(source.source()).via(killSwitch));
        if (place >= 2) {
            inside.await();
        }
        killSwitch.abort(planted);
        assertThatThrownBy(running::await).isSameAs(planted);
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isZero();
    }

    @Test
    void shutdown_doesNotDisturbWhatIsBelow() throws Exception {
        CountDownLatch turned = new CountDownLatch(1);
        TrackedSource<Integer> source = TrackedSource.numbers(1000, 10).heldOpen();
        AtomicInteger done = new AtomicInteger();
        RunningPipeline running = source.source()
                .via(killSwitch)
                .to(Sink.forEach(n -> {
                    inside.countDown();
                    await(turned);
                    done.incrementAndGet();
                }))
                .named(NAME)
                .run();
        inside.await();
        killSwitch.shutdown();
        turned.countDown();
        assertThat(running.await().drained()).isTrue();
        // Only the batch that passed the switch is finished.
        assertThat(done).hasValue(10);
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isEqualTo(10);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("the switch must not be felt here", e);
        }
    }

    @Test
    void shutdown_beforeThePipelineRuns_endsItAtOnce() throws Exception {
        killSwitch.shutdown();
        assertThat(killSwitch.isTurned()).isTrue();
        TrackedSource<Integer> source = TrackedSource.numbers(10, 3).heldOpen();
        assertThat(run(source.source().via(killSwitch)).await().drained()).isTrue();
        source.assertProtocolKept();
        assertThat(source.pulled()).isZero();
    }

    @Test
    void abort_beforeThePipelineRuns_failsIt_andTheFirstTurnCounts() {
        killSwitch.abort(planted);
        killSwitch.abort(new IllegalStateException("too late"));
        killSwitch.shutdown();
        assertThatThrownBy(run(Source.of(1).via(killSwitch))::await).isSameAs(planted);
    }

    @Test
    void oneSwitch_endsAllItsPipelines_alsoTwiceInOne() throws Exception {
        List<TrackedSource<Integer>> sources = new ArrayList<>();
        List<RunningPipeline> all = new ArrayList<>();
        CountDownLatch flowing = new CountDownLatch(100);
        for (int i = 0; i < 10; i++) {
            TrackedSource<Integer> source = TrackedSource.numbers(10, 3).heldOpen();
            sources.add(source);
            all.add(run(source.source().via(killSwitch).via(killSwitch).map(n -> {
                flowing.countDown();
                return n;
            })));
        }
        flowing.await();
        killSwitch.shutdown();
        for (RunningPipeline running : all) {
            assertThat(running.await().drained()).isTrue();
        }
        sources.forEach(TrackedSource::assertAllFinished);
        ThreadCensus.assertNoneLeft(NAME);
    }

    @Test
    void cancel_ofThePipeline_isNoTurnOfTheSwitch() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(1, 1).heldOpen();
        RunningPipeline running = run(source.source().map(n -> blockForEver()).via(killSwitch));
        inside.await();
        running.cancel();
        assertThatThrownBy(running::await).isInstanceOf(CancellationException.class);
        assertThat(killSwitch.isTurned()).isFalse();
        source.assertProtocolKept();
    }

    @Test
    void turnAndCancelTogether_endThePipelineEitherWay() {
        for (int i = 0; i < 300; i++) {
            KillSwitch racing = new KillSwitch();
            TrackedSource<Integer> source = TrackedSource.numbers(100, 7).heldOpen();
            RunningPipeline running =
                    run(source.source().map(n -> n).via(racing).async().via(racing));
            Thread other = Thread.ofVirtual().start(racing::shutdown);
            running.cancel();
            TrackedRun.awaitEnd(running);
            source.assertProtocolKept();
            join(other);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void endlessSourceThatNeverBlocks_isEnded() throws Exception {
        CountDownLatch flowing = new CountDownLatch(10_000);
        RunningPipeline running =
                run(Source.from(() -> IntStream.iterate(0, n -> n).iterator())
                        .map(n -> {
                            boolean swallowed = Thread.interrupted();
                            flowing.countDown();
                            return swallowed ? 1 : n;
                        })
                        .via(killSwitch));
        flowing.await();
        killSwitch.shutdown();
        assertThat(running.await().drained()).isTrue();
    }

    /** Regression: after a shutdown, an upstream stage that ignores the interrupt still passed elements on. */
    @Test
    void shutdown_whileAnElementIsAbove_letsItPassNoMore() throws Exception {
        CountDownLatch above = new CountDownLatch(1);
        CountDownLatch turned = new CountDownLatch(1);
        TrackedSource<Integer> source = TrackedSource.numbers(10, 10);
        List<Integer> passed = new ArrayList<>();
        try (RunningPipeline running = source.source()
                .tap(n -> {
                    above.countDown();
                    awaitThoughInterrupted(turned);
                })
                .via(killSwitch)
                .to(Sink.forEach(passed::add))
                .named(NAME)
                .run()) {
            above.await();
            killSwitch.shutdown();
            turned.countDown();
            running.await();
        }
        assertThat(passed).isEmpty();
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isZero();
    }

    private static void awaitThoughInterrupted(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException ignored) {
                // Ignores the interrupt, like code that was not written to be interrupted.
            }
        }
    }
}
