package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FirstPipelineTest {

    private static List<Integer> numbers(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    @Test
    void pipeline_ofAllOperators_deliversWhatAPlainLoopWould() throws Exception {
        List<Integer> seen = new ArrayList<>();
        try (RunningPipeline running = Source.from(numbers(10_000))
                .map(n -> n * 2)
                .filter(n -> n % 3 == 0)
                .async()
                .mapParallel(4, n -> n + 1)
                .mapBlocking(16, Ordering.input(), n -> n - 1)
                .mapConcat(n -> List.of(n, n))
                .grouped(7)
                .mapConcat(group -> group)
                .to(Sink.forEach(seen::add))
                .run()) {
            DrainReport report = running.await();
            assertThat(report.drained()).isTrue();
        }
        List<Integer> expected = numbers(10_000).stream()
                .map(n -> n * 2)
                .filter(n -> n % 3 == 0)
                .flatMap(n -> List.of(n, n).stream())
                .toList();
        assertThat(seen).isEqualTo(expected);
    }

    @Test
    void handler_thatThrows_failsThePipelineWithItsException() {
        RunningPipeline running = Source.from(numbers(10_000))
                .mapBlocking(8, Ordering.unordered(), n -> {
                    if (n == 5000) {
                        throw new IllegalStateException("at " + n);
                    }
                    return n;
                })
                .to(Sink.ignore())
                .run();
        assertThatThrownBy(running::await)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("at 5000");
    }
}
