package dev.weir.stream;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests every operator for all endings and all batch sizes. A subclass provides the operators. Stateless. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // so that a subclass can provide the source of arguments
abstract class OperatorEndings {

    private static final int INPUTS = 1500;
    private static final int[] MIXED = {64, 0, 1, 7};

    /** Returns the operators to test. */
    abstract List<Step> steps();

    Stream<Arguments> stepsAndSizes() {
        return steps().stream().flatMap(step -> Endings.BATCH_SIZES.stream().map(sizes -> Arguments.of(step, sizes)));
    }

    /** Returns a random call at which to act. Odd seeds give an early call, because some operators make few calls. */
    private static int someCall(int seed) {
        return 1 + new Random(seed).nextInt(seed % 2 == 0 ? INPUTS : INPUTS / 10);
    }

    @ParameterizedTest
    @MethodSource("stepsAndSizes")
    void operator_toItsEnd_doesAsItsModelAndFinishesEachInputOnce(Step step, int[] sizes) throws Exception {
        for (int inputs : new int[] {0, 1, INPUTS}) {
            Endings.normal(List.of(step), inputs, sizes);
        }
        Endings.normal(List.of(Step.mapConcat(3), step), 600, sizes);
        Endings.normal(List.of(Step.mapConcat(3), step, Step.async(10)), 500, sizes);
    }

    @ParameterizedTest
    @MethodSource("steps")
    void operator_whoseFunctionThrows_failsAndFinishesNothingTooEarly(Step step) {
        for (int seed = 0; seed < 10; seed++) {
            Endings.failing(List.of(step, Step.map()), INPUTS, someCall(seed), MIXED);
        }
    }

    @ParameterizedTest
    @MethodSource("steps")
    void operator_thatIsCancelled_endsAndFinishesNothingTooEarly(Step step) {
        for (int seed = 0; seed < 10; seed++) {
            Endings.cancelled(List.of(step, Step.map()), INPUTS, someCall(seed), MIXED);
        }
    }

    @ParameterizedTest
    @MethodSource("steps")
    void operator_whoseSinkReturnsEarly_endsWithoutAFailure(Step step) throws Exception {
        for (int seed = 0; seed < 10; seed++) {
            int elements = new Random(seed).nextInt(700);
            Endings.stoppedBySink(List.of(step), INPUTS, elements, MIXED);
            Endings.stoppedBySink(List.of(step, Step.async(16)), INPUTS, elements, MIXED);
        }
        Endings.stoppedBySink(List.of(step), INPUTS, 0, MIXED);
    }

    @ParameterizedTest
    @MethodSource("steps")
    void operator_thatIsDrained_finishesAllThatWasHandedOut(Step step) throws Exception {
        for (int seed = 0; seed < 5; seed++) {
            Endings.drained(List.of(step, Step.map()), INPUTS, someCall(seed), MIXED);
        }
    }
}
