package dev.weir.stream;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests random chains of operators for all endings. {@code -Dweir.seeds=5000} runs more seeds. */
class RandomChainTest {

    private static final int SEEDS = Integer.getInteger("weir.seeds", 80);
    private static final int INPUTS = 2000;

    static IntStream seeds() {
        return IntStream.range(0, SEEDS);
    }

    private static int[] sizes(Random random) {
        int[] sizes = random.ints(1 + random.nextInt(5), 0, random.nextBoolean() ? 10 : 600)
                .toArray();
        sizes[0]++;
        return sizes;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void chain_toItsEnd_doesAsTheModel(int seed) throws Exception {
        Random random = new Random(seed);
        Endings.normal(Step.randomChain(random), INPUTS, sizes(random));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void chain_whoseFunctionThrows_failsWithThatAndFinishesNothingTooEarly(int seed) {
        Random random = new Random(seed);
        Endings.failing(Step.randomChain(random), INPUTS, 1 + random.nextInt(INPUTS), sizes(random));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void chain_thatIsCancelled_endsAndFinishesNothingTooEarly(int seed) {
        Random random = new Random(seed);
        Endings.cancelled(Step.randomChain(random), INPUTS, 1 + random.nextInt(INPUTS), sizes(random));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void chain_whoseSinkReturnsEarly_endsWithoutAFailure(int seed) throws Exception {
        Random random = new Random(seed);
        Endings.stoppedBySink(Step.randomChain(random), INPUTS, random.nextInt(INPUTS / 4), sizes(random));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void chain_thatIsDrained_finishesAllThatWasHandedOut(int seed) throws Exception {
        Random random = new Random(seed);
        Endings.drained(Step.randomChain(random), INPUTS, 1 + random.nextInt(INPUTS), sizes(random));
    }
}
