package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests several maps in a row in one loop. Each must keep its own supervision and counters. */
class MapGroupTest {

    private static final int INPUTS = 10_000;

    private static Function<Integer, Integer> refusing(int divisor) {
        return n -> {
            if (n % divisor == 0) {
                throw new IllegalArgumentException("refused: " + n);
            }
            return n;
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 512})
    void mapsInARow_thatSkip_finishEveryInputAndCountForThemselves(int batchSize) throws Exception {
        TrackedSource<Integer> inputs = TrackedSource.numbers(INPUTS, batchSize);
        List<Integer> outputs = new ArrayList<>();
        Source<Integer> source = inputs.source();
        List<Integer> divisors = List.of(2, 3, 5, 7, 11, 13);
        for (int divisor : divisors) {
            source = source.map(refusing(divisor)).named("by " + divisor).supervised(Supervision.skip());
        }
        List<StageSnapshot> stages;
        try (RunningPipeline running = source.to(Sink.forEach(outputs::add)).run()) {
            running.await();
            stages = running.stages();
        }

        inputs.assertAllFinished();
        List<Integer> left = IntStream.range(0, INPUTS).boxed().toList();
        for (int divisor : divisors) {
            StageSnapshot stage = stages.stream()
                    .filter(one -> one.name().equals("by " + divisor))
                    .findFirst()
                    .orElseThrow();
            assertThat(stage.elementsIn()).as(stage.name() + " in").isEqualTo(left.size());
            left = left.stream().filter(n -> n % divisor != 0).collect(Collectors.toList());
            assertThat(stage.elementsOut()).as(stage.name() + " out").isEqualTo(left.size());
        }
        assertThat(outputs).isEqualTo(left);
    }

    // In the first batch, each function has its own loop. In later batches, one loop calls all functions.
    @ParameterizedTest
    @CsvSource({"5, 3", "3, 5", "25, 23", "23, 25", "4000, 4003", "4003, 4000"})
    void mapsInARow_ofWhichTwoFail_failWithWhatComesFirstInTheStream(int upper, int lower) throws Exception {
        TrackedSource<Integer> inputs = TrackedSource.numbers(INPUTS, 10);
        List<Integer> outputs = new ArrayList<>();
        Source<Integer> source = inputs.source()
                .map(n -> n)
                .map(n -> failingAt(upper, n))
                .map(n -> failingAt(lower, n))
                .map(n -> n);
        try (RunningPipeline running = source.to(Sink.forEach(outputs::add)).run()) {
            assertThatThrownBy(running::await).hasStackTraceContaining("at " + Math.min(upper, lower) + "!");
        }

        inputs.assertProtocolKept();
        assertThat(outputs)
                .isEqualTo(IntStream.range(0, Math.min(upper, lower)).boxed().toList());
    }

    private static Integer failingAt(int place, int n) {
        if (n == place) {
            throw new IllegalStateException("at " + place + "!");
        }
        return n;
    }
}
