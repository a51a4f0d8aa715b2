package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the order and concurrency of parallel stages. Latches force interleavings. */
class OrderingTest {

    private static List<Integer> run(Source<Integer> source) throws InterruptedException {
        List<Integer> seen = new ArrayList<>();
        try (RunningPipeline running = source.to(Sink.forEach(seen::add)).run()) {
            assertThat(running.await().drained()).isTrue();
        }
        return seen;
    }

    private static List<Integer> upTo(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    /** Finishes the elements of each block in reverse order: each handler waits for the handler of the next element. */
    private static final class Backwards {
        private final int block;
        private final List<CountDownLatch> finished;

        Backwards(int count, int block) {
            this.block = block;
            this.finished = IntStream.range(0, count)
                    .mapToObj(n -> new CountDownLatch(1))
                    .toList();
        }

        Integer handle(int n) throws InterruptedException {
            if ((n + 1) % block != 0 && n + 1 < finished.size()) {
                finished.get(n + 1).await();
            }
            finished.get(n).countDown();
            return n;
        }
    }

    @Test
    void input_whenHandlersFinishBackwards_leavesInTheOrderOfTheInput() throws Exception {
        Backwards backwards = new Backwards(6400, 64);
        List<Integer> seen = run(
                TrackedSource.numbers(6400, 1, 512, 7).source().mapBlocking(64, Ordering.input(), backwards::handle));
        assertThat(seen).isEqualTo(upTo(6400));
    }

    @Test
    void unordered_whenHandlersFinishBackwards_leavesAsTheyFinish() throws Exception {
        Backwards backwards = new Backwards(64, 64);
        List<Integer> seen =
                run(TrackedSource.numbers(64, 64).source().mapBlocking(64, Ordering.unordered(), backwards::handle));
        List<Integer> expected = new ArrayList<>(upTo(64));
        Collections.reverse(expected);
        assertThat(seen).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(seen).isNotEqualTo(upTo(64));
    }

    @Test
    void mapParallel_whenWorkersFinishBackwards_leavesInTheOrderOfTheInput() throws Exception {
        // A chunk is one element here, so eight workers hold eight adjacent elements.
        try (Dispatcher eight = Dispatcher.fixed("eight", 8)) {
            Backwards backwards = new Backwards(800, 8);
            List<Integer> seen = run(TrackedSource.numbers(800, 1)
                    .source()
                    .mapParallel(8, backwards::handle)
                    .with(Attributes.NONE.withDispatcher(eight)));
            assertThat(seen).isEqualTo(upTo(800));
        }
    }

    @Test
    void byKey_whenKeysOvertakeEachOther_keepsTheOrderOfEachKey() throws Exception {
        int keys = 64;
        int count = keys * 50;
        // In each round, key n waits for key n + 1, so the keys finish in reverse order.
        Backwards backwards = new Backwards(count, keys);
        List<Integer> seen = run(TrackedSource.numbers(count, 512, 3)
                .source()
                .mapBlocking(keys, Ordering.byHash(n -> n % keys), backwards::handle));
        assertThat(seen).hasSize(count).isNotEqualTo(upTo(count));
        Map<Integer, List<Integer>> byKey = seen.stream().collect(Collectors.groupingBy(n -> n % keys));
        byKey.forEach((key, elements) -> assertThat(elements).isSorted());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 64, 500})
    void byKey_underManyLanes_neverWorksOnTwoOfOneKeyAtOnce(int keys) throws Exception {
        int lanes = 64;
        AtomicIntegerArray insideOfKey = new AtomicIntegerArray(keys);
        AtomicInteger inside = new AtomicInteger();
        Map<Integer, List<Integer>> worked = new ConcurrentHashMap<>();
        List<String> breaches = Collections.synchronizedList(new ArrayList<>());
        List<Integer> seen =
                run(TrackedSource.numbers(20_000, 512).source().mapBlocking(lanes, Ordering.byKey(n -> n % keys), n -> {
                    if (insideOfKey.incrementAndGet(n % keys) > 1) {
                        breaches.add("two of key " + n % keys);
                    }
                    if (inside.incrementAndGet() > lanes) {
                        breaches.add("more than " + lanes);
                    }
                    worked.computeIfAbsent(n % keys, key -> new ArrayList<>()).add(n);
                    Thread.onSpinWait();
                    inside.decrementAndGet();
                    insideOfKey.decrementAndGet(n % keys);
                    return n;
                }));
        assertThat(breaches).isEmpty();
        worked.forEach((key, elements) -> assertThat(elements).isSorted());
        Map<Integer, List<Integer>> left = seen.stream().collect(Collectors.groupingBy(n -> n % keys));
        assertThat(left).isEqualTo(worked);
        assertThat(seen).hasSize(20_000);
    }

    @Test
    void byKey_withAHotKeyStuck_letsTheOthersGoOn() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        AtomicInteger others = new AtomicInteger();
        // One in ten elements has the hot key. The first one waits until the elements of all other keys are done.
        List<Integer> seen = run(TrackedSource.numbers(100, 100)
                .source()
                .mapBlocking(2, Ordering.byHash(n -> n % 10 == 0 ? 0 : n), n -> {
                    if (n == 0) {
                        stuck.await();
                    } else if (n % 10 != 0 && others.incrementAndGet() == 90) {
                        stuck.countDown();
                    }
                    return n;
                }));
        assertThat(seen).hasSize(100);
        assertThat(seen.stream().filter(n -> n % 10 == 0).toList()).isSorted();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 16})
    void byKey_withAHotKeyStuckThatFillsAllItsRoom_letsTheOthersGoOn(int lanes) throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        AtomicInteger others = new AtomicInteger();
        int hot = 500;
        int count = 20_000;
        // One element runs and 499 wait. Waiting elements must not use up the capacity of other keys.
        List<Integer> seen = run(TrackedSource.numbers(count, 512)
                .source()
                .mapBlocking(lanes, Ordering.byHash(n -> n < hot ? -1 : n), n -> {
                    if (n == 0) {
                        stuck.await();
                    } else if (n >= hot && others.incrementAndGet() == count - hot - 100) {
                        // A few other elements are in the bucket of the hot key and wait for it.
                        stuck.countDown();
                    }
                    return n;
                }));
        assertThat(seen).hasSize(count);
        assertThat(seen.stream().filter(n -> n < hot).toList()).isEqualTo(upTo(hot));
    }

    @Test
    void byKey_overManyKeys_reusesItsThreads() throws Exception {
        Map<Thread, Integer> threads = new ConcurrentHashMap<>();
        List<Integer> seen =
                run(TrackedSource.numbers(50_000, 512).source().mapBlocking(8, Ordering.byKey(n -> n), n -> {
                    threads.merge(Thread.currentThread(), 1, Integer::sum);
                    return n;
                }));
        assertThat(seen).hasSize(50_000);
        assertThat(threads).hasSizeLessThanOrEqualTo(8);
    }

    @Test
    void handlers_thatWereQuickAndAllBlockOfASudden_stillAllGetALane() throws Exception {
        // While handlers are quick, only a few workers stay awake. The barrier then needs all workers.
        int lanes = 16;
        CyclicBarrier all = new CyclicBarrier(lanes);
        for (Ordering<Integer> ordering : List.<Ordering<Integer>>of(Ordering.unordered(), Ordering.byHash(n -> n))) {
            List<Integer> seen =
                    run(TrackedSource.numbers(10_000 + 512, 512).source().mapBlocking(lanes, ordering, n -> {
                        if (n >= 10_000 && n < 10_000 + lanes) {
                            all.await(50, TimeUnit.SECONDS);
                        }
                        return n;
                    }));
            assertThat(seen).hasSize(10_000 + 512);
        }
    }

    /** Regression: with 60 of 64 handlers blocked, no other handler was called. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void unordered_withFewerFreePlacesThanAreWorthAWake_letsTheOthersGoOn(boolean asynchronous) throws Exception {
        CountDownLatch othersDone = new CountDownLatch(1_000);
        CompletableFuture<Integer> stuck = new CompletableFuture<>();
        Source<Integer> numbers = Source.from(IntStream.range(0, 1_060).boxed().toList());
        Source<Integer> worked = asynchronous
                ? numbers.mapAsync(
                        64, Ordering.unordered(), n -> n < 60 ? stuck.copy() : CompletableFuture.completedFuture(n))
                : numbers.mapBlocking(64, Ordering.unordered(), n -> n < 60 ? stuck.get() : n);
        try (RunningPipeline running = worked.with(Attributes.NONE.withBuffer(64))
                .to(Sink.forEach(n -> othersDone.countDown()))
                .run()) {
            othersDone.await();
            stuck.complete(0);
            assertThat(running.await().drained()).isTrue();
        }
    }

    /** Regression: the first handler waited for an element that the stage did not accept, although there was room. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void input_withFewerFreePlacesThanAreWorthAWake_feedsFreeWorkersWhileTheFirstWaits(boolean asynchronous)
            throws Exception {
        CompletableFuture<Integer> later = new CompletableFuture<>();
        Source<Integer> numbers = Source.from(upTo(40));
        Source<Integer> worked = asynchronous
                ? numbers.mapAsync(4, n -> {
                    if (n == 16) {
                        later.complete(n);
                    }
                    return n == 1 ? later.thenApply(ignored -> n) : CompletableFuture.completedFuture(n);
                })
                : numbers.mapBlocking(4, Ordering.input(), n -> {
                    if (n == 16) {
                        later.complete(n);
                    }
                    if (n == 1) {
                        Integer ignored = later.get();
                    }
                    return n;
                });
        assertThat(run(worked.with(Attributes.NONE.withBuffer(16)))).isEqualTo(upTo(40));
    }

    @Test
    void noKey_isFreeOfOrderAmongKeys() throws Exception {
        // All 32 handlers must run at once: elements without a key have no order.
        CyclicBarrier together = new CyclicBarrier(32);
        List<Integer> seen =
                run(TrackedSource.numbers(320, 7).source().mapBlocking(32, Ordering.byKey(n -> null), n -> {
                    together.await(50, TimeUnit.SECONDS);
                    return n;
                }));
        assertThat(seen).hasSize(320);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void mapBlocking_reachesItsConcurrencyAndNeverExceedsIt(int kind) throws Exception {
        int lanes = 64;
        Ordering<Integer> ordering = switch (kind) {
            case 0 -> Ordering.input();
            case 1 -> Ordering.unordered();
            // One key per handler, in different buckets.
            default -> Ordering.byHash(n -> NO_COLLISION.get(n % NO_COLLISION.size()));
        };
        CyclicBarrier all = new CyclicBarrier(lanes);
        Semaphore permits = new Semaphore(lanes);
        List<Integer> seen = run(TrackedSource.numbers(lanes * 20, 64).source().mapBlocking(lanes, ordering, n -> {
            if (!permits.tryAcquire()) {
                throw new AssertionError("more than " + lanes + " inside");
            }
            all.await(50, TimeUnit.SECONDS);
            permits.release();
            return n;
        }));
        assertThat(seen).hasSize(lanes * 20);
    }

    /** 64 keys in different buckets. */
    private static final List<Integer> NO_COLLISION = upTo(64);

    @Test
    void mapParallel_reachesItsWorkers() throws Exception {
        try (Dispatcher eight = Dispatcher.forkJoin("eight", 8)) {
            CyclicBarrier all = new CyclicBarrier(8);
            List<Integer> seen = run(TrackedSource.numbers(800, 1, 8, 16)
                    .source()
                    .mapParallel(8, n -> {
                        all.await(50, TimeUnit.SECONDS);
                        return n;
                    })
                    .with(Attributes.NONE.withDispatcher(eight)));
            assertThat(seen).isEqualTo(upTo(800));
        }
    }

    /** Quick results are passed on several at a time, unless a later handler waits for them. */
    @Test
    void mapParallel_whoseHandlersWaitForEarlierResults_handsThemOn() throws Exception {
        for (int round = 0; round < 50; round++) {
            int quick = 100 * 64;
            CountDownLatch quickOnesLeft = new CountDownLatch(quick);
            List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
            TrackedSource.numbers(quick + 1_000, 64)
                    .source()
                    .mapParallel(2, n -> {
                        if (n < quick) {
                            // Slower than the downstream stage.
                            workForMicros(2);
                        } else if (!quickOnesLeft.await(50, TimeUnit.SECONDS)) {
                            throw new IllegalStateException(quickOnesLeft + " are kept");
                        }
                        return n;
                    })
                    .to(Sink.forEach(n -> {
                        seen.add(n);
                        quickOnesLeft.countDown();
                    }))
                    .run()
                    .await();
            assertThat(seen).isEqualTo(upTo(quick + 1_000));
        }
    }

    private static void workForMicros(int micros) {
        long end = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(micros);
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void concurrencyOf10000_isReached() throws Exception {
        int lanes = 10_000;
        CyclicBarrier all = new CyclicBarrier(lanes);
        List<Integer> seen =
                run(TrackedSource.numbers(lanes, 512).source().mapBlocking(lanes, Ordering.unordered(), n -> {
                    all.await(50, TimeUnit.SECONDS);
                    return n;
                }));
        assertThat(seen).hasSize(lanes);
    }
}
