package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests acknowledgements in operators that drop by time or by demand. Chance decides which elements pass. */
class DroppingOperatorsTest {

    private static final int INPUTS = 1500;

    /** An operator. {@code keepsLast} is true if the last input always passes. */
    record Dropping(String name, boolean keepsLast, UnaryOperator<Source<Integer>> stage) {

        Source<Integer> below(Source<Integer> source) {
            return stage.apply(source);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Arguments> operatorsAndSizes() {
        List<Dropping> operators = List.of(
                new Dropping("debounce(1 ns)", true, source -> source.debounce(Duration.ofNanos(1))),
                new Dropping("debounce(1 h)", true, source -> source.debounce(Duration.ofHours(1))),
                new Dropping("sample(1 us)", true, source -> source.sample(Duration.ofNanos(1000))),
                new Dropping("sample(1 h)", true, source -> source.sample(Duration.ofHours(1))),
                new Dropping("buffer(1, head)", true, source -> source.buffer(1, OverflowStrategy.DROP_HEAD)),
                new Dropping("buffer(10, head)", true, source -> source.buffer(10, OverflowStrategy.DROP_HEAD)),
                new Dropping("buffer(1, tail)", true, source -> source.buffer(1, OverflowStrategy.DROP_TAIL)),
                new Dropping("buffer(10, tail)", true, source -> source.buffer(10, OverflowStrategy.DROP_TAIL)),
                new Dropping("buffer(10, new)", false, source -> source.buffer(10, OverflowStrategy.DROP_NEW)),
                new Dropping("buffer(10, buffer)", true, source -> source.buffer(10, OverflowStrategy.DROP_BUFFER)),
                new Dropping(
                        "throttle, skipping",
                        false,
                        source -> source.throttle(1000, Duration.ofSeconds(1), 10, ThrottleMode.ENFORCING)
                                .with(Attributes.NONE.withSupervision(Supervision.skip()))));
        List<int[]> batches =
                List.of(new int[] {1}, new int[] {2}, new int[] {7}, new int[] {512}, new int[] {0, 1, 512, 0, 33});
        return operators.stream().flatMap(operator -> batches.stream().map(sizes -> Arguments.of(operator, sizes)));
    }

    /** Returns a sink that fails if it receives a finished element. */
    private static Sink<Integer> sink(TrackedSource<Integer> tracked, List<Integer> seen, int most) {
        return Sink.custom("seen", context -> upstream -> {
            Batch<Integer> batch;
            while (seen.size() < most && (batch = upstream.pull(Stage.NEVER)) != null) {
                for (int i = 0; i < batch.size(); i++) {
                    assertThat(tracked.isFinished(batch.get(i))).isFalse();
                    seen.add(batch.get(i));
                    batch.ack(i);
                }
            }
        });
    }

    @ParameterizedTest
    @MethodSource("operatorsAndSizes")
    void operator_toTheEnd_keepsTheOrderAndFinishesEachInputOnce(Dropping operator, int[] sizes) throws Exception {
        for (int inputs : new int[] {0, 1, INPUTS}) {
            TrackedSource<Integer> tracked = TrackedSource.numbers(inputs, sizes);
            List<Integer> seen = new ArrayList<>();
            try (RunningPipeline running = operator.below(tracked.source())
                    .to(sink(tracked, seen, Integer.MAX_VALUE))
                    .run()) {
                assertThat(running.await().drained()).isTrue();
            }
            tracked.assertAllFinished();
            assertThat(IntStream.range(1, seen.size())).allMatch(i -> seen.get(i - 1) < seen.get(i));
            if (inputs > 0) {
                assertThat(seen).isNotEmpty();
                assertThat(seen.getLast() == inputs - 1 || !operator.keepsLast).isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("operatorsAndSizes")
    void operator_endedInAnyOtherWay_finishesNothingTwice(Dropping operator, int[] sizes) {
        for (int most : new int[] {0, 1, 5}) {
            TrackedSource<Integer> tracked = TrackedSource.numbers(INPUTS, sizes);
            List<Integer> seen = new ArrayList<>();
            TrackedRun.awaitEnd(operator.below(tracked.source())
                    .to(sink(tracked, seen, most))
                    .run());
            tracked.assertProtocolKept();
        }
        for (int call : new int[] {1, 100, 700}) {
            TrackedSource<Integer> tracked = TrackedSource.numbers(INPUTS, sizes);
            AtomicInteger calls = new AtomicInteger();
            TrackedRun.awaitEnd(operator.below(tracked.source().map(n -> {
                        if (calls.incrementAndGet() == call) {
                            throw new IllegalStateException("planted");
                        }
                        return n;
                    }))
                    .to(sink(tracked, new ArrayList<>(), Integer.MAX_VALUE))
                    .run());
            tracked.assertProtocolKept();
            assertThat(tracked.finishedCount()).isLessThan(call);
        }
        TrackedSource<Integer> cancelled = TrackedSource.numbers(INPUTS, sizes).heldOpen();
        RunningPipeline running = operator.below(cancelled.source())
                .to(sink(cancelled, new ArrayList<>(), Integer.MAX_VALUE))
                .run();
        running.cancel();
        TrackedRun.awaitEnd(running);
        cancelled.assertProtocolKept();
    }
}
