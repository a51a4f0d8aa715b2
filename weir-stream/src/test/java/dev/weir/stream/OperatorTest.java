package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares each operator with its model, for all batch sizes. */
class OperatorTest {

    private static final List<int[]> BATCH_SIZES =
            List.of(new int[] {1}, new int[] {2}, new int[] {7}, new int[] {512}, new int[] {0, 1, 512, 0, 0, 7, 33});

    private static List<Step> steps() {
        List<Step> steps = new ArrayList<>(List.of(
                Step.map(),
                Step.filter(1),
                Step.filter(3),
                Step.filter(1_000_000),
                Step.mapConcat(1),
                Step.mapConcat(2),
                Step.mapConcat(50),
                Step.mapConcat(150),
                Step.grouped(1),
                Step.grouped(2),
                Step.grouped(7),
                Step.grouped(512),
                Step.grouped(1000),
                Step.grouped(1_000_000),
                Step.async(1),
                Step.async(512),
                Step.async(1_000_000),
                Step.mapParallel(1),
                Step.mapParallel(2),
                Step.mapParallel(64)));
        for (int kind = 0; kind < 3; kind++) {
            for (int concurrency : new int[] {1, 2, 64}) {
                steps.add(Step.mapBlocking(concurrency, kind));
            }
        }
        return steps;
    }

    static Stream<Arguments> stepsAndSizes() {
        return steps().stream().flatMap(step -> BATCH_SIZES.stream().map(sizes -> Arguments.of(step, sizes)));
    }

    @ParameterizedTest
    @MethodSource("stepsAndSizes")
    void operator_overBatchesOfAnySize_doesAsItsModelAndFinishesEachInputOnce(Step step, int[] batchSizes)
            throws Exception {
        for (int inputs : new int[] {0, 1, 1500}) {
            TrackedRun run = new TrackedRun(List.of(step), inputs, batchSizes);
            try (RunningPipeline running = run.start(() -> {})) {
                assertThat(running.await().drained()).isTrue();
            }
            run.assertAsModelled();
        }
    }

    @ParameterizedTest
    @MethodSource("stepsAndSizes")
    void operator_belowFanOutAndGrouping_keepsTheClaimsOfAll(Step step, int[] batchSizes) throws Exception {
        TrackedRun run =
                new TrackedRun(List.of(Step.mapConcat(3), Step.grouped(5), Step.fanOut(3), step), 600, batchSizes);
        try (RunningPipeline running = run.start(() -> {})) {
            running.await();
        }
        run.assertAsModelled();
    }

    @ParameterizedTest
    @MethodSource("steps")
    void operator_aboveManyChildrenOfFewInputs_finishesEachInputAfterItsLastChild(Step step) throws Exception {
        // Twenty batches contain the 10,000 children of one input.
        TrackedRun run = new TrackedRun(List.of(Step.fanOut(10_000), step), 4, 1);
        try (RunningPipeline running = run.start(() -> {})) {
            running.await();
        }
        run.assertAsModelled();
    }
}
