package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Lineage.Item;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the order, bounds, failure and cancellation of asynchronous computations, and the outcome of every input. */
class MapAsyncTest {

    static final String NAME = "asyncs";
    private static final List<int[]> BATCH_SIZES =
            List.of(new int[] {1}, new int[] {2}, new int[] {7}, new int[] {512}, new int[] {0, 1, 512, 0, 0, 7, 33});

    @AfterEach
    void noThreadIsLeft() {
        ThreadCensus.assertNoneLeft(NAME);
    }

    // ---- Against the model, through the tracked harness.

    /** Ways in which a test's futures complete. */
    enum Manner {
        AT_ONCE,
        LATER,
        EITHER;

        <R> CompletionStage<R> of(R result) {
            boolean atOnce = this == AT_ONCE
                    || (this == EITHER && ThreadLocalRandom.current().nextBoolean());
            return atOnce ? CompletableFuture.completedFuture(result) : CompletableFuture.supplyAsync(() -> result);
        }
    }

    private static Step step(int parallelism, Manner manner, String kind, Ordering<Item> ordering) {
        return new Step(
                "mapAsync(" + parallelism + ", " + kind + ", " + manner + ")",
                ordering.isInput(),
                (source, lineage, tick) -> source.mapAsync(parallelism, ordering, item -> {
                    tick.run();
                    return manner.of(item.with(item.value + 5));
                }),
                values -> values.stream().map(value -> value + 5).toList());
    }

    private static List<Step> steps() {
        List<Step> steps = new ArrayList<>();
        for (Manner manner : Manner.values()) {
            for (int parallelism : new int[] {1, 3, 64}) {
                steps.add(step(parallelism, manner, "input", Ordering.input()));
                steps.add(step(parallelism, manner, "unordered", Ordering.unordered()));
                steps.add(step(parallelism, manner, "byKey", Ordering.byKey(item -> item.value % 17)));
            }
        }
        return steps;
    }

    static Stream<Arguments> stepsAndSizes() {
        return steps().stream().flatMap(step -> BATCH_SIZES.stream().map(sizes -> Arguments.of(step, sizes)));
    }

    @ParameterizedTest
    @MethodSource("stepsAndSizes")
    void mapAsync_overBatchesOfAnySize_doesAsItsModelAndFinishesEachInputOnce(Step step, int[] batchSizes)
            throws Exception {
        for (int inputs : new int[] {0, 1, 1500}) {
            TrackedRun run = new TrackedRun(List.of(Step.mapConcat(2), step), inputs, batchSizes);
            try (RunningPipeline running = run.start(() -> {})) {
                assertThat(running.await().drained()).isTrue();
                assertThat(running.stages()).allMatch(stage -> stage.depth() == 0);
            }
            run.assertAsModelled();
        }
    }

    static Stream<Arguments> endings() {
        return steps().stream().flatMap(step -> IntStream.range(0, 3).mapToObj(seed -> Arguments.of(step, seed)));
    }

    @ParameterizedTest
    @MethodSource("endings")
    void mapAsync_whoseFunctionThrowsOrIsCancelledOrStopped_finishesNothingTooEarly(Step step, int seed) {
        Random random = new Random(seed);
        IllegalStateException planted = new IllegalStateException("planted");
        TrackedRun failing = run(step, random);
        AtomicInteger calls = new AtomicInteger();
        int at = 1 + random.nextInt(1000);
        RunningPipeline failed = failing.start(() -> {
            if (calls.incrementAndGet() == at) {
                throw planted;
            }
        });
        TrackedRun.awaitEnd(failed);
        failing.assertNothingLost();
        assertThatThrownBy(failed::await).isSameAs(planted);

        TrackedRun cancelled = run(step, random);
        CompletableFuture<RunningPipeline> handle = new CompletableFuture<>();
        AtomicInteger more = new AtomicInteger();
        handle.complete(cancelled.start(() -> {
            if (more.incrementAndGet() == at) {
                handle.join().cancel();
            }
        }));
        TrackedRun.awaitEnd(handle.join());
        cancelled.assertNothingLost();

        TrackedRun stopped = run(step, random);
        TrackedRun.awaitEnd(stopped.startUntil(random.nextInt(500)));
        stopped.assertNothingLost();
    }

    private static TrackedRun run(Step step, Random random) {
        return new TrackedRun(
                List.of(step, Step.grouped(3), Step.fanOut(2)), 2000, 1 + random.nextInt(600), random.nextInt(9));
    }

    // ---- Order and bounds.

    static List<Integer> collect(Source<Integer> source) throws InterruptedException {
        List<Integer> seen = new ArrayList<>();
        try (RunningPipeline running =
                source.to(Sink.forEach(seen::add)).named(NAME).run()) {
            assertThat(running.await().drained()).isTrue();
        }
        return seen;
    }

    static List<Integer> upTo(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    /** Completes the futures of each block of inputs in reverse order. */
    private static Function<Integer, CompletionStage<Integer>> backwards(int block) {
        Map<Integer, CompletableFuture<Integer>> waiting = new ConcurrentHashMap<>();
        return n -> {
            CompletableFuture<Integer> future = new CompletableFuture<>();
            waiting.put(n, future);
            if ((n + 1) % block == 0) {
                Thread.ofVirtual().start(() -> {
                    for (int m = n; m > n - block; m--) {
                        Objects.requireNonNull(waiting.remove(m)).complete(m);
                    }
                });
            }
            return future;
        };
    }

    @Test
    void input_whenFuturesCompleteBackwards_leavesInTheOrderOfTheInput() throws Exception {
        List<Integer> seen =
                collect(TrackedSource.numbers(6400, 1, 512, 7).source().mapAsync(64, backwards(64)));
        assertThat(seen).isEqualTo(upTo(6400));
    }

    @Test
    void unordered_whenFuturesCompleteBackwards_leavesAsTheyComplete() throws Exception {
        List<Integer> seen = collect(TrackedSource.numbers(64, 64).source().mapAsyncUnordered(64, backwards(64)));
        List<Integer> expected = new ArrayList<>(upTo(64));
        Collections.reverse(expected);
        assertThat(seen).containsExactlyInAnyOrderElementsOf(expected).isNotEqualTo(upTo(64));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 64})
    void byKey_runsOneOfAKeyAtOnce_andKeepsItsOrder(int keys) throws Exception {
        Set<Integer> inside = ConcurrentHashMap.newKeySet();
        Queue<String> breaches = new ConcurrentLinkedQueue<>();
        Map<Integer, List<Integer>> started = new ConcurrentHashMap<>();
        List<Integer> seen =
                collect(TrackedSource.numbers(5000, 512, 3).source().mapAsync(16, Ordering.byKey(n -> n % keys), n -> {
                    if (!inside.add(n % keys)) {
                        breaches.add("two of key " + n % keys);
                    }
                    started.computeIfAbsent(n % keys, key -> new ArrayList<>()).add(n);
                    CompletableFuture<Integer> future = CompletableFuture.supplyAsync(() -> n);
                    return n % 3 == 0
                            ? CompletableFuture.completedFuture(leave(inside, n, keys))
                            : future.thenApply(done -> leave(inside, done, keys));
                }));
        assertThat(breaches).isEmpty();
        assertThat(seen.stream().collect(Collectors.groupingBy(n -> n % keys))).isEqualTo(started);
        started.values().forEach(ofKey -> assertThat(ofKey).isSorted());
        assertThat(seen).hasSize(5000);
    }

    private static int leave(Set<Integer> inside, int n, int keys) {
        inside.remove(n % keys);
        return n;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void mapAsync_reachesItsParallelismAndNeverExceedsIt(int kind) throws Exception {
        int parallelism = 64;
        Ordering<Integer> ordering = switch (kind) {
            case 0 -> Ordering.input();
            case 1 -> Ordering.unordered();
            default -> Ordering.byHash(n -> (long) n % parallelism);
        };
        Semaphore permits = new Semaphore(parallelism);
        Queue<CompletableFuture<Integer>> waiting = new ConcurrentLinkedQueue<>();
        AtomicInteger calls = new AtomicInteger();
        List<Integer> seen =
                collect(TrackedSource.numbers(parallelism * 20, 64).source().mapAsync(parallelism, ordering, n -> {
                    if (!permits.tryAcquire()) {
                        throw new AssertionError("more than " + parallelism + " at once");
                    }
                    CompletableFuture<Integer> future = new CompletableFuture<>();
                    waiting.add(future);
                    if (calls.incrementAndGet() % parallelism == 0) {
                        List<CompletableFuture<Integer>> all = List.copyOf(waiting);
                        waiting.clear();
                        Thread.ofVirtual()
                                .start(() -> all.forEach(each -> {
                                    permits.release();
                                    each.complete(n);
                                }));
                    }
                    return future;
                }));
        assertThat(seen).hasSize(parallelism * 20);
    }

    @Test
    void futuresThatCompleteAtOnce_overAMillionElementsOfOneKey_neitherRecurseNorFork() throws Exception {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        AtomicInteger count = new AtomicInteger();
        try (RunningPipeline running = TrackedSource.numbers(1_000_000, 512)
                .source()
                .mapAsync(4, Ordering.byHash(n -> 1), n -> {
                    threads.add(Thread.currentThread());
                    return CompletableFuture.completedFuture(n);
                })
                .to(Sink.forEach(n -> count.incrementAndGet()))
                .named(NAME)
                .run()) {
            running.await();
        }
        assertThat(count).hasValue(1_000_000);
        assertThat(threads).hasSize(1);
    }

    @Test
    void chainOfCompletions_eachTriggeredByTheNextCall_doesNotRecurse() throws Exception {
        // On the stage's own thread, each call completes the future of the previous call.
        CompletableFuture<?>[] last = {new CompletableFuture<>()};
        List<Integer> seen =
                collect(TrackedSource.numbers(100_000, 512).source().mapAsync(2, n -> {
                    last[0].complete(null);
                    CompletableFuture<Integer> future = new CompletableFuture<>();
                    last[0] = future;
                    CompletableFuture<Integer> result = future.thenApply(ignored -> n);
                    if (n == 99_999) {
                        future.complete(null);
                    }
                    return result;
                }));
        assertThat(seen).isEqualTo(upTo(100_000));
    }

    @Test
    void function_isNeverCalledOnAThreadOfAStranger_norTwiceAtOnce() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        Queue<String> breaches = new ConcurrentLinkedQueue<>();
        List<Integer> seen =
                collect(TrackedSource.numbers(5000, 3).source().mapAsync(8, Ordering.byKey(n -> n % 5), n -> {
                    if (!Thread.currentThread().getName().startsWith("weir-" + NAME)) {
                        breaches.add("called on " + Thread.currentThread());
                    }
                    if (inside.incrementAndGet() > 1) {
                        breaches.add("called twice at once");
                    }
                    Thread.onSpinWait();
                    inside.decrementAndGet();
                    return CompletableFuture.supplyAsync(() -> n);
                }));
        assertThat(breaches).isEmpty();
        assertThat(seen).hasSize(5000);
    }

    @Test
    void byKey_withAHotKeyThatNeverCompletes_letsTheOthersGoOn() throws Exception {
        CompletableFuture<Integer> hot = new CompletableFuture<>();
        AtomicInteger others = new AtomicInteger();
        // The first 500 elements, almost as many as the stage holds, have the same key.
        List<Integer> seen = collect(TrackedSource.numbers(10_000, 512)
                .source()
                .mapAsync(2, Ordering.byHash(n -> n < 500 ? -1 : n), n -> {
                    if (n == 0) {
                        return hot;
                    }
                    // A few other elements are in the bucket of the hot key and wait for it.
                    if (n >= 500 && others.incrementAndGet() == 9400) {
                        hot.complete(0);
                    }
                    return CompletableFuture.completedFuture(n);
                }));
        assertThat(seen).hasSize(10_000);
        assertThat(seen.stream().filter(n -> n < 500).toList()).isEqualTo(upTo(500));
    }

    @Test
    void counters_showWhatRuns() throws Exception {
        CountDownLatch started = new CountDownLatch(6);
        List<CompletableFuture<Integer>> futures = Collections.synchronizedList(new ArrayList<>());
        try (RunningPipeline running = TrackedSource.numbers(6, 6)
                .source()
                .mapAsync(8, n -> {
                    CompletableFuture<Integer> future = new CompletableFuture<>();
                    futures.add(future);
                    started.countDown();
                    return future;
                })
                .to(Sink.ignore())
                .named(NAME)
                .run()) {
            started.await();
            StageSnapshot stage = running.stages().get(1);
            assertThat(stage.name()).isEqualTo("mapAsync");
            assertThat(stage.parallelism()).isEqualTo(8);
            assertThat(stage.depth()).isEqualTo(6);
            futures.forEach(future -> future.complete(1));
            StageSnapshot after = running.await().stages().get(1);
            assertThat(after.elementsIn()).isEqualTo(6);
            assertThat(after.elementsOut()).isEqualTo(6);
            assertThat(after.busyNanos()).isPositive();
            assertThat(after.depth()).isZero();
        }
    }
}
