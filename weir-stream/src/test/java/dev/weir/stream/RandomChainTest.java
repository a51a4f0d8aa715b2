package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random chains of operators, by seed, through each way in which a pipeline can end. More: {@code -Dweir.seeds=5000}. */
class RandomChainTest {

    private static final int SEEDS = Integer.getInteger("weir.seeds", 80);
    private static final int INPUTS = 2000;

    static IntStream seeds() {
        return IntStream.range(0, SEEDS);
    }

    private static TrackedRun run(Random random) {
        List<Step> chain = Step.randomChain(random);
        int[] sizes = random.ints(1 + random.nextInt(5), 0, random.nextBoolean() ? 10 : 600)
                .toArray();
        sizes[0]++;
        return new TrackedRun(chain, INPUTS, sizes);
    }

    /** Runs {@code then} at one of the first calls of user code, wherever that is. */
    private static Runnable at(int call, Runnable then) {
        AtomicInteger calls = new AtomicInteger();
        return () -> {
            if (calls.incrementAndGet() == call) {
                then.run();
            }
        };
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void chain_toItsEnd_doesAsTheModel(int seed) throws Exception {
        TrackedRun run = run(new Random(seed));
        try (RunningPipeline running = run.start(() -> {})) {
            assertThat(running.await().drained()).isTrue();
            assertThat(running.stages()).allMatch(stage -> stage.depth() == 0);
        }
        run.assertAsModelled();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void chain_whoseFunctionThrows_failsWithThatAndFinishesNothingTooEarly(int seed) {
        Random random = new Random(seed);
        TrackedRun run = run(random);
        IllegalStateException planted = new IllegalStateException("planted");
        RunningPipeline running = run.start(at(1 + random.nextInt(INPUTS), () -> {
            throw planted;
        }));
        TrackedRun.awaitEnd(running);
        run.assertNothingLost();
        if (running.completion().isCompletedExceptionally()) {
            assertThatThrownBy(running::await).isSameAs(planted);
        } else {
            // The chain dropped so much that the call never came.
            run.assertAsModelled();
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void chain_thatIsCancelled_endsAndFinishesNothingTooEarly(int seed) {
        Random random = new Random(seed);
        TrackedRun run = run(random);
        CompletableFuture<RunningPipeline> handle = new CompletableFuture<>();
        handle.complete(
                run.start(at(1 + random.nextInt(INPUTS), () -> handle.join().cancel())));
        TrackedRun.awaitEnd(handle.join());
        run.assertNothingLost();
        if (handle.join().completion().isCompletedExceptionally()) {
            assertThatThrownBy(handle.join()::await).isInstanceOf(CancellationException.class);
        } else {
            run.assertAsModelled();
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void chain_whoseSinkReturnsEarly_endsWithoutAFailure(int seed) throws Exception {
        Random random = new Random(seed);
        TrackedRun run = run(random);
        try (RunningPipeline running = run.startUntil(random.nextInt(INPUTS / 4))) {
            running.await();
        }
        run.assertNothingLost();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void chain_thatIsDrained_finishesAllThatWasHandedOut(int seed) throws Exception {
        Random random = new Random(seed);
        TrackedRun run = run(random);
        run.source.heldOpen();
        CompletableFuture<RunningPipeline> handle = new CompletableFuture<>();
        handle.complete(
                run.start(at(1 + random.nextInt(INPUTS), () -> handle.join().stop())));
        try (RunningPipeline running = handle.join()) {
            running.stop();
            assertThat(running.await().drained()).isTrue();
        }
        run.assertNothingLost();
        assertThat(run.source.finishedCount()).isEqualTo(run.source.pulled());
    }
}
