package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Gate;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests elements that wait in a stage for an hour and are then lost by their source. The stage must release them
 * immediately.
 */
class RevokedElementTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final RetryPolicy HOURLY =
            RetryPolicy.of(10, Backoff.between(HOUR, HOUR).withJitter(0));

    /** This element is never lost. It occupies a stage's only worker. */
    private static final int STAYS = 0;

    private static final int LOST = 100;

    private final Claims kept = new Claims();
    private final Claims lost = new Claims();

    /** The elements of one owner. The owner may lose all of them together. */
    private static final class Claims implements AckTarget {

        private volatile boolean revoked;
        private final Semaphore ended = new Semaphore(0);
        private final AtomicInteger acks = new AtomicInteger();
        private final AtomicInteger retained = new AtomicInteger();

        @Override
        public void ack(long token) {
            acks.incrementAndGet();
            ended.release();
        }

        @Override
        public void retain(long token, int claims) {
            retained.addAndGet(claims);
        }

        @Override
        public void abandon(long token) {
            ended.release();
        }

        @Override
        public boolean isRevoked(long token) {
            return revoked;
        }

        @Override
        public boolean dropIfRevoked(long token) {
            if (revoked) {
                ended.release();
            }
            return revoked;
        }
    }

    /**
     * Returns one or two elements that are never lost, followed by elements that will be lost, in the same batch or in
     * a batch of their own.
     */
    private List<Batch<Integer>> behindOneThatStays(String where) {
        boolean together = !where.contains("above") && !where.contains("behind");
        Batch<Integer> first = new Batch<>(1);
        first.add(STAYS, kept, 0);
        Batch<Integer> behind = together ? first : new Batch<>(LOST);
        addLost(behind);
        if (where.contains("full")) {
            Batch<Integer> second = new Batch<>(1);
            second.add(STAYS, kept, 0);
            return List.of(first, second, behind);
        }
        return together ? List.of(first) : List.of(first, behind);
    }

    private void addLost(Batch<Integer> batch) {
        for (int n = 1; n <= LOST; n++) {
            batch.add(n, lost, n);
        }
    }

    /** Emits these batches, then waits for a stop. */
    private static final class Emitting implements Stage<Integer> {

        private final List<Batch<Integer>> batches;
        private final CountDownLatch stopped;

        Emitting(StageContext context, CountDownLatch stopped, List<Batch<Integer>> batches) {
            this.batches = new ArrayList<>(batches);
            this.stopped = stopped;
            context.onStop(stopped::countDown);
        }

        @Override
        public @Nullable Batch<Integer> pull(long deadlineNanos) throws InterruptedException {
            if (!batches.isEmpty()) {
                return batches.removeFirst();
            }
            stopped.await();
            return null;
        }

        @Override
        public void close() {}
    }

    /** A service without answers. */
    private static final class Shut
            implements Gate<Integer>, Handler<Integer, Integer>, Function<Integer, CompletionStage<Integer>> {

        private final AtomicInteger waiting;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();

        Shut(AtomicInteger waiting) {
            this.waiting = waiting;
        }

        @Override
        public boolean enter(Integer element, BooleanSupplier revoked) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                waiting.incrementAndGet();
                while (!revoked.getAsBoolean()) {
                    changed.await();
                }
                return false;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void leave(Integer element) {}

        @Override
        public void lookAgain() {
            lock.lock();
            try {
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public Integer handle(Integer element) {
            throw new AssertionError("begun: " + element);
        }

        @Override
        public CompletionStage<Integer> apply(Integer element) {
            throw new AssertionError("begun: " + element);
        }
    }

    /** Builds stages that hold the elements. They count the calls of their functions. */
    @FunctionalInterface
    interface Holding {
        Source<?> under(Source<Integer> source, AtomicInteger calls);
    }

    private static int fail(AtomicInteger calls) {
        calls.incrementAndGet();
        throw new IllegalStateException("away");
    }

    private static final Attributes RETRIED =
            Attributes.NONE.withSupervision(Supervision.retry(HOURLY, Supervision.fail()));

    static Stream<Arguments> holding() {
        return Stream.of(
                of(
                        "mapBlocking, between attempts",
                        (source, calls) -> source.mapBlocking(2, Ordering.unordered(), n -> fail(calls))
                                .with(RETRIED)),
                of(
                        "mapBlocking by key, between attempts",
                        (source, calls) -> source.mapBlocking(1, Ordering.byKey(n -> n % 7), n -> fail(calls))
                                .with(RETRIED)),
                of(
                        "mapBlocking, at a gate",
                        (source, calls) -> source.mapBlocking(1, Ordering.byKey(n -> n % 7), new Shut(calls))),
                of(
                        "mapAsync, between attempts",
                        (source, calls) -> source.<Integer>mapAsync(
                                        2, n -> CompletableFuture.completedFuture(fail(calls)))
                                .with(RETRIED)),
                of("mapAsync, at a gate", (source, calls) -> source.mapAsync(2, new Shut(calls))),
                of(
                        "async, above a busy stage",
                        (source, calls) -> source.async().mapAsync(1, new Shut(calls))),
                of(
                        "throttle",
                        (source, calls) -> source.throttle(1, HOUR, 1, ThrottleMode.SHAPING)
                                .map(n -> calls.incrementAndGet())),
                of(
                        "throttlePerKey",
                        (source, calls) ->
                                source.throttlePerKey(1, HOUR, 1, n -> "all").map(n -> calls.incrementAndGet())),
                of(
                        "throttlePerKey, full",
                        (source, calls) ->
                                source.throttlePerKey(1, HOUR, 1, n -> "all", 1).map(n -> calls.incrementAndGet())),
                of("throttle, with one that waits", RevokedElementTest::throttled),
                of("delay", RevokedElementTest::delayed),
                of(
                        "filter, between attempts",
                        (source, calls) -> source.filter(n -> n == STAYS || fail(calls) > 0)
                                .with(RETRIED)),
                of(
                        "mapConcat, between attempts",
                        (source, calls) -> source.mapConcat(n -> List.of(n == STAYS ? n : fail(calls)))
                                .with(RETRIED)),
                of(
                        "async, above a queue that is full",
                        (source, calls) -> source.async(Dispatcher.virtual(), 1).mapAsync(1, new Shut(calls))),
                of(
                        "a section between two runs",
                        (source, calls) -> source.restarted(
                                RestartSettings.of(Backoff.between(HOUR, HOUR).withJitter(0)),
                                section -> section.map(n -> fail(calls)))),
                of(
                        "a stage in a section",
                        (source, calls) -> source.restarted(
                                RestartSettings.of(Backoff.between(HOUR, HOUR)),
                                section -> section.mapBlocking(1, Ordering.unordered(), new Shut(calls)))));
    }

    /** Returns the same stages in the stream of a key. */
    static Stream<Arguments> holdingInAGroup() {
        return Stream.of(
                of("throttle with its elements", RevokedElementTest::throttled),
                of("throttle behind one that waits", RevokedElementTest::throttled),
                of(
                        "throttle below the rest of a batch, behind",
                        (source, calls) -> throttled(
                                source.mapConcat(n -> n == STAYS ? List.of(n) : Collections.nCopies(20, n)), calls)),
                of(
                        "throttle within a section",
                        (source, calls) -> source.splitWhen(n -> false, part -> throttled(part, calls))),
                of(
                        "throttle in a group of the group, behind",
                        (source, calls) -> source.groupBy(n -> 1, 1, part -> throttled(part, calls))),
                of(
                        "throttlePerKey",
                        (source, calls) ->
                                source.throttlePerKey(1, HOUR, 1, n -> "all").map(n -> calls.incrementAndGet())),
                of("delay", RevokedElementTest::delayed),
                of("delay, behind one at its bound", (source, calls) -> source.delay(n -> hours(1, calls), 1)),
                of("initialDelay", (source, calls) -> source.initialDelay(HOUR)),
                of("another source", (source, calls) -> source.prepend(Source.never())),
                of(
                        "filter, between attempts",
                        (source, calls) -> source.filter(n -> n == STAYS || fail(calls) > 0)
                                .with(RETRIED)),
                of(
                        "mapConcat, between attempts",
                        (source, calls) -> source.mapConcat(n -> List.of(n == STAYS ? n : fail(calls)))
                                .with(RETRIED)),
                of("mapAsync, behind a call", (source, calls) -> source.mapAsync(1, new Shut(calls))),
                of(
                        "mapBlocking, behind a call",
                        (source, calls) -> source.mapBlocking(1, Ordering.input(), new Shut(calls))),
                of(
                        "throttle on a thread of its own, behind",
                        (source, calls) -> throttled(source, calls).async()));
    }

    /** Lets the element that is never lost wait in a throttle, ahead of the other elements. */
    private static Source<?> throttled(Source<Integer> source, AtomicInteger calls) {
        return source.throttle(
                1,
                HOUR,
                1,
                n -> {
                    calls.incrementAndGet();
                    return n == STAYS ? 2 : 0;
                },
                ThrottleMode.SHAPING);
    }

    private static Source<?> delayed(Source<Integer> source, AtomicInteger calls) {
        return source.delay(n -> hours(1, calls), 1000);
    }

    private static Duration hours(int hours, AtomicInteger calls) {
        calls.incrementAndGet();
        return Duration.ofHours(hours);
    }

    private static Arguments of(String name, Holding stages) {
        return Arguments.of(name, stages);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("holdingInAGroup")
    void elementsThatWaitInAGroup_whenTheirSourceLosesThem_areLetGoOfAtOnce(String name, Holding stages)
            throws Exception {
        boolean isCountedAbove = name.equals("initialDelay") || name.equals("another source");
        elementsThatWait_whenTheirSourceLosesThem_areLetGoOfAtOnce(
                name,
                (source, calls) -> (isCountedAbove ? source.map(n -> count(n, calls)) : source)
                        .groupBy(
                                n -> "all", 1, part -> stages.under(part, calls).map(n -> (Object) n)));
    }

    private static Integer count(Integer element, AtomicInteger calls) {
        calls.incrementAndGet();
        return element;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("holding")
    void elementsThatWait_whenTheirSourceLosesThem_areLetGoOfAtOnce(String name, Holding stages) throws Exception {
        CompletableFuture<StageContext> context = new CompletableFuture<>();
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch stopped = new CountDownLatch(1);
        Source<Integer> source = Source.custom("emit", given -> {
            context.complete(given);
            return new Emitting(given, stopped, behindOneThatStays(name));
        });
        RunningPipeline running =
                stages.under(source, calls).to(Sink.ignore()).named("revoked").run();
        try {
            while (calls.get() == 0) {
                Thread.onSpinWait();
            }
            int before = calls.get();
            lost.revoked = true;
            // Elements in flight between two stages are found by the next call.
            do {
                context.join().dropRevoked();
            } while (!lost.ended.tryAcquire(LOST + lost.retained.get(), 20, TimeUnit.MILLISECONDS));
            assertThat(lost.acks.get()).as("finished").isLessThanOrEqualTo(before);
            // The element of the other owner is not released.
            assertThat(kept.ended.availablePermits()).isEqualTo(kept.acks.get());
            assertThat(running.completion()).isNotDone();
        } finally {
            stopped.countDown();
            running.cancel();
            running.close();
        }
    }

    /** The throttle notices the loss only after the downstream stage has finished the first element. */
    @Test
    void elementsThatAThrottleHasLost_areNotLeftUndone() throws Exception {
        CompletableFuture<StageContext> context = new CompletableFuture<>();
        CountDownLatch atWork = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        Source<Integer> source = Source.custom("emit", given -> {
            context.complete(given);
            return new Emitting(given, stopped, behindOneThatStays("together"));
        });
        try (RunningPipeline running = source.throttle(1, HOUR, 1, n -> 1, ThrottleMode.SHAPING)
                .map(n -> {
                    atWork.countDown();
                    return awaited(never, n);
                })
                .to(Sink.ignore())
                .named("revoked")
                .run()) {
            atWork.await();
            lost.revoked = true;
            context.join().dropRevoked();
            assertThat(lost.ended.tryAcquire(LOST, 20, TimeUnit.SECONDS)).isTrue();
            List<String> undone = running.drain(Duration.ZERO).leftUndone();
            assertThat(undone).isNotEmpty().noneMatch(each -> each.contains("throttle"));
        } finally {
            stopped.countDown();
        }
    }

    private static Integer awaited(CountDownLatch latch, Integer element) {
        try {
            latch.await();
            return element;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static Stream<Arguments> gated() {
        return Stream.of(
                of("mapBlocking", (source, calls) -> source.mapBlocking(2, Ordering.unordered(), new Shut(calls))),
                of(
                        "mapBlocking by key",
                        (source, calls) -> source.mapBlocking(2, Ordering.byKey(n -> n % 7), new Shut(calls))),
                of("mapAsync", (source, calls) -> source.mapAsync(2, new Shut(calls))),
                of(
                        "a stage in a section",
                        (source, calls) -> source.restarted(
                                RestartSettings.of(Backoff.between(HOUR, HOUR)),
                                section -> section.mapBlocking(1, Ordering.unordered(), new Shut(calls)))));
    }

    /** The lost element waits at the gate itself. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("gated")
    void elementAtAGate_whenItsSourceLosesIt_isNotBegun(String name, Holding stages) throws Exception {
        CompletableFuture<StageContext> context = new CompletableFuture<>();
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch stopped = new CountDownLatch(1);
        Source<Integer> source = Source.custom("emit", given -> {
            context.complete(given);
            Batch<Integer> batch = new Batch<>(LOST);
            addLost(batch);
            return new Emitting(given, stopped, List.of(batch));
        });
        RunningPipeline running =
                stages.under(source, calls).to(Sink.ignore()).named(name).run();
        try {
            while (calls.get() == 0) {
                Thread.onSpinWait();
            }
            lost.revoked = true;
            do {
                context.join().dropRevoked();
            } while (!lost.ended.tryAcquire(LOST, 20, TimeUnit.MILLISECONDS));
            assertThat(lost.acks.get()).as("finished").isZero();
            assertThat(running.completion()).isNotDone();
        } finally {
            stopped.countDown();
            running.cancel();
            running.close();
        }
    }

    private static Batch<Integer> batch(int elements, AckTarget target) {
        Batch<Integer> batch = new Batch<>(elements);
        for (int n = 0; n < elements; n++) {
            batch.add(n, target, n);
        }
        return batch;
    }

    /** Regression: the parent was acknowledged too often if elements were dropped while it waited. */
    @Test
    void elementsThatWaitInAReplacedStream_whenTheirParentIsLost_giveItBackOnce() throws Exception {
        Claims own = new Claims();
        CountDownLatch replaced = new CountDownLatch(1);
        Queue<Batch<Integer>> parents = new ArrayDeque<>(List.of(batch(1, lost), batch(1, kept)));
        Source<Integer> source = Source.custom("parents", context -> new Stage<>() {
            @Override
            public @Nullable Batch<Integer> pull(long deadlineNanos) throws InterruptedException {
                if (parents.size() == 1) {
                    // The second of three batches fills the queue, and the third waits.
                    while (lost.retained.get() < 22) {
                        Thread.onSpinWait();
                    }
                    lost.revoked = true;
                    do {
                        context.dropRevoked();
                    } while (!lost.ended.tryAcquire(10, TimeUnit.MILLISECONDS));
                }
                return parents.poll();
            }

            @Override
            public void close() {}
        });
        // Only elements without a source of their own can be dropped.
        Batch<Integer> mixed = batch(1, own);
        mixed.add(1, AckTarget.NONE, 0);
        Queue<Batch<Integer>> first = new ArrayDeque<>(List.of(batch(10, own), batch(10, own), mixed));
        Source<Integer> stream = Source.custom("first", context -> new Stage<>() {
            @Override
            public @Nullable Batch<Integer> pull(long deadlineNanos) {
                return first.poll();
            }

            @Override
            public void close() {
                replaced.countDown();
            }
        });
        AtomicInteger atWork = new AtomicInteger();
        try (RunningPipeline running = source.switchMap(n -> atWork.getAndIncrement() == 0 ? stream : Source.of(-1))
                .with(Attributes.NONE.withBuffer(10))
                .tap(n -> replaced.await())
                .to(Sink.ignore())
                .named("lost")
                .run()) {
            running.await();
        }
        assertThat(1 + lost.ended.availablePermits()).isEqualTo(1 + lost.retained.get());
    }
}
