package dev.weir.stream;

import dev.weir.stream.Lineage.Item;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests failure operators in streams that do not fail, or fail elsewhere. They must change nothing. */
class FailureOperatorsTest {

    private static final int INPUTS = 1500;
    private static final Duration LONG = Duration.ofHours(1);

    private static Step passing(String name, UnaryOperator<Source<Item>> operator) {
        return new Step(name, true, (source, lineage, tick) -> operator.apply(source), values -> values);
    }

    private static List<Step> steps() {
        RestartSettings never = RestartSettings.of(Backoff.NONE).atMost(0, LONG);
        return List.of(
                passing("recover", source -> source.recover(failure -> null)),
                passing("recoverWith", source -> source.recoverWith(3, failure -> null)),
                passing("mapError", source -> source.mapError(failure -> failure)),
                passing("onErrorComplete", source -> source.onErrorComplete(failure -> false)),
                passing("restarted", source -> source.restarted(never)),
                passing("idleTimeout", source -> source.idleTimeout(LONG)),
                passing("initialTimeout", source -> source.initialTimeout(LONG)),
                passing("completionTimeout", source -> source.completionTimeout(LONG)),
                passing("backpressureTimeout", source -> source.backpressureTimeout(LONG)),
                passing(
                        "keepAlive",
                        source -> source.keepAlive(LONG, () -> {
                            throw new AssertionError("nobody was silent for an hour");
                        })),
                passing("watch", source -> source.watch(end -> {})),
                passing("killSwitch", source -> source.via(new KillSwitch())));
    }

    /** Returns each operator between two others, and all operators in a row, with all batch sizes. */
    static Stream<Arguments> chainsAndSizes() {
        List<List<Step>> chains = new ArrayList<>();
        for (Step step : steps()) {
            chains.add(List.of(Step.map(), step, Step.mapConcat(3)));
            chains.add(List.of(Step.mapConcat(3), step, Step.mapBlocking(4, 0)));
            chains.add(List.of(Step.async(16), step, Step.filter(2)));
        }
        List<Step> all = new ArrayList<>(steps());
        all.addFirst(Step.map());
        chains.add(all);
        return chains.stream().flatMap(chain -> Endings.BATCH_SIZES.stream().map(sizes -> Arguments.of(chain, sizes)));
    }

    @ParameterizedTest
    @MethodSource("chainsAndSizes")
    void chain_toItsEnd_doesAsTheModel(List<Step> chain, int[] sizes) throws Exception {
        for (int inputs : new int[] {0, 1, INPUTS}) {
            Endings.normal(chain, inputs, sizes);
        }
    }

    @ParameterizedTest
    @MethodSource("chainsAndSizes")
    void chain_whoseFunctionThrows_failsWithThatAndFinishesNothingTooEarly(List<Step> chain, int[] sizes) {
        Endings.failing(chain, INPUTS, 1 + new Random(sizes.length).nextInt(INPUTS / 2), sizes);
    }

    @ParameterizedTest
    @MethodSource("chainsAndSizes")
    void chain_thatIsCancelled_endsAndFinishesNothingTooEarly(List<Step> chain, int[] sizes) {
        Endings.cancelled(chain, INPUTS, 100, sizes);
    }

    @ParameterizedTest
    @MethodSource("chainsAndSizes")
    void chain_whoseSinkReturnsEarly_endsWithoutAFailure(List<Step> chain, int[] sizes) throws Exception {
        for (int count : new int[] {1, 100}) {
            Endings.stoppedBySink(chain, INPUTS, count, sizes);
        }
    }

    @ParameterizedTest
    @MethodSource("chainsAndSizes")
    void chain_thatIsDrained_finishesAllThatWasHandedOut(List<Step> chain, int[] sizes) throws Exception {
        Endings.drained(chain, INPUTS, 100, sizes);
    }
}
