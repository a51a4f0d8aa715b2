package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests functions that fail in the middle of a batch. Regression: some stages dropped the elements before the failure.
 * {@link SupervisionMatrixTest} covers further operators.
 */
class MidBatchFailureTest {

    private static final int FAILS_AT = 50;
    private static final int INPUTS = 100;

    record Failing(String name, Function<Source<Integer>, Source<?>> operator) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static int check(int n) {
        if (n == FAILS_AT) {
            throw new IllegalStateException("planted");
        }
        return n;
    }

    static List<Failing> operators() {
        Comparator<Integer> checking = Comparator.comparingInt(MidBatchFailureTest::check);
        return List.of(
                new Failing("zipWith, right", s -> Source.range(0, INPUTS).zipWith(s, (other, n) -> check(n))),
                new Failing("partition", s -> s.partition(1, n -> check(n) < 0 ? 1 : 0, branch -> branch)),
                new Failing("mergeSorted", s -> s.mergeSorted(Source.of(1000), checking)),
                new Failing("groupedWeighted", s -> s.groupedWeighted(7, n -> check(n) < 0 ? 2 : 1)),
                new Failing("expand", s -> s.expand(n -> once(check(n)))));
    }

    private static Iterator<Integer> once(int n) {
        return List.of(n).iterator();
    }

    @ParameterizedTest
    @MethodSource("operators")
    void elementsBeforeTheOneThatFails_areFinished(Failing failing) {
        for (int[] sizes : new int[][] {{INPUTS}, {7, 0, 30}}) {
            TrackedSource<Integer> source = TrackedSource.numbers(INPUTS, sizes);
            RunningPipeline running =
                    failing.operator.apply(source.source()).to(Sink.ignore()).run();
            assertThatThrownBy(running::await).hasMessageContaining("planted");
            source.assertProtocolKept();
            assertThat(IntStream.range(0, INPUTS).filter(source::isFinished).boxed())
                    .containsExactlyElementsOf(
                            IntStream.range(0, FAILS_AT).boxed().toList());
        }
    }
}
