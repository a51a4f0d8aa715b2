package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.testing.VirtualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryTest {

    private static final Backoff BACKOFF =
            Backoff.between(Duration.ofSeconds(1), Duration.ofSeconds(4)).withJitter(0);

    private final VirtualClock clock = new VirtualClock();

    /** Returns the operators that wait between attempts, each with one handler. */
    static Stream<Function<Handler<Integer, Integer>, Source<Integer>>> stages() {
        return Stream.of(
                handler -> Source.of(7).map(n -> unchecked(handler, n)),
                handler -> Source.of(7).filter(n -> unchecked(handler, n) > 0),
                handler -> Source.of(7).mapConcat(n -> List.of(unchecked(handler, n))),
                handler -> Source.of(7).mapParallel(2, handler),
                handler -> Source.of(7).tap(n -> unchecked(handler, n)),
                handler -> Source.of(7).collect(n -> unchecked(handler, n)),
                handler -> Source.of(7).mapAsync(2, n -> CompletableFuture.completedFuture(unchecked(handler, n))),
                handler -> Source.of(7).mapAsync(2, n -> CompletableFuture.supplyAsync(() -> unchecked(handler, n))),
                handler -> Source.of(7).mapBlocking(2, Ordering.input(), handler),
                handler -> Source.of(7).mapBlocking(2, Ordering.byKey(n -> unchecked(handler, n)), n -> n));
    }

    private static int unchecked(Handler<Integer, Integer> handler, int n) {
        try {
            return handler.handle(n);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("stages")
    void retries_waitTwiceAsLongEachTime_byTheRunsClock(Function<Handler<Integer, Integer>, Source<Integer>> stage)
            throws Exception {
        BlockingQueue<Long> calls = new LinkedBlockingQueue<>();
        Source<Integer> source = stage.apply(n -> {
                    calls.add(clock.nanoTime() / 1_000_000_000L);
                    throw new IllegalStateException("never works");
                })
                .supervised(Supervision.retry(RetryPolicy.of(5, BACKOFF), Supervision.skip()));
        RunningPipeline running = source.to(Sink.ignore()).on(clock).run();
        List<Long> seen = new ArrayList<>();
        for (int seconds : new int[] {1, 2, 4, 4}) {
            seen.add(calls.take());
            clock.awaitWaiters(1);
            clock.advance(Duration.ofSeconds(seconds).minusNanos(1));
            assertThat(calls).isEmpty();
            clock.advance(Duration.ofNanos(1));
        }
        seen.add(calls.take());
        assertThat(running.await().drained()).isTrue();
        assertThat(seen).containsExactly(0L, 1L, 3L, 7L, 11L);
        assertThat(calls).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("stages")
    void waitBetweenAttempts_isInterruptedByACancellation(Function<Handler<Integer, Integer>, Source<Integer>> stage)
            throws Exception {
        Source<Integer> source = stage.apply(n -> {
                    throw new IllegalStateException("never works");
                })
                .supervised(Supervision.retry(RetryPolicy.of(5, BACKOFF), Supervision.skip()));
        RunningPipeline running = source.to(Sink.ignore()).on(clock).run();
        clock.awaitWaiters(1);
        running.cancel();
        assertThatThrownBy(running::await).isInstanceOf(CancellationException.class);
    }

    @ParameterizedTest
    @MethodSource("stages")
    void exception_thatIsNotRetriable_isDecidedOnAtOnce(Function<Handler<Integer, Integer>, Source<Integer>> stage)
            throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Source<Integer> source = stage.apply(n -> {
                    calls.incrementAndGet();
                    throw new IllegalArgumentException("hopeless");
                })
                .supervised(Supervision.retry(RetryPolicy.of(5, BACKOFF).on(IOException.class), Supervision.skip()));
        try (RunningPipeline running = source.to(Sink.ignore()).on(clock).run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(calls).hasValue(1);
    }

    @Test
    void element_thatIsRetried_keepsTheOrderOfItsKeyAndHoldsUpNoOther() throws Exception {
        BlockingQueue<String> done = new LinkedBlockingQueue<>();
        BlockingQueue<Integer> calls = new LinkedBlockingQueue<>();
        AtomicInteger count = new AtomicInteger();
        Source<String> source = Source.of("a1", "a2", "b1", "a3", "b2")
                .mapBlocking(4, Ordering.byKey(s -> s.charAt(0)), s -> {
                    if (s.equals("a1")) {
                        int call = count.incrementAndGet();
                        calls.add(call);
                        if (call < 3) {
                            throw new IOException("not yet");
                        }
                    }
                    done.add(s);
                    return s;
                })
                .supervised(Supervision.retry(RetryPolicy.of(3, BACKOFF), Supervision.fail()));
        List<String> seen = new CopyOnWriteArrayList<>();
        RunningPipeline running = source.to(Sink.forEach(seen::add)).on(clock).run();
        assertThat(List.of(done.take(), done.take())).containsExactly("b1", "b2");
        for (int call = 1; call < 3; call++) {
            // Take the call first: a stage that then waits is waiting for the next attempt, not for this one.
            assertThat(calls.take()).isEqualTo(call);
            clock.awaitWaiters(1);
            assertThat(done).isEmpty();
            clock.advance(Duration.ofSeconds(call));
        }
        assertThat(running.await().drained()).isTrue();
        assertThat(done).containsExactly("a1", "a2", "a3");
        // Only results of other keys may overtake a handler's result.
        assertThat(seen.stream().filter(s -> s.startsWith("a"))).containsExactly("a1", "a2", "a3");
        assertThat(seen.stream().filter(s -> s.startsWith("b"))).containsExactly("b1", "b2");
    }

    @Test
    void backoff_growsFromMinToMaxAndJitterOnlyShortens() {
        assertThat(Stream.of(1, 2, 3, 4, 1000).map(BACKOFF::after).map(Duration::toSeconds))
                .containsExactly(1L, 2L, 4L, 4L, 4L);
        Backoff jittered = BACKOFF.withJitter(0.5);
        for (int i = 0; i < 1000; i++) {
            assertThat(jittered.after(1)).isBetween(Duration.ofMillis(500), Duration.ofSeconds(1));
        }
        assertThat(Backoff.NONE.after(3)).isZero();
        assertThat(Backoff.between(Duration.ZERO, Duration.ofSeconds(1)).after(9))
                .isZero();
    }

    @Test
    void settings_outOfBounds_areRefusedWithNameAndValue() {
        assertThatThrownBy(() -> Backoff.between(Duration.ofSeconds(-1), Duration.ofSeconds(1)))
                .hasMessageContaining("min=PT-1S");
        assertThatThrownBy(() -> Backoff.between(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .hasMessageContaining("max=PT1S min=PT2S");
        assertThatThrownBy(() -> Backoff.NONE.withJitter(1.1)).hasMessageContaining("jitter=1.1");
        assertThatThrownBy(() -> Backoff.NONE.withJitter(Double.NaN)).hasMessageContaining("jitter=NaN");
        assertThatThrownBy(() -> RetryPolicy.of(0, Backoff.NONE)).hasMessageContaining("attempts=0");
        Supervision retrying = Supervision.retry(RetryPolicy.of(2, Backoff.NONE), Supervision.skip());
        assertThatThrownBy(() -> Supervision.retry(RetryPolicy.of(2, Backoff.NONE), retrying))
                .hasMessageContaining("must not retry itself");
        assertThatThrownBy(() -> RestartSettings.of(BACKOFF).atMost(-1, Duration.ofSeconds(1)))
                .hasMessageContaining("maxRestarts=-1");
        assertThatThrownBy(() -> RestartSettings.of(BACKOFF).atMost(1, Duration.ZERO))
                .hasMessageContaining("within=PT0S");
        assertThatThrownBy(() -> Source.of(1).idleTimeout(Duration.ZERO)).hasMessageContaining("timeout=PT0S");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 512})
    void combiningAndSwitching_thatSucceedAtTheSecondCall_goOn(int batchSize) throws Exception {
        List<Function<Set<Integer>, UnaryOperator<Source<Integer>>>> operators = List.of(
                called -> source ->
                        source.zipLatestWith(Source.of(0).concat(Source.never()), (n, zero) -> onceThrown(n, called)),
                called -> source -> source.switchMap(n -> Source.of(onceThrown(n, called))));
        for (var operator : operators) {
            // The end of one input ends the combined stream.
            TrackedSource<Integer> source =
                    TrackedSource.numbers(1000, batchSize).heldOpen();
            Set<Integer> called = ConcurrentHashMap.newKeySet();
            CountDownLatch lastCameThrough = new CountDownLatch(1);
            try (RunningPipeline running = operator.apply(called)
                    .apply(source.source())
                    .supervised(Supervision.retry(RetryPolicy.of(2, Backoff.NONE), Supervision.fail()))
                    .to(Sink.forEach(n -> {
                        if (n == 999) {
                            lastCameThrough.countDown();
                        }
                    }))
                    .run()) {
                lastCameThrough.await();
                running.stop();
                running.await();
            }
            source.assertAllFinished();
        }
    }

    private static int onceThrown(int n, Set<Integer> called) {
        if (called.add(n)) {
            throw new IllegalStateException("planted");
        }
        return n;
    }
}
