package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares windows with a plain program. Windows are acknowledged in any order, and an element is finished with its
 * last window.
 */
class SlidingTest {

    private static final int INPUTS = 700;

    static Stream<Arguments> windowsAndSizes() {
        List<int[]> windows = List.of(
                new int[] {1, 1},
                new int[] {2, 1},
                new int[] {3, 2},
                new int[] {50, 7},
                new int[] {4, 4},
                new int[] {3, 5},
                new int[] {1, 600},
                new int[] {1000, 1},
                new int[] {600, 599});
        List<int[]> batches =
                List.of(new int[] {1}, new int[] {2}, new int[] {7}, new int[] {512}, new int[] {0, 1, 512, 0, 33});
        return windows.stream().flatMap(window -> batches.stream().map(sizes -> Arguments.of(window, sizes)));
    }

    private static List<List<Integer>> model(int inputs, int size, int step) {
        List<List<Integer>> windows = new ArrayList<>();
        boolean complete = false;
        for (int start = 0; start < inputs && !complete; start += step) {
            int end = Math.min(start + size, inputs);
            windows.add(IntStream.range(start, end).boxed().toList());
            complete = end == inputs;
        }
        return windows;
    }

    /** Keeps windows and acknowledges them in random order. */
    private static final class Windows {

        final List<List<Integer>> seen = new ArrayList<>();
        private final AtomicIntegerArray unfinished = new AtomicIntegerArray(INPUTS);
        private final List<Runnable> acks = new ArrayList<>();
        private final Random random = new Random(1);

        boolean isFinished(int index) {
            return unfinished.get(index) == 0;
        }

        SinkLoop<List<Integer>> sink(int most) {
            return upstream -> {
                Batch<List<Integer>> batch;
                while (seen.size() < most && (batch = upstream.pull(Stage.NEVER)) != null) {
                    for (int i = 0; i < batch.size(); i++) {
                        receive(batch, i);
                    }
                    while (acks.size() > 5) {
                        acks.remove(random.nextInt(acks.size())).run();
                    }
                }
                acks.forEach(Runnable::run);
            };
        }

        private void receive(Batch<List<Integer>> batch, int index) {
            List<Integer> window = batch.get(index);
            seen.add(window);
            window.forEach(unfinished::incrementAndGet);
            acks.add(() -> {
                window.forEach(unfinished::decrementAndGet);
                batch.ack(index);
            });
        }
    }

    @ParameterizedTest
    @MethodSource("windowsAndSizes")
    void sliding_emitsTheModelsWindowsAndFinishesElementsWithTheirLast(int[] window, int[] sizes) throws Exception {
        for (int inputs : new int[] {0, 1, 2, window[0], INPUTS}) {
            Windows windows = new Windows();
            TrackedSource<Integer> tracked =
                    TrackedSource.numbers(Math.min(inputs, INPUTS), sizes).mayFinish(windows::isFinished);
            try (RunningPipeline running = tracked.source()
                    .sliding(window[0], window[1])
                    .to(Sink.custom("windows", context -> windows.sink(Integer.MAX_VALUE)))
                    .run()) {
                running.await();
            }
            tracked.assertAllFinished();
            assertThat(windows.seen).isEqualTo(model(Math.min(inputs, INPUTS), window[0], window[1]));
        }
    }

    @ParameterizedTest
    @MethodSource("windowsAndSizes")
    void sliding_endedEarly_finishesNoElementThatMayBeInALaterWindow(int[] window, int[] sizes) throws Exception {
        Windows windows = new Windows();
        TrackedSource<Integer> tracked = TrackedSource.numbers(INPUTS, sizes).mayFinish(windows::isFinished);
        try (RunningPipeline running = tracked.source()
                .sliding(window[0], window[1])
                .to(Sink.custom("windows", context -> windows.sink(3)))
                .run()) {
            running.await();
        }
        tracked.assertProtocolKept();
        int last = windows.seen.size() - 1;
        if (window[1] < window[0] && last * window[1] + window[0] < INPUTS) {
            assertThat(tracked.isFinished(last * window[1] + window[1])).isFalse();
        }
    }

    @Test
    void sliding_belowAFailure_leavesWhatItHoldsUnacknowledged() {
        TrackedSource<Integer> tracked = TrackedSource.numbers(10, 1);
        RunningPipeline running = tracked.source()
                .map(n -> {
                    if (n == 5) {
                        throw new IllegalStateException("planted");
                    }
                    return n;
                })
                .sliding(3, 2)
                .to(Sink.ignore())
                .run();
        TrackedRun.awaitEnd(running);
        tracked.assertProtocolKept();
        // [0 1 2] and [2 3 4] were complete, and 4 also belongs to the next window.
        assertThat(IntStream.range(0, 10).filter(tracked::isFinished)).containsExactly(0, 1, 2, 3);
    }
}
