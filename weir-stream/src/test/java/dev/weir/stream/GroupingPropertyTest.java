package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests grouping and timed operators that drop nothing, for all batch sizes and all endings. */
class GroupingPropertyTest extends OperatorEndings {

    private static final int INPUTS = 1500;

    @Override
    List<Step> steps() {
        return Stream.concat(TimedSteps.all().stream(), TimedSteps.reordering().stream())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("stepsAndSizes")
    void operator_belowAFailure_emitsWhatItHoldsBeforeIt(Step step, int[] sizes) {
        TrackedRun run = new TrackedRun(List.of(failingBehind(1000), step), INPUTS, sizes);
        RunningPipeline running = run.start(() -> {});
        TrackedRun.awaitEnd(running);
        assertThatThrownBy(running::await).hasMessage("planted above");
        run.assertNothingLost();
    }

    private static Step failingBehind(int last) {
        return new Step(
                "failing",
                true,
                (source, lineage, tick) -> source.map(item -> {
                    if (item.value == last) {
                        throw new IllegalStateException("planted above");
                    }
                    return item;
                }),
                values -> values);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void chain_ofTimedAndOtherOperators_keepsItsPromises(int seed) throws Exception {
        Random random = new Random(seed);
        List<Step> chain = Stream.generate(() -> random.nextBoolean() ? any(random, TimedSteps.all()) : other(random))
                .limit(2 + random.nextInt(5))
                .toList();
        Endings.normal(chain, INPUTS, 1 + random.nextInt(600), random.nextInt(20));
        Endings.failing(chain, INPUTS, 1 + random.nextInt(200), 1 + random.nextInt(600), random.nextInt(20));
    }

    static IntStream seeds() {
        return IntStream.range(0, 60);
    }

    private static Step any(Random random, List<Step> steps) {
        return steps.get(random.nextInt(steps.size()));
    }

    private static Step other(Random random) {
        return any(random, List.of(Step.map(), Step.filter(2), Step.async(7), Step.grouped(3), Step.mapParallel(2)));
    }
}
